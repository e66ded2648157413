"""Several processes and threads on one file: nobody loses anything, everybody sees whole commits."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fpdb
from fpdb.storage.runs import merge, merge_policy, writer
from fpdb.storage.runs.blocks import stored_runs
from tests.storage.environment.closed_databases import read_slowly
from tests.storage.processes import hear, running, tell

ADD = """
db = fpdb.open(path, timeout=60)
say("open")
hear()
small_merges()
for number in range(100):
    db.add_fingerprints(f"{arguments[0]} {number}", hashes_of(number))
say("done")
"""


def test_two_processes_that_add_at_once_lose_nothing(path):
    fpdb.open(path).close()
    with running(ADD, path, "x") as first, running(ADD, path, "y") as second:
        for process in (first, second):
            assert hear(process) == "open"
        for process in (first, second):
            tell(process)
        for process in (first, second):
            assert hear(process) == "done"
    with fpdb.open(path) as db:
        assert {document.name for document in db.documents()} == {f"{p} {n}" for p in "xy" for n in range(100)}
        assert db.info()["postings"] == 200 * 60
        assert db.check() == []


GROW = """
small_merges()
with fpdb.open(path, timeout=60) as db:
    for size in range(1, 150):
        with db.batch() as batch:
            for name in "abc":
                batch.add_fingerprints(name, np.arange(size, dtype=np.uint64), labels={"size": str(size)})
        if size == 1:
            say("ready")
        if size % 50 == 0:
            db.compact()
say("done")
"""


def test_readers_see_whole_commits(path):
    """The writer replaces three documents by longer ones, and compacts; no reader ever sees two lengths."""
    fpdb.open(path).close()
    everything = np.arange(200, dtype=np.uint64)

    def read(db):
        largest = 0
        while largest < 149:
            matches = db.query_fingerprints(everything).matches
            described = list(db.documents())
            assert [match.name for match in matches] == ["a", "b", "c"]
            assert len({match.shared for match in matches}) == 1
            assert {match.reverse_containment for match in matches} == {1}
            assert len({document.hashes for document in described}) == 1
            assert {document.labels["size"] for document in described} == {str(described[0].hashes)}
            assert matches[0].shared <= described[0].hashes
            assert largest <= matches[0].shared
            largest = matches[0].shared

    with running(GROW, path) as writer, fpdb.open(path, "r") as db, ThreadPoolExecutor() as pool:
        assert hear(writer) == "ready"
        for each in [pool.submit(read, db) for _ in range(2)]:
            each.result()
        assert hear(writer) == "done"
        assert db.check() == []


FOLLOW = """
db = fpdb.open(path)
say(len(db.query_fingerprints(hashes_of(0)).matches))
while hear() == "more":
    number = len(db)
    db.add_fingerprints(f"{number}", hashes_of(number))
    say(*sorted(match.name for n in range(number + 1) for match in db.query_fingerprints(hashes_of(n)).matches))
assert db.check() == [], db.check()
say("sound")
"""


def test_other_processes_follow_compact(path, rng):
    """A document added after another process has compacted lands in the new file, and old fences are forgotten."""
    with fpdb.open(path) as db:
        db.add_fingerprints("0", np.random.default_rng(0).integers(0, 2**63, 60, np.uint64))
        with running(FOLLOW, path) as other:
            assert hear(other) == "1"
            for number in range(1, 8):
                db.add_fingerprints("big", rng.integers(0, 2**63, 3_000, np.uint64))
                db.compact()
                db.remove("big")
                db.compact()
                tell(other, "more")
                assert hear(other) == " ".join(str(n) for n in range(number + 1))
                assert len(db) == number + 1
            tell(other)
            assert hear(other) == "sound"
        assert db.check() == []


COMPACT = """
with fpdb.open(path) as db:
    db.add_fingerprints("filling", hashes_of(9, 3_000))
    db.compact()
