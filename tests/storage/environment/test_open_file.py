"""A database is opened with its lock file, or without one on a medium that cannot be written to."""

import errno
import os
import subprocess
import sys

import pytest

import fpdb
from fpdb.storage.environment import files, open_file


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
