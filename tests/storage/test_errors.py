"""What LMDB and the operating system refuse becomes an error that says what to do, and costs nothing committed."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.environment import failures
from fpdb.storage.maintenance import copies
from fpdb.storage.records import Record, pack_records, unpack_rows

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


READ_ONLY = """
mount -t tmpfs none "$1" && cp "$2" "$1/bare.fpdb" && cp "$2" "$1/with.fpdb" && : > "$1/with.fpdb-lock" &&
mount -o remount,ro "$1" && exec "$3" -c "$4" "$1"
"""
READER = """
import os, sys
import fpdb
for name in ("bare.fpdb", "with.fpdb"):
    path = os.path.join(sys.argv[1], name)
    with fpdb.open(path, "r") as db:
        print(len(db), db.check(), len(db.query_fingerprints([1]).matches))
    print(fpdb.check(path).sound)
    for change in (lambda: fpdb.open(path), lambda: fpdb.repair(path, path + ".new")):
        try:
            change()
        except fpdb.StorageFailure as error:
            print("copy it elsewhere" in str(error))
"""


def test_a_database_on_a_read_only_medium_can_be_read(tmp_path):
    source, medium = tmp_path / "t.fpdb", tmp_path / "medium"
    medium.mkdir()
    with fpdb.open(source) as db:
        db.add_fingerprints("a", [1])
    spaces = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*spaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody mount anything")
    command = [*spaces, "sh", "-c", READ_ONLY, "sh", medium, source, sys.executable, READER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["1 [] 1", "True", "True", "True"] * 2
    assert list(medium.iterdir()) == []


def test_a_copy_that_is_not_sound_gets_no_name(path, tmp_path, monkeypatch):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        before = Path(path).read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(copies, "verify", lambda *_, **__: iter(["something is wrong"]))
            for change in (lambda: db.backup(tmp_path / "copy"), db.compact):
                with pytest.raises(fpdb.Corrupt, match="something is wrong"):
                    change()
        assert Path(path).read_bytes() == before
        db.backup(tmp_path / "copy")
        db.compact()
        assert db.check() == []
    assert not [name for name in os.listdir(tmp_path) if name.endswith((".backup", ".compact"))]


def test_records_are_not_called_malformed_for_want_of_memory() -> None:
    """Out of memory, zlib raises an error of its own."""
    allocations = pytest.importorskip("_testcapi", reason="this Python comes without _testcapi")
    labels = {"a": os.urandom(40_000).hex()}  # more than zlib gives out at once: it makes a window then
    records = [Record(b"a", "text", bytes(file_format.DIGEST_BYTES), 1, 1, 1, 1, 1, labels=labels)] * 8
    key = file_format.id_key(1)
    value = pack_records(key, records, 1)
    raised = set()
    for nth in range(1, 150):
        allocations.set_nomemory(nth, nth + 1)
        try:
            unpack_rows(key, value)
        except Exception as error:
            allocations.remove_mem_hooks()
            raised.add(type(error))
        finally:
            allocations.remove_mem_hooks()
    assert raised == {MemoryError}
