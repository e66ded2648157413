"""Read a database that this process cannot lock, while another process commits to it without end.

    python -m tests.stress.unlocked_readers PATH SECONDS USER

Each command and call runs in a forked child, in turn with `--immutable` and without it, and as the user of this number.
The last line is a JSON object: how often each outcome came. Each commit of `write` replaces some documents, so that
whatever is answered tells of which commit it is, and must be of that one as a whole.
"""

import faulthandler
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import redirect_stdout, suppress
from io import StringIO
from itertools import count
from pathlib import Path

import numpy as np

import fpdb
from fpdb.cli import main
from fpdb.cli.program import cli
from fpdb.storage.environment import page_check

DOCUMENTS, TURN = 200, 40
"""How many documents there are, and after how many commits each of them has been replaced."""
SIZES = 41
CONSTANT = " ".join(f"word {number} of the document that nobody replaces," for number in range(60))
ERRORS = {
    "refused": "cannot be read beside a process that writes to it",
    "changed": "was written to while it was open as immutable",
    "ended": "ended the process that read the database: it was written to while it was open as immutable",
}
"""Errors that may come of it, and the words that tell them."""
ALL = np.arange(DOCUMENTS * 1_000, dtype=np.uint64)


def version(document, commit):
    """Return the commit, up to this one, that put a document in its place last."""
    return commit - (commit - document) % TURN


def size(document, commit):
    """Return the hashes that a document has after a commit."""
    return 20 + version(document, commit) % SIZES


def start_of(document):
    """Return a document's first hash: documents 2n and 2n + 1 begin with the same hashes."""
    return document // 2 * 1_000


def put(batch, document, commit):
    hashes = start_of(document) + np.arange(size(document, commit))
    labels = {"version": f"{version(document, commit)}"}
    batch.add_fingerprints(f"{document}", hashes, labels=labels)


def create(path):
    """Make the database as after commit TURN."""
    with fpdb.open(path, "x") as db, db.batch() as batch:
        batch.add("constant", CONSTANT)
        for document in range(DOCUMENTS):
            put(batch, document, TURN)


def write(db, commit):
    """Replace the documents whose turn it is."""
    with db.batch() as batch:
        for document in range(commit % TURN, DOCUMENTS, TURN):
            put(batch, document, commit)
    if commit % 200 == 0:
        db.compact()


# ---------------------------------------------------------------- what is asked, and what is right


def versions_fit(labels):
    """Return True if these versions of the documents are those after one commit. labels: of each, by name."""
    commit = max(int(each["version"]) for each in labels.values())
    return labels == {f"{document}": {"version": f"{version(document, commit)}"} for document in range(DOCUMENTS)}


def sizes_fit(sizes):
    """Return True if a mapping of names to numbers of hashes is that after one of the commits."""
    return any(
        all(sizes.get(f"{document}") == size(document, commit) for document in range(DOCUMENTS))
        for commit in range(TURN, TURN + TURN * SIZES)
    )


def listed(output):
    rows = [json.loads(line) for line in output.splitlines()]
    return versions_fit({row["name"]: row["labels"] for row in rows if row["name"] != "constant"})


def constant_found(output):
    (match,) = json.loads(output)["matches"]
    return (match["name"], match["containment"]) == ("constant", 1.0)


