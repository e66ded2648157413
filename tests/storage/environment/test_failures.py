"""Errors of LMDB and the operating system become errors that say what to do. See tests/stress for every place."""

import errno
import os
import resource
import subprocess
import sys

import lmdb
import pytest

import fpdb
from fpdb.storage.environment import failures


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "make room and try again"),
        (errno.EDQUOT, "make room and try again"),
        (errno.EFBIG, "raise the limit (ulimit -f) and try again"),
        (errno.ENOMEM, "lift the limit (ulimit -v), or make memory free, and try again"),
        (errno.EIO, "look for faults of the disk in the system's log, try again, and run 'fpdb check'"),
        (errno.EACCES, "get permission for it and for the files beside it, and try again"),
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


RAISED = [
    (lmdb.MapFullError("x"), "compact"),
    (lmdb.MapResizedError("x"), "fpdb check"),
    (lmdb.ReadersFullError("x"), "close some"),
    (lmdb.BadTxnError("x"), "open the database anew"),
    (lmdb.TxnFullError("x"), "less at a time"),
    (lmdb.DiskError(f"mdb_txn_commit: {os.strerror(errno.ENOSPC)}"), "make room"),
    (lmdb.Error(f"mdb_txn_commit: {os.strerror(errno.EDQUOT)}"), "make room"),
    (lmdb.Error(f"mdb_txn_commit: {os.strerror(errno.EIO)}"), "faults of the disk"),
    (lmdb.ReadonlyError(f"t: {os.strerror(errno.EACCES)}"), "permission"),
    (lmdb.Error(f"t: {os.strerror(errno.EROFS)}"), "copy it elsewhere"),
    (lmdb.MemoryError(f"t: {os.strerror(errno.ENOMEM)}"), "memory"),
    (lmdb.Error("something else"), "what was committed is safe"),
    *(
        (OSError(number, os.strerror(number)), words)
        for number, words in (
            (errno.ENOSPC, "make room"),
            (errno.EDQUOT, "make room"),
            (errno.EFBIG, "ulimit -f"),
            (errno.EIO, "faults of the disk"),
            (errno.EACCES, "permission"),
            (errno.EPERM, "or copy it"),
            (errno.EROFS, "copy it elsewhere"),
            (errno.EMFILE, "ulimit -n"),
            (errno.ENFILE, "try again"),
            (errno.EBUSY, "what was committed is safe"),
        )
    ),
]


@pytest.mark.parametrize(("error", "words"), RAISED, ids=lambda value: repr(value)[:40])
def test_each_error_says_what_to_do(tmp_path, error, words):
    with pytest.raises(fpdb.StorageFailure) as caught, failures.translated(str(tmp_path / "t.fpdb")):
        raise error
    assert words in str(caught.value)
    assert str(tmp_path / "t.fpdb") in str(caught.value)
    assert caught.value.__cause__ is error


FULL = """
import resource, sys
import numpy as np
import fpdb
with fpdb.open(sys.argv[1]) as db:
    db.add_fingerprints("kept", range(100))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, resource.RLIM_INFINITY))
    try:
        db.add_fingerprints("too much", np.random.default_rng(1).integers(0, 2**63, 200_000, np.uint64))
    except fpdb.StorageFailure as error:
        print(error)
    print(len(db), db.query_fingerprints(range(100)).matches[0].name)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    db.add_fingerprints("then", range(100))
    print(len(db), db.check())
"""


def test_a_file_that_may_not_grow_keeps_what_is_in_it(path):
    command = [sys.executable, "-c", FULL, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert path in said[0]
    assert said[1:] == ["1 kept", "2 []"]
