"""What fails below fpdb: the error says what to do, and the open database goes on. See tests/stress for every place."""

import errno
import os
import resource
from pathlib import Path

import lmdb
import numpy as np
import pytest

import fpdb
from fpdb.storage.environment import failures, files, open_file, page_check
from fpdb.storage.environment._page_check import PAGE


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "make room and try again"),
        (errno.EDQUOT, "make room and try again"),
        (errno.EFBIG, "raise the limit (ulimit -f) and try again"),
        (errno.ENOMEM, "lift the limit (ulimit -v), or make memory free, and try again"),
        (errno.EIO, "look for faults of the disk in the system's log, try again, and run 'fpdb check'"),
        (errno.EACCES, "or let there be no lock file, and try again"),
        (errno.EBUSY, "see to that, and try again"),
    ],
)
def test_each_failure_says_what_to_do(path, number, advice):
    def fail(error):
        with failures.translated(path):
            raise error

    for error in (OSError(number, os.strerror(number)), lmdb.Error(f"mdb_txn_commit: {os.strerror(number)}")):
        with pytest.raises(fpdb.StorageFailure, match="what was committed is safe") as caught:
            fail(error)
        message = str(caught.value)
        assert message.endswith(advice)
        assert message.count(os.strerror(number)) == 1
        assert "mdb_" not in message


class Failing:
    """An LMDB environment of which a commit has failed at the meta page: LMDB refuses everything from then on."""

    def __init__(self, env):
        self.env = env

    def begin(self, **_):
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC: Update of meta page failed or environment had fatal error")

    def __getattr__(self, name):
        return getattr(self.env, name)


def test_a_database_goes_on_after_a_failed_write(db):
    db.add_fingerprints("a", [1, 2])
    file = db._store.env._file
    file.env = Failing(file.env)
    with pytest.raises(fpdb.StorageFailure, match="try again"):
        len(db)
    assert len(db) == 1
    assert db.add_fingerprints("b", [1]) == "added"


def test_reads_that_go_on_are_in_the_way_of_going_on(db):
    for name in "abc":
        db.add_fingerprints(name, [1, 2])
    reading = db.documents()
    next(reading)
    file = db._store.env._file
    file.failed = True
    with pytest.raises(fpdb.StorageFailure, match="end the reads"):
        len(db)
    assert len(list(reading)) == 2
    assert len(db) == 3


def number(data, meta):
    """Return the commit of a meta page."""
    return int.from_bytes(data[PAGE * meta + 144 :][:8], "little")


def names(path):
    with fpdb.open(path, "r") as db:
        return [document.name for document in db.documents()]


@pytest.mark.parametrize("overwritten", [False, True])
def test_a_commit_that_failed_at_its_meta_page_never_was(path, rng, overwritten):
    """LMDB puts the last page and the number back, not the roots; the next commit, killed, may write over its pages."""
    with fpdb.open(path) as db:
        for name in "abc":
            db.add_fingerprints(name, rng.integers(0, 2**64, 50, np.uint64))
    before = Path(path).read_bytes()
    with fpdb.open(path) as db:
        db.add_fingerprints("d", rng.integers(0, 2**64, 50, np.uint64))
    data = bytearray(Path(path).read_bytes())
    meta = number(data, 1) > number(data, 0)
    back = slice(PAGE * meta + 136, PAGE * meta + 152)
    data[back] = before[back]
    Path(path).write_bytes(data)
    with pytest.raises(fpdb.Corrupt, match="its pages say"):
        fpdb.open(path, "r")
    page_check.clear_failed_meta(path)
    page_check.clear_failed_meta(path)
    if overwritten:
        data = bytearray(Path(path).read_bytes())
        for start in range(2 * PAGE, len(data), PAGE):
            if data[start : start + PAGE] != before[start : start + PAGE]:
                data[start : start + PAGE] = rng.bytes(PAGE)
        Path(path).write_bytes(data)
    assert names(path) == ["a", "b", "c"]
    with fpdb.open(path) as db:
        assert db.check() == []
        db.add_fingerprints("e", [1])
        assert db.check() == []
    assert names(path) == ["a", "b", "c", "e"]


def test_no_commit_passes_for_another_when_a_bit_of_its_number_flips(path, tmp_path, rng, monkeypatch):
    monkeypatch.setattr(page_check, "TRIES", 1)  # nobody else is at work
    damaged = tmp_path / "damaged.fpdb"
    for step in range(8):
        with fpdb.open(path) as db:
            db.add_fingerprints(f"{step}", rng.integers(0, 2**64, 50, np.uint64))
        data, expected = Path(path).read_bytes(), names(path)
        for bit in range(64):
            for meta in (0, 1):
                flipped = bytearray(data)
                flipped[PAGE * meta + 144 + bit // 8] ^= 1 << bit % 8
                damaged.write_bytes(flipped)
                try:
                    assert names(damaged) == expected
                except (fpdb.Corrupt, fpdb.NotADatabase):
                    continue


def test_a_failing_lock_file_is_a_storage_failure(db, monkeypatch):
    plain = os.open

    def refusing(name, *options, **more):
        if str(name).endswith(("-writer", "-merge")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        return plain(name, *options, **more)

    monkeypatch.setattr(os, "open", refusing)
    for change in (lambda: db.add_fingerprints("a", [1]), db.compact, db.check):
        with pytest.raises(fpdb.StorageFailure, match="make room"):
            change()
    monkeypatch.undo()
    assert db.add_fingerprints("a", [1]) == "added"


def test_what_is_said_of_the_writer_may_find_no_room(db, monkeypatch):
    """A full disk does not keep anyone from removing documents or merging in the pages that are there."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr(os, "truncate", full)
    assert db.add_fingerprints("a", [1]) == "added"
    db.compact()
    db.remove("a")


def blocks(path):
    return os.stat(files.lock_path(path)).st_blocks * 512


def test_the_lock_file_has_all_its_blocks(path):
    """LMDB writes to it through a map, where a full disk would be a SIGBUS."""
    fpdb.open(path).close()
    for mode in ("r", "r+"):
        for plant in (os.unlink, lambda name: os.truncate(name, 0), lambda _: None):
            plant(files.lock_path(path))
            with fpdb.open(path, mode) as db:
                assert blocks(path) >= open_file.LOCK_BYTES == os.stat(files.lock_path(path)).st_size
                db.backup(f"{path}.copy")
            os.unlink(f"{path}.copy")
    with fpdb.open(path) as db:
        db.compact()
        assert len(db) == 0
        assert blocks(path) >= open_file.LOCK_BYTES


def test_no_room_for_the_lock_file_is_said(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    fpdb.open(path).close()
    os.unlink(files.lock_path(path))
    with monkeypatch.context() as patched:
        patched.setattr(os, "posix_fallocate", full)
        for mode in ("r", "r+"):
            with pytest.raises(fpdb.StorageFailure, match="make room"):
                fpdb.open(path, mode)
    with fpdb.open(path, "r") as db:
        assert db.check() == []


def test_a_file_that_may_not_grow(path, rng):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path) + 5_000, before[1]))
        try:
            with pytest.raises(fpdb.StorageFailure, match="ulimit -f"):
                db.add_fingerprints("b", rng.integers(0, 2**63, 100_000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert "b" not in db
        assert db.add_fingerprints("b", [2]) == "added"
        assert db.check() == []