say("compacted")
"""


def test_a_batch_outlives_a_compact(path):
    """The batch reads the old file to its end and commits to the new one, whose runs have the same numbers."""
    with fpdb.open(path) as db:
        db.add_fingerprints("a", np.arange(100, dtype=np.uint64))
        db.add_fingerprints("x", [1], boilerplate=True)
        db.compact()
        db.query_fingerprints([1, 2])
        names = read_slowly(db)
        assert next(names) == "a"
        with db.batch() as batch:
            with running(COMPACT, path) as other:
                assert hear(other) == "compacted"
            assert len(db) == 2  # follows at once, while the batch has the old file
            assert batch.add_fingerprints("a", np.arange(100, dtype=np.uint64)) == "unchanged"
            batch.add_fingerprints("y", np.arange(50, dtype=np.uint64), boilerplate=True)
            batch.add_fingerprints("b", np.arange(100, dtype=np.uint64))
        assert list(names) == ["x"]
        answer = db.query_fingerprints(np.arange(200, dtype=np.uint64))
        assert [(match.name, match.shared, match.reverse_containment) for match in answer.matches] == [
            ("a", 50, 1),
            ("b", 50, 1),
        ]
        assert db.check() == []


def test_threads_read_while_others_write_and_compact(path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SMALLEST", 16)
    monkeypatch.setattr(merge_policy, "AT_ONCE", 300)
    shared = np.arange(100, dtype=np.uint64)
    done = threading.Event()

    def write(db):
        try:
            for number in range(60):
                db.add_fingerprints(f"{number}", np.r_[shared, np.uint64(1_000 + number)])
                db.add_fingerprints("x", [number], boilerplate=True)
                if number % 10 == 9:
                    db.compact()
                if number % 3 == 2:
                    db.remove(f"{number}")
        finally:
            done.set()

    def read(db):
        rounds = 0
        while not done.is_set() or not rounds:
            answer = db.query_fingerprints(shared)
            discarded = answer.query.ignored_boilerplate
            assert discarded <= 1
            assert {match.shared for match in answer.matches} <= {100 - discarded}
            assert {match.containment for match in answer.matches} <= {1}
            names = [document.name for document in db.documents()]
            assert len(names) == len(set(names))
            rounds += 1

    with fpdb.open(path) as db, ThreadPoolExecutor() as pool:
        for each in [pool.submit(write, db), *(pool.submit(read, db) for _ in range(3))]:
            each.result()
        assert len(db) == 40
        assert db.check() == []


@pytest.mark.parametrize("meanwhile", ["a long document", "a short document", "a removal", "a removal of the rest"])
def test_a_merge_bears_what_is_committed_meanwhile(path, monkeypatch, rng, meanwhile):
    """A run that is mostly dead is being rewritten when a commit swallows it, or kills more of it."""
    monkeypatch.setattr(merge_policy, "SMALLEST", 16)
    monkeypatch.setattr(merge, "PIECE", 100)
    monkeypatch.setattr(writer, "POSTINGS_PER_TRANSACTION", 100)
    pending, merge_postings = [meanwhile], merge.merge_postings

    def commit(what):
        if what == "a removal":
            db.remove("1")
        elif what == "a removal of the rest":
            db.remove("1")
            db.remove("2")
        else:
            db.add_fingerprints("new", rng.integers(0, 2**63, 2_000 if what == "a long document" else 20, np.uint64))

    def merge_and_commit(*arguments):
        for number, piece in enumerate(merge_postings(*arguments)):
            if number and pending:
                with ThreadPoolExecutor() as pool:
                    pool.submit(commit, pending.pop()).result()
            yield piece

    with fpdb.open(path) as db:
        with db.batch() as batch:
            for name in "0123":
                batch.add_fingerprints(name, np.arange(ord(name), ord(name) + 100, dtype=np.uint64))
        db.remove("3")
        monkeypatch.setattr(merge, "merge_postings", merge_and_commit)
        db.remove("0")
        assert not pending
        assert db.check() == []
        left = {"1", "2"} - {"a removal": {"1"}, "a removal of the rest": {"1", "2"}}.get(meanwhile, set())
        assert {match.name for match in db.query_fingerprints(np.arange(300, dtype=np.uint64)).matches} == left
        assert db.info()["dead_postings"] * merge_policy.MOSTLY_DEAD <= db.info()["postings"]
        assert not unlisted(db)


# ---------------------------------------------------------------- kill -9

DIE = """
import contextlib
small_merges()
count, fatal, when = 0, int(arguments[0]), arguments[1]
plain = environment.Environment.write

