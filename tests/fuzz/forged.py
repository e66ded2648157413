"""Use forged databases: `python -m tests.fuzz.forged [--count N] [--seed S] [--first N] [--show]`.

Each forgery is used in a forked child of limited time and memory, in every way in which a database is used. Nothing but
errors of fpdb may come of it; what `check` calls sound answers by what it holds; and what a forged database is merged
into is sound, and keeps its own documents.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import fpdb
from fpdb.errors import Error
from fpdb.fingerprint import Recipe
from fpdb.storage.environment import files
from fpdb.storage.maintenance.repair import repair
from tests.fuzz.database_image import Image, read_image, write_image
from tests.fuzz.forger import forge

SECONDS = 10
"""Of processor time that all uses of one forgery may take each."""
MEMORY = 200 << 20
"""Bytes that a use may take beside 3 times the file."""
PROSE = "Fourscore and seven years ago our fathers brought forth on this continent a new nation, conceived in liberty. "


def prose(number: int, words: int = 400) -> str:
    """Return a text that shares passages with those of the numbers beside it."""
    rng = random.Random(number // 2)
    return (
        PROSE + " ".join(f"word{rng.randrange(900)}" for _ in range(words)) + f" and {number} ends here so differently."
    )


def make_varied(db: fpdb.Database) -> None:
    """Make several runs, with positions, dead postings, boilerplate, labels, kept texts and long names."""
    rng = np.random.default_rng(1)
    for part in range(4):
        with db.batch() as batch:
            for number in range(40):
                name = f"{part}/{number}" if number else f"{'n' * 600}{part}"
                hashes = np.r_[rng.integers(0, 2**63, 60, np.uint64), rng.integers(0, 300, 40, np.uint64)]
                batch.add_fingerprints(name, hashes, rng.integers(0, 999, 100), labels={"part": str(part)})
        db.add(f"text {part}", prose(part), keep_text=True, source="/nowhere/x")
    db.add_fingerprints("boilerplate", np.arange(5, dtype=np.uint64), boilerplate=True)
    db.add("form", "Fill in this form, sign it, and send it to the office of the society. " * 3, boilerplate=True)
    for number in range(1, 10):
        db.remove(f"2/{number}")


def make_many(db: fpdb.Database) -> None:
    """Make blocks of one hash that very many documents hold, and a few texts."""
    with db.batch() as batch:
        for number in range(4000):
            batch.add_fingerprints(f"{number}", [7, 8 + number % 3, 1000 + number // 2])
    for number in range(4):
        db.add(f"text {number}", prose(number).encode(), keep_text=number < 3)
    for number in range(0, 300, 2):
        db.remove(f"{number}")


def make_texts(db: fpdb.Database) -> None:
    for number in range(24):
        db.add(f"{number}", prose(number), keep_text=number % 3 > 0, labels={"n": f"{number}"}, contact="a@b.org")
    db.remove("5")


SOUND: dict[str, tuple[Recipe, Callable[[fpdb.Database], None]]] = {
    "varied": (Recipe.preset("text"), make_varied),
    "many": (Recipe.preset("text"), make_many),
    "texts": (Recipe.preset("text"), make_texts),
    "narrow": (Recipe.preset("text").with_(hash_bits=32, positions=False), make_texts),
    "koala": (Recipe.preset("koala"), make_texts),
    "sample": (Recipe.preset("sample"), make_texts),
}
"""Sound databases, by name: how each is made."""


def add_own(db: fpdb.Database) -> None:
    """Make the documents of the database that forged ones are merged into."""
    db.add("own", prose(3), keep_text=True)
    db.add_fingerprints("own hashes", np.arange(3, 60, dtype=np.uint64))
    db.add_fingerprints("own form", np.arange(2, dtype=np.uint64), boilerplate=True)


# ---------------------------------------------------------------- uses


def reading(db: fpdb.Database) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield everything that is asked of a database, by name."""
    hashes = np.arange(300, dtype=np.uint64)
    yield "query", lambda: db.query_fingerprints(hashes, top=9).to_dict()
    yield "query all", lambda: db.query_fingerprints(hashes, min=0, max_df=10**9).to_dict()
    yield "query capped", lambda: db.query_fingerprints(hashes, max_df=9, by="resemblance", smallest=5).to_dict()
    yield "query content", lambda: db.query(prose(2), name="2").to_dict()
    yield "regions", lambda: [match.regions for match in db.query(prose(2), regions=True).matches]
    yield "pairs", lambda: list(db.pairs(top=20))
    yield "pairs with regions", lambda: list(db.pairs(top=5, regions=True))
    yield "clusters", lambda: list(db.clusters(keep="longest"))
    yield "drops", lambda: list(db.drop_list(keep="label:part=1"))
    yield "spans", lambda: list(db.spans(top=3))
    yield "explain", lambda: db.explain("text 1", "text 2")
    yield "common", lambda: list(db.common(top=5))
    yield "list", lambda: [document.to_dict() for document in db.documents()]
    yield "list some", lambda: list(db.documents("1*"))
    yield "only boilerplate", db.only_boilerplate
    for name in ("1", "2", "text 2", "n" * 600 + "1", "boilerplate"):
        yield f"show {name[:9]}", lambda name=name: (db.document(name).to_dict(), db.boilerplate_in(name))
        yield f"text {name[:9]}", lambda name=name: (db.text(name), db.original(name))
    yield "frequencies", lambda: db.frequencies(hashes).tolist()
    yield "info", db.info
    yield "export", lambda: db.export(BytesIO(), texts=True)
    yield "report", lambda: report(db)


