"""A caller who takes his time with results does not make the file grow; whoever does is told, and is named."""

import logging
import os
import signal

import numpy as np
import pytest

import fpdb
from fpdb import spool
from fpdb.pairs.coverage import BATCH as ALIGNED
from fpdb.storage.environment import environment, readers
from tests.made_up_prose import prose
from tests.storage.processes import hear, running

COMMITS = 300
ITERATED = {
    "documents": lambda db: db.documents(),
    "documents of a pattern": lambda db: db.documents("text*"),
    "pairs": lambda db: db.pairs(),
    "pairs with regions": lambda db: db.pairs(regions=True),
    "pairs by coverage": lambda db: db.pairs(by="coverage"),
    "clusters": lambda db: db.clusters(),
    "drop list": lambda db: db.drop_list(),
    "spans": lambda db: db.spans(),
    "spans of a text": lambda db: db.spans(f"{prose(100, 90)} {prose(7, 50)} {prose(101, 90)}"),
    "common passages": lambda db: db.common(min_df=2),
}


def fill(db):
    with db.batch() as batch:
        for number in range(24):
            text = f"{prose(number, 60)} {prose(number // 2, 80)} {prose(100 + number % 2, 90)}"
            batch.add(f"text {number}", text, keep_text=True)


def change(db, commits):
    """Replace documents, one a commit."""
    hashes = np.random.default_rng(1).integers(0, 2**63, (commits, 40), np.uint64)
    for number in range(commits):
        db.add_fingerprints(f"changing {number % 20}", hashes[number])


def test_no_iterator_holds_pages_nor_sees_later_commits(tmp_path, monkeypatch):
    """All that the library iterates over, half read, beside many commits: it is of the commit that the first was of."""
    monkeypatch.setattr(spool, "BATCH", 2)
    assert ALIGNED > 24 * 24 // 2
    with fpdb.open(tmp_path / "read.fpdb") as db, fpdb.open(tmp_path / "alone.fpdb") as alone:
        fill(db)
        fill(alone)
        expected = {name: list(map(repr, start(db))) for name, start in ITERATED.items()}
        iterators = {name: start(db) for name, start in ITERATED.items()}
        begun = {name: [next(iterator)] for name, iterator in iterators.items()}
        assert db.info()["readers"] == []
        change(db, COMMITS)
        change(alone, COMMITS)
        assert os.path.getsize(db.path) < 1.5 * os.path.getsize(alone.path)
        for name, iterator in iterators.items():
            found = list(map(repr, [*begun[name], *iterator]))
            assert len(found) > 1, name
            assert found == expected[name], name
        assert len(list(db.documents())) == 44
        assert db.check() == alone.check() == []


@pytest.mark.parametrize("elsewhere", [False, True])
def test_who_holds_pages_is_named_once(path, caplog, monkeypatch, elsewhere):
    for name in ("LOOK_BYTES", "TOLERATED_BYTES"):
        monkeypatch.setattr(environment if name == "LOOK_BYTES" else readers, name, 1 << 16)
    with fpdb.open(path) as db:
        fill(db)
        change(db, 50)
        assert caplog.records == []
        if elsewhere:
            with running("with fpdb.open(path, 'r') as db, db.snapshot():\n    say('reading'); input()", path) as other:
                assert hear(other) == "reading"
                pid = other.pid
                change(db, COMMITS // 2)
                (reader,) = db.info()["readers"]
        else:
            with db.snapshot():
                pid = os.getpid()
                change(db, COMMITS // 2)
                (reader,) = db.info()["readers"]
        (record,) = caplog.records
        assert (record.name, record.levelno) == ("fpdb", logging.WARNING)
        assert f"process {pid} (python" in record.getMessage()
        assert (reader["pid"], reader["commits_behind"] >= COMMITS // 2) == (pid, True)
        assert reader["command"].startswith("python")
        info = db.info()
        assert info["readers"] == []
        assert info["file_bytes"] / 2 < info["free_bytes"] < info["file_bytes"]
        db.compact()
        assert db.info()["free_bytes"] < info["free_bytes"] / 4
        assert db.check() == []


def test_removed_documents_are_no_readers(path, caplog, monkeypatch):
    """Much of a file may be free without anybody who holds it."""
    monkeypatch.setattr(environment, "LOOK_BYTES", 1 << 16)
    monkeypatch.setattr(readers, "TOLERATED_BYTES", 1 << 16)
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number in range(2000):
                batch.add_fingerprints(f"{number}", np.arange(number, number + 50, dtype=np.uint64) * 2**40)
        with db.batch() as batch:
            for number in range(1990):
                batch.remove(f"{number}")
        change(db, 100)
        assert caplog.records == []
        assert db.check() == []


READ_AND_HOLD = """
with fpdb.open(path, "r") as db, db._store.snapshot() as view:
    say("reading")
    hear()
"""


def test_an_open_writer_forgets_readers_that_died(path):
    """Their snapshots would keep all pages freed since from being used again."""
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        with running(READ_AND_HOLD, path) as reader:
            assert hear(reader) == "reading"
            reader.send_signal(signal.SIGKILL)
            reader.wait()
        db.add_fingerprints("b", [1])
        with db._store.env._used() as file:
            assert file.env.reader_check() == 0  # none is left to forget
        assert db.check() == []