def die():
    os.kill(os.getpid(), signal.SIGKILL)

@contextlib.contextmanager
def write(self):
    global count
    count += 1
    with plain(self) as opened:
        yield opened
        if (count, when) == (fatal, "before"):
            die()
    if (count, when) == (fatal, "after"):
        die()

environment.Environment.write = write
"""

ADD_AND_DIE = (
    DIE
    + """
small_merges()
with fpdb.open(path) as db:
    start = int(arguments[2])
    for number in range(start, start + 1_000):
        db.add_fingerprints(f"{number}", hashes_of(number, 300))
        if number % 3 == 0:
            db.remove(f"{number}")
        say(number)
"""
)


def unlisted(db):
    """Return the runs whose blocks are in the file, but which are not listed."""
    with db._store.snapshot() as view:
        return set(stored_runs(view.blocks)) - {run.number for run in view.state.runs}


def test_kill_9_loses_nothing_that_was_acknowledged(path):
    """Twelve times, a process dies just before or just after one of its commits, most of them inside big merges."""
    fpdb.open(path).close()
    next_number, swept = 0, 0
    kept = set()
    for kill in range(12):
        fatal, when = 2 + 3 * kill, ("before", "after")[kill % 2]
        with running(ADD_AND_DIE, path, fatal, when, next_number) as process:
            while said := hear(process):
                if int(said) % 3:
                    kept.add(said)
                next_number = int(said) + 1
            assert process.wait() == -signal.SIGKILL
        with fpdb.open(path) as db:
            assert db.check() == []
            names = {document.name for document in db.documents()}
            assert kept <= names <= kept | {str(next_number)}
            left = unlisted(db)
            swept += len(left)
            db.add_fingerprints("sweeper", [kill])
            assert not unlisted(db)
            assert db.check() == []
            kept = names | {"sweeper"}
            next_number += 1
    assert swept > 0  # some died inside a merge


COMPACT_AND_DIE = (
    DIE
    + """
sync, rename, unlink = files.sync, os.rename, os.unlink
step = 0

def dying(call):
    def wrapped(*given):
        global step
        step += 1
        if when == "step" and step == fatal:
            die()
        return call(*given)
    return wrapped

with fpdb.open(path) as db:
    files.sync, os.rename, os.unlink = dying(sync), dying(rename), dying(unlink)
    db.compact()
say("survived")
"""
)


def test_kill_9_leaves_the_file_as_it_was_or_compacted(path, tmp_path, rng):
    with fpdb.open(path) as db:
        for number in range(30):
            db.add_fingerprints(f"{number}", rng.integers(0, 2**63, 100, np.uint64), boilerplate=number % 9 == 0)
    points = [
        *((fatal, when) for fatal in (1, 4) for when in ("before", "after")),
        *((step, "step") for step in range(1, 11)),
    ]
    survived = 0
    for fatal, when in points:
        with running(COMPACT_AND_DIE, path, fatal, when) as process:
            survived += hear(process) == "survived"
            process.wait()
        with fpdb.open(path) as db:
            assert len(db) == 26
            assert db.check() == []
            assert db.add_fingerprints("new", [fatal]) in ("added", "replaced")
            db.remove("new")
            assert not [name for name in os.listdir(tmp_path) if "compact" in name]
    assert survived < len(points) / 2