def report(db: fpdb.Database) -> str:
    """Return a report of what a query and pairs find."""
    page = db.report()
    page.add_answer(db.query(prose(2), regions=True), prose(2))
    page.add_pairs(db.pairs(top=5, regions=True))
    return page.html()


def changing(db: fpdb.Database) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield changes, by name."""
    hashes = np.arange(2, 40, dtype=np.uint64)
    yield "add", lambda: db.add_fingerprints("new", hashes)
    yield "replace", lambda: db.add("2", prose(77))
    yield "replace more", lambda: [db.add_fingerprints(f"{number}/{number}", hashes) for number in range(4)]
    yield "add boilerplate", lambda: db.add_fingerprints("template", hashes[:9], boilerplate=True)
    for name in ("1", "3/3", "n" * 600 + "2", "text 1", "boilerplate", "form"):
        yield f"remove {name[:9]}", lambda name=name: db.remove(name)
    yield "compact", db.compact
    yield "add afterwards", lambda: db.add_fingerprints("newer", hashes)


def contradictions(db: fpdb.Database) -> str | None:
    """Return what a query answers otherwise than the postings say that a sound database holds."""
    held: dict[int, set[int]] = {}
    with db.snapshot() as snapshot:
        for run in snapshot.runs():
            for piece in snapshot.scan(run):
                for hash_, document in zip(piece.hashes.tolist(), piece.document_ids.tolist(), strict=True):
                    held.setdefault(hash_, set()).add(document)
        ids = set(snapshot.catalogue.live_ids().tolist())
        names = {number: snapshot.catalogue.record(number).name.decode("utf-8", "surrogateescape") for number in ids}
        boilerplate = set(snapshot.boilerplate().tolist())
    asked = np.array(sorted({*range(300), *list(held)[:: max(len(held) // 300, 1)]}), np.uint64)
    expected = Counter(
        names[document]
        for hash_ in asked.tolist()
        if hash_ not in boilerplate
        for document in held.get(hash_, set()) & ids
    )
    answer = db.query_fingerprints(asked, min=0, max_df=10**9)
    found = {match.name: match.shared for match in answer.matches}
    return None if found == expected else f"the query finds {len(found)} documents, the postings say {len(expected)}"


class TooLong(BaseException):
    """The time of a use is over."""


class Trial:
    """The uses of one forged file, and what came of each."""

    def __init__(self, folder: Path, recipe: Recipe, send: Callable[..., None]) -> None:
        self.folder, self.recipe, self.send = folder, recipe, send
        self.path = str(folder / "forged.fpdb")
        signal.signal(signal.SIGPROF, self._interrupt)

    @staticmethod
    def _interrupt(*_: object) -> None:
        raise TooLong

    def attempt(self, what: str, use: Callable[[], object]) -> object:
        """Use the file once; report a fault, or what kind of error there was. Return the result, or None."""
        self.send("begin", what)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        result, outcome = None, "done"
        try:
            result = use()
        except Error as error:
            outcome = type(error).__name__
        except BaseException as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.send("fault", what, f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}")
            if os.environ.get("FPDB_SHOW"):
                traceback.print_exc()
            return None
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.send("end", what, outcome)
        return result

    def run(self) -> None:
        self.attempt("read", self._read)
        self.attempt("merge", self._merge)
        for what in ("change", "compact"):
            shutil.copyfile(self.path, self.folder / f"{what}.fpdb")
        self.attempt("change", lambda: self._use_each(self.folder / "change.fpdb", "r+", changing))
        self.attempt("compact", lambda: self._compact(self.folder / "compact.fpdb"))

    def _use_each(self, path: Path, mode: Any, uses: Any) -> None:
        with fpdb.open(path, mode) as db:
            for what, use in uses(db):
                self.attempt(what, use)

    def _read(self) -> None:
        with fpdb.open(self.path, "r") as db:
            for what, use in reading(db):
                self.attempt(what, use)
            self.attempt("several databases", lambda: self._query_several())
            problems = self.attempt("check", db.check)
            if problems == []:
                self.send("sound")
                wrong = self.attempt("compare", lambda: contradictions(db))
                if wrong:
                    self.send("fault", "compare", str(wrong))
        self.attempt("backup", lambda: self._backup())
        self.attempt("repair", lambda: list(repair(self.path, str(self.folder / "repaired.fpdb"), lambda _: False)))

    def _query_several(self) -> None:
        with fpdb.open_all([self.path, self.folder / "own.fpdb"]) as several:
            several.query_fingerprints(np.arange(300), top=9).to_dict()
            several.query_fingerprints(np.arange(300), min=0, max_df=10**9).to_dict()

    def _backup(self) -> None:
        with fpdb.open(self.path, "r") as db:
            db.backup(self.folder / "backup.fpdb")

    def _compact(self, path: Path) -> None:
        with fpdb.open(path, "r+") as db:
            db.compact()
            db.check()

    def _merge(self) -> None:
        for collision in ("skip", "replace"):
            target = self.folder / f"{collision}.fpdb"
            with fpdb.open(target, "x", recipe=self.recipe) as db:
                add_own(db)
                before = own_documents(db)

                def merge(db: fpdb.Database = db, collision: Any = collision) -> None:
                    with fpdb.open(self.path, "r") as forged:
                        db.merge(forged, on_collision=collision)

                self.attempt(f"merge, {collision}", merge)
            with suppress(FileNotFoundError):
                os.unlink(files.lock_path(str(target)))
            self.attempt(f"target, {collision}", lambda target=target, before=before: self._target(target, before))

    def _target(self, path: Path, before: object) -> None:
        try:
            with fpdb.open(path, "r+") as db:
                if problems := db.check():
                    raise AssertionError(f"the target is not sound: {problems[0]}")
                if own_documents(db) != before:
                    raise AssertionError("the target's own documents have changed")
                db.add_fingerprints("later", [1, 2, 3])
                db.compact()
                if problems := db.check():
                    raise AssertionError(f"the target is not sound later: {problems[0]}")
        except Error as error:
            raise AssertionError(f"the target is lost: {error}") from error


def own_documents(db: fpdb.Database) -> object:
    """Return what a database says of the documents of `add_own`."""
    shared = {
        match.name: match.shared for match in db.query_fingerprints(np.arange(30, 60), min=0, max_df=10**9).matches
    }
    return [db.document(name) for name in ("own", "own hashes", "own form")], db.text("own"), shared.get("own hashes")


# ---------------------------------------------------------------- trials


def data_bytes() -> int:
    """Return the bytes of memory of this process that no file holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))


