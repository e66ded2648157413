"""Work on damaged files in processes that may die of it: a server is started once, and forks for each file.

As a program, it reads a case from each line of its standard input, and writes the outcome on a line.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import fpdb
import fpdb.database  # once, before the forks
import fpdb.pairs.ranking
from fpdb.storage import key_values
from fpdb.storage.environment import page_check

SECONDS = 60  # after which a victim is taken for hung


def hashes_of(number, count=60):
    """Return a document's hashes: some are common, some rare, and some unique."""
    rng = np.random.default_rng(number)
    few = rng.integers(1_000, 1_000 + 10 * count, count // 3, np.uint64)
    return np.unique(np.r_[np.arange(number % 7, 20, dtype=np.uint64), few, rng.integers(0, 2**63, count, np.uint64)])


def make_database(path, documents, count=60):
    """Make a database with replaced and removed documents, boilerplate, positions, long names, and free pages."""
    numbers = range(documents)
    with fpdb.open(path, "x") as db:
        for start in range(0, documents, max(documents // 5, 1)):
            with db.batch() as batch:
                for number in numbers[start : start + max(documents // 5, 1)]:
                    hashes = hashes_of(number, count)
                    places = np.arange(len(hashes)) if number % 2 else None
                    batch.add_fingerprints(name_of(number), hashes, places, labels={"n": f"{number}"})
        db.add_fingerprints("boilerplate", hashes_of(0)[:4], boilerplate=True)
        for number in numbers[:: max(documents // 9, 1)]:
            db.remove(name_of(number))
        for number in numbers[1 :: max(documents // 9, 1)]:
            db.add_fingerprints(name_of(number), hashes_of(number + 10_000, count))
        assert db.check() == []
    for beside in ("-lock", "-writer", "-merge"):
        os.unlink(path + beside)


def name_of(number):
    return f"essays/{number:05}.txt" if number % 10 else f"{number:05}" * 120


def described(document):
    return repr(document._replace(added=None))


def queries(db):
    """Yield everything that a user may ask, by name."""
    names = [name_of(number) for number in range(0, 40, 3)]
    yield "list", lambda: [described(document) for document in db.documents()]
    yield "list some", lambda: [document.name for document in db.documents("essays/0001*")]
    yield "show", lambda: [described(db.document(name)) for name in names if name in db]
    for number in (10, 25):
        yield f"query {number}", lambda number=number: db.query_fingerprints(hashes_of(number), top=9).to_dict()
    yield "query few", lambda: db.query_fingerprints(hashes_of(3), smallest=5, max_df=9, by="resemblance").to_dict()
    yield "frequencies", lambda: db.frequencies(np.arange(40)).tolist()
    yield "pairs", lambda: [repr(pair) for pair in db.pairs(top=20)]
    yield (
        "info",
        lambda: {
            key: value for key, value in db.info().items() if key not in ("path", "file_bytes", "free_bytes", "readers")
        },
    )


def change(db):
    """Change some documents and the boilerplate."""
    with db.batch() as batch:
        batch.add_fingerprints("essays/new.txt", hashes_of(5_000))
        batch.add_fingerprints(name_of(7), hashes_of(5_001))
    db.remove(name_of(8))
    db.add_fingerprints("more boilerplate", np.arange(6, 9), boilerplate=True)


def use_database(path, writing):
    """Open a database, change it if writing, and query it. Errors other than fpdb's are raised.

    Returns:
        {query: digest of the answer, or the error's name}.
    """
    answers = {}

    def ask(name, question):
        try:
            answer = question()
        except fpdb.Error as error:
            assert str(error)  # noqa: PT017
            answers[name] = f"!{type(error).__name__}"
        else:
            answers[name] = hashlib.sha256(json.dumps(answer).encode()).hexdigest()
        return answers[name]

    def whole():
        with fpdb.open(path, "r+" if writing else "r", timeout=1) as db:
            if not writing or ask("change", lambda: change(db)) == NOTHING:
                for name, question in queries(db):
                    ask(name, question)

    ask("open", whole)
    return answers


NOTHING = hashlib.sha256(b"null").hexdigest()  # what `change` and `whole` answer


class ForkServer:
    """The process that forks."""

    def __init__(self, process):
        self._process = process

    def use(self, path, *, writing=False, trusting=False, user=None):
        """Use a file in a new process; return what `use_database` returns, or the number of the fatal signal.

        Args:
            path: the file.
            writing: True to change the database first.
            trusting: True to skip the check of pages before LMDB reads them.
            user: id of the user that the process becomes first.
        """
        print(json.dumps([os.fspath(path), writing, trusting, user]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


@contextmanager
def fork_server():
    command = [sys.executable, "-m", "tests.stress.fork_server"]
    beside = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": beside}
    ) as process:
        yield ForkServer(process)
        process.stdin.close()


def judge(answers, expected):
    """Return the verdict on a case: "died", "differs", "refused" (when opening), "error", or "same"."""
    if isinstance(answers, int):
        return "died"
    refused = answers.get("open", "").startswith("!")
    if any(not answer.startswith("!") and answer != expected[name] for name, answer in answers.items()):
        return "differs"
    if refused and len(answers) == 1:
        return "refused"
    return "same" if answers == expected else "error"


def _child(out, path, writing, trusting, user):
    import faulthandler

    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # LMDB's last words
    signal.alarm(SECONDS)
    if user is not None:
        os.setuid(user)
    if trusting:
        page_check.find_fault = lambda *_: None
        setattr(key_values, "verify_entry_before", lambda *_: None)  # noqa: B010 (which mypy need not know)
    with os.fdopen(out, "w") as file:
        json.dump(use_database(path, writing), file)


def _serve():
    for line in sys.stdin:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                _child(write, *json.loads(line))
                status = 0
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.__stdout__)
            finally:
                os._exit(status)
        os.close(write)
        with os.fdopen(read) as file:
            answers = file.read()
        status = os.waitpid(child, 0)[1]
        print(os.WTERMSIG(status) or os.waitstatus_to_exitcode(status) if status else answers, flush=True)


if __name__ == "__main__":
    _serve()