COMMANDS = {
    "list": (["list", "--format", "json"], listed),
    "query": (["query", "constant.txt", "--format", "json"], constant_found),
    "info": (["info", "--format", "json"], lambda output: json.loads(output)["documents"] == DOCUMENTS + 1),
    "show": (["show", "constant", "--format", "json"], lambda output: json.loads(output)["name"] == "constant"),
    "check": (["check"], lambda output: "sound" in output),
    "pairs": (["pairs", "--format", "json"], lambda output: len(output.splitlines()) == DOCUMENTS // 2),
}
"""Commands of the program, and what tells that their output is right."""
OWN_PROCESS = ("check",)
"""Those that start an interpreter, which another user may have no access to."""


def query(db, _):
    answer = db.query_fingerprints(ALL)
    return sizes_fit({match.name: match.shared for match in answer.matches}) and len(answer.matches) == DOCUMENTS


def list_slowly(db, path):
    """List the documents while commits are made."""
    return labels_fit(((document.name, document.labels) for document in db.documents()), path)


def snapshot_slowly(db, path):
    """Read records from one snapshot while commits are made."""
    with db.snapshot() as snapshot:
        records = (record for _, record in snapshot.catalogue.records())
        return labels_fit(((record.name.decode(), record.labels) for record in records), path)


def labels_fit(documents, path):
    """Return True if the labels of documents are those of one commit, read while others are made."""
    labels = {}
    for number, (name, own) in enumerate(documents):
        labels[name] = dict(own)
        if number % 50 == 25:
            await_commit(path)
    labels.pop("constant")
    return versions_fit(labels)


def backup(db, _):
    with tempfile.TemporaryDirectory() as folder:
        db.backup(f"{folder}/copy.fpdb")
        with fpdb.open(f"{folder}/copy.fpdb", "r") as copy:
            return copy.check() == [] and query(copy, None)


CALLS = {"query in Python": query, "slow list": list_slowly, "slow snapshot": snapshot_slowly, "backup": backup}


def await_commit(path):
    """Wait for the writer's next commit."""
    before, deadline = page_check.last_transaction(path), time.monotonic() + 5
    while page_check.last_transaction(path) == before and time.monotonic() < deadline:
        time.sleep(0.001)


# ---------------------------------------------------------------- children


def of_error(said):
    """Return what to call an error, by what it says, in one line; LMDB's own last words may precede it."""
    *before, last = said.splitlines() or [""]
    kinds = [name for name, words in ERRORS.items() if words in last]
    return kinds[0] if kinds and all("Assertion" in line for line in before) else f"OTHER: {said[-600:]}"


def run_command(path, options, name):
    """Run a command of the program; return its outcome."""
    arguments, is_right = COMMANDS[name]
    child = os.fork()
    if not child:
        status = 99
        try:
            for descriptor, file in ((1, "out"), (2, "err")):
                os.dup2(os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), descriptor)
            sys.argv = ["fpdb", *options, "--db", path, *arguments]
            main()
        except SystemExit as ended:
            sys.stdout.flush()
            status = ended.code or 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    output = Path("out").read_text()
    if status == 0:
        return "right" if is_right(output) else f"WRONG: {output[-600:]}"
    return f"DIED of signal {-status}" if status < 0 else of_error(Path("err").read_text().strip() or output)


def run_call(path, options, name):
    """Open the database and call a function of it; return the outcome."""
    try:
        with fpdb.open(path, "r", immutable=bool(options)) as db:
            return "right" if CALLS[name](db, path) else "WRONG"
    except fpdb.Error as error:
        return of_error(str(error))


def in_child(user, work, *arguments):
    """Return what a function returns in a forked child, as a user, or what became of the child."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        faulthandler.disable()
        signal.alarm(120)
        with suppress(BaseException):
            outcome = "OTHER: nothing"
            os.setresuid(user, user, user)
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                Path("constant.txt").write_text(CONSTANT)
                try:
                    outcome = work(*arguments)
                except BaseException:
                    outcome = f"OTHER: {traceback.format_exc()[-1500:]}"
            os.write(write, outcome.encode()[-4_000:])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        outcome = file.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"DIED of signal {-status}" if status else outcome


def import_all():
    """Import what commands and calls need, by running them: another user may have no access to the interpreter."""
    Path("constant.txt").write_text(CONSTANT)
    create("t.fpdb")
    assert run_call("t.fpdb", [], "backup") == "right"
    for name, (arguments, is_right) in COMMANDS.items():
        with redirect_stdout(StringIO()) as output:
            cli.main(["--db", "t.fpdb", *arguments], standalone_mode=False)
        assert is_right(output.getvalue()), name


def read(path, seconds, user):
    """Run commands and calls until the time is over, and each at least once; return how often each outcome came."""
    outcomes, until = Counter(), time.monotonic() + seconds
    names = [name for name in COMMANDS if user == os.getuid() or name not in OWN_PROCESS]
    uses = [*((run_command, name) for name in names), *((run_call, name) for name in CALLS)]
    for number in count():
        for options in ([], ["--immutable"]):
            for work, name in uses:
                if number and time.monotonic() > until:
                    return outcomes
                outcome = in_child(user, work, path, options, name)
                outcomes[f"{' '.join([*options, name])}: {outcome}"] += 1
    raise AssertionError


def read_as_told():
    path, seconds, user = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        import_all()
        os.chdir("/")
    print(json.dumps(read(path, float(seconds), int(user))))


if __name__ == "__main__":
    read_as_told()