def in_child(work: Callable[[Callable[..., None]], None], memory: int) -> list[list[str]]:
    """Run work(send) in a child of so much memory more than this process has; return what it sends."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        status = 1
        try:
            limit = data_bytes() + memory
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CPU, (30 * SECONDS, 30 * SECONDS))
            work(lambda *words: os.write(write, json.dumps(words).encode() + b"\n") and None)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        messages = [json.loads(line) for line in file.read().splitlines()]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        begun = next((message[1] for message in reversed(messages) if message[0] == "begin"), "")
        messages.append(["fault", begun, f"the process ended with status {status}"])
    return messages


class Forgeries:
    """Sound databases, and trials of forgeries of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._images: dict[str, Image] = {}
        for name, (recipe, make) in SOUND.items():
            path = folder / f"{name}.fpdb"
            with fpdb.open(path, "x", recipe=recipe) as db:
                make(db)
                assert db.check() == []
                assert contradictions(db) is None
                for _, use in reading(db):  # the modules that are imported when needed: here once, for all children
                    with suppress(Error):
                        use()
            self._images[name] = read_image(str(path))
        own = folder / "own.fpdb"
        with fpdb.open(own, "x", recipe=Recipe.preset("text")) as db:
            add_own(db)

    def image(self, name: str) -> Image:
        """Return what a sound database holds."""
        return self._images[name]

    def attempt(self, seed: int, number: int) -> tuple[str, list[list[str]]]:
        """Make and use a forgery; return what was forged, and the messages of its uses."""
        rng = random.Random(f"{seed}/{number}")
        name = rng.choice(list(SOUND))
        image = Image(self.image(name).bodies)
        return f"{name}: {forge(image, rng)}", self.use(name, image)

    def use(self, name: str, image: Image) -> list[list[str]]:
        """Use a forgery of a sound database; return the messages of its uses."""
        folder = self._folder / "trial"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / "forged.fpdb"
        shutil.copyfile(self._folder / f"{name}.fpdb", path)
        shutil.copyfile(self._folder / "own.fpdb", folder / "own.fpdb")
        write_image(image, str(path))
        memory = 3 * path.stat().st_size + MEMORY
        return in_child(lambda send: Trial(folder, SOUND[name][0], send).run(), memory)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.forged")
    parser.add_argument("--count", type=int, default=1000, help="how many forgeries to try [default: 1000]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first one [default: 0]")
    parser.add_argument("--show", action="store_true", help="show tracebacks")
    given = parser.parse_args()
    if given.show:
        os.environ["FPDB_SHOW"] = "1"
    outcomes: Counter[str] = Counter()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        forgeries = Forgeries(Path(folder))
        for number in range(given.first, given.first + given.count):
            forged, messages = forgeries.attempt(given.seed, number)
            for sort, *words in messages:
                if sort == "fault":
                    print(f"{number} ({forged}): {': '.join(words)}", flush=True)
                elif sort == "sound":
                    outcomes["called sound"] += 1
                elif sort == "end" and words[0] in ("read", "check", "merge, skip", "target, skip"):
                    outcomes[": ".join(words)] += 1
            faults += any(message[0] == "fault" for message in messages)
    print(f"{given.count:,} forgeries, {faults} of them with faults; {dict(outcomes)}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
