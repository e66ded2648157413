"""A database is opened with its lock file, or without one if nobody writes to it."""

import errno
import os
import shutil
import subprocess
import sys
from contextlib import closing

import pytest

import fpdb
from fpdb.storage.environment import files
from fpdb.storage.environment.lock_files import READERS_BYTES
from fpdb.storage.environment.open_file import Access, open_file
from tests.storage.environment.closed_databases import make, read_slowly
from tests.storage.environment.mounts import in_own_mounts
from tests.storage.processes import hear, run_in_child, running


def blocks(path):
    return os.stat(files.lock_path(path)).st_blocks * 512


def test_the_lock_file_has_all_its_blocks(path):
    """LMDB writes to it through a map, where a full disk would be a SIGBUS."""
    fpdb.open(path).close()
    for mode in ("r", "r+"):
        for plant in (os.unlink, lambda name: os.truncate(name, 0), lambda _: None):
            plant(files.lock_path(path))
            with fpdb.open(path, mode) as db:
                assert blocks(path) >= READERS_BYTES == os.stat(files.lock_path(path)).st_size
                db.backup(f"{path}.copy")
            os.unlink(f"{path}.copy")
    with fpdb.open(path) as db:
        db.compact()
        assert len(db) == 0
        assert blocks(path) >= READERS_BYTES


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


def test_a_file_that_grows_while_it_is_looked_at_is_the_same(path, monkeypatch):
    """A thread that commits notes the new size, when another one has just asked for the file's."""
    fpdb.open(path).close()
    file, look = open_file(path, 1, Access(readonly=True, timeout=1)), os.stat

    def look_and_grow(name):
        status = look(name)
        if name == path:
            file.size += 4096
            os.truncate(path, file.size)
        return status

    with closing(file.env), monkeypatch.context() as patched:
        patched.setattr(os, "stat", look_and_grow)
        assert file.is_usable(path)
        assert look(path).st_size == file.size
    os.truncate(path, file.size - 4096)
    assert not file.is_usable(path)
    with fpdb.open(path) as db:
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
    with fpdb.open(path, "r", immutable=True) as db:
        print(len(db), db.check(), len(db.query_fingerprints([1]).matches))
    calls = [lambda: fpdb.open(path, "r"), lambda: fpdb.open_all([path]), lambda: fpdb.open(path)]
    if name == "bare.fpdb":
        print(fpdb.check(path, immutable=True).sound)
        calls += [lambda: fpdb.check(path), lambda: fpdb.repair(path, path + ".new")]
    for call in calls:
        try:
            call()
        except fpdb.StorageFailure as error:
            print("--immutable" in str(error), "copy it elsewhere" in str(error))
"""


def test_a_read_only_medium_is_read_by_whoever_says_that_nobody_writes(tmp_path):
    """Nobody can tell if others write elsewhere to what is mounted for reading here."""
    source, medium = tmp_path / "t.fpdb", tmp_path / "medium"
    medium.mkdir()
    with fpdb.open(source) as db:
        db.add_fingerprints("a", [1])
    command = in_own_mounts("sh", "-c", READ_ONLY, "sh", medium, source, sys.executable, READER)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    to_read, to_write = "True False", "False True"
    assert done.stdout.splitlines() == [
        *("1 [] 1", "True", to_read, to_read, to_write, to_read, to_write),
        *("1 [] 1", to_read, to_read, to_write),
    ]
    assert list(medium.iterdir()) == []


def commit(path):
    run_in_child(lambda: fpdb.open(path).add_fingerprints("b", [1]))


def compact(path):
    run_in_child(lambda: fpdb.open(path).compact())


def replace(path):
    shutil.copy(path, f"{path}.new")
    os.replace(f"{path}.new", path)


def touch(path):
    os.utime(path, ns=(1, 1))


def lengthen(path):
    with open(path, "ab") as file:
        file.write(b"x")


@pytest.mark.parametrize("change", [commit, compact, replace, touch, lengthen, os.unlink])
def test_a_change_of_an_immutable_file_is_noticed(tmp_path, change):
    path = tmp_path / "t.fpdb"
    make(path)
    with fpdb.open(path, "r", immutable=True) as db:
        assert db.immutable
        assert os.listdir(tmp_path) == ["t.fpdb"]
        assert len(db) == 50
        assert db.check() == []
        names = read_slowly(db)
        next(names)
        change(path)
        with pytest.raises(fpdb.StorageFailure, match="written to while it was open as immutable"):
            list(names)
        with pytest.raises(fpdb.StorageFailure, match="written to while it was open as immutable"):
            len(db)
    if change is not os.unlink:
        with fpdb.open(path, "r") as db:
            assert db.check() == []


def test_an_immutable_database_is_only_read(path):
    make(path)
    for mode in ("r+", "a", "x"):
        with pytest.raises(ValueError, match="can only be read"):
            fpdb.open(path, mode, immutable=True)
    with fpdb.open(path, "r", immutable=True) as db:
        with pytest.raises(fpdb.ReadOnly):
            db.remove("1")
        open_in_worker = db.opener()
    with open_in_worker() as worker:
        assert (len(worker), worker.check()) == (50, [])
    assert not os.path.exists(files.lock_path(path))


def open_to_read(path):
    fpdb.open(path, "r", timeout=0.1)


def open_to_write(path):
    fpdb.open(path, timeout=0.1)


def open_and_compact(path):
    with fpdb.open(path, timeout=0.1) as db:
        db.compact()


SWAPPING = "fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX)"
OPENING = "fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_SH)"
MAKING = "fcntl.lockf(os.open(path + '-lock', os.O_RDWR), fcntl.LOCK_EX, 1)"


@pytest.mark.parametrize(
    ("stopped", "call"),
    [
        *((stopped, call) for stopped in (SWAPPING, MAKING) for call in (open_to_read, open_to_write)),
        (OPENING, open_and_compact),
    ],
)
@pytest.mark.parametrize("with_table", [True, False])
def test_nobody_waits_without_end_for_a_process_that_is_stopped(path, stopped, call, with_table):
    """The locks of an instant, which a process holds while it opens or replaces the file."""
    fpdb.open(path).close()
    if not with_table and stopped != MAKING:
        os.unlink(files.lock_path(path))
    with running(f"import fcntl\n{stopped}\nsay('there')\nhear()", path) as process:
        assert hear(process) == "there"
        with pytest.raises(fpdb.Locked, match=r"another process is|is opening"):
            call(path)
    with fpdb.open(path) as db:
        assert db.check() == []
