"""Opening the LMDB file at a path, with its lock file, beside processes that open, close or replace it."""

import fcntl
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import lmdb

from fpdb.errors import StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import files, page_check
from fpdb.storage.environment.failures import NO_ROOM, translated
from fpdb.storage.environment.locking import unlock
from fpdb.storage.environment.refusal import read_format, refuse_foreign
from fpdb.storage.file_format import FormatRecord

MAX_READERS = 510
LOCK_BYTES = 32_768  # LMDB's table of so many readers
LOOKS = 50  # at a lock file, until it tells the last commit
TRIES = 4  # of opening a file that another process opens or closes at this moment


@dataclass(eq=False)
class OpenFile:
    """One LMDB file, open until it is retired and its last transaction has ended.

    generation: which opening of the path this is; what was cached from another one is void. size: its least size in
    bytes. users: the thread of each transaction. failure: what has happened to the file since, so that it must be
    opened anew: after a write that failed at the meta page LMDB refuses all further ones.
    """

    env: lmdb.Environment
    databases: dict[bytes, Any]
    format_record: FormatRecord
    identities: tuple[object, object]
    generation: int
    size: int
    users: list[int] = field(default_factory=list)
    retired: bool = False
    failure: str | None = None

    def __post_init__(self) -> None:
        """Note that the file is open."""
        _open_files.add(self)

    def is_usable(self, path: str) -> bool:
        """Return True if it is what a path leads to, no shorter than before, and nothing has failed."""
        with suppress(FileNotFoundError):
            status = os.stat(path)
            same = self.identities == ((status.st_dev, status.st_ino), files.identity(files.lock_path(path)))
            return same and status.st_size >= self.size and self.failure is None
        return False


_open_files: WeakSet[OpenFile] = WeakSet()
_making = threading.Lock()  # held by whoever makes or opens a lock file, in this process


def _keep_open_in_child() -> None:
    """Keep a forked child from closing what it inherits: LMDB would free the parent's readers' slots."""
    import ctypes

    for file in list(_open_files):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(file.env))


os.register_at_fork(after_in_child=_keep_open_in_child)


def identities(path: str) -> tuple[object, object]:
    """Return what tells the file at a path, and its lock file, from others."""
    return files.identity(path), files.identity(files.lock_path(path))


def open_file(path: str, generation: int, *, readonly: bool) -> OpenFile:
    """Open an existing file.

    Raises:
        NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, StorageFailure: It cannot be opened.
    """
    refuse_foreign(path)
    for left in reversed(range(TRIES)):
        try:
            return _try_open(path, generation, readonly=readonly)
        except StorageFailure as error:
            if not left or not isinstance(error.__cause__, lmdb.Error):
                raise
            time.sleep(0.02)
    raise AssertionError("unreachable")


def _try_open(path: str, generation: int, *, readonly: bool) -> OpenFile:
    with translated(path):
        # compact swaps the file under an exclusive flock on it; this shared one keeps the swap out.
        guard = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(guard, fcntl.LOCK_SH)
            if files.identity(guard) != files.identity(path):
                raise lmdb.Error("the file was replaced while it was being opened")
            if _locks_older_file(path) and not files.drop_lock_file(path, guard):
                raise lmdb.Error("the file was replaced while it was being opened")
            env = _open_environment(path, readonly=readonly)
            try:
                _refuse_lock_of_other_file(path, env, guard)
                format_record = read_format(guard, env, path)
                databases = {name: env.open_db(name, create=False) for name in file_format.named(format_record.version)}
            except BaseException:
                env.close()
                raise
            size = os.fstat(guard).st_size
            return OpenFile(env, databases, format_record, identities(path), generation, size)
        finally:
            unlock(guard)


def _locks_older_file(path: str) -> bool:
    """Return True if this process has the lock file open for a file that was at the path before, by `mv`."""
    data, lock = identities(path)
    return any(lock == file.identities[1] and data != file.identities[0] for file in list(_open_files))


def _refuse_lock_of_other_file(path: str, env: lmdb.Environment, guard: int) -> None:
    """Remove the lock file if it counts the commits of another file, so that opening again makes a new one.

    Processes that have the file open that was at the path before, by `cp` or `mv`, have its lock file open too.
    Raises lmdb.Error if so.
    """
    for _ in range(LOOKS):
        with env.begin() as txn:
            if txn.id() == page_check.last_transaction(path):
                return
        time.sleep(0.001)  # a writer is between its commit and telling it
    files.drop_lock_file(path, guard)
    raise lmdb.Error("the file was replaced while others had it open")


def _open_environment(path: str, *, readonly: bool) -> lmdb.Environment:
    lock = not readonly or os.access(os.path.dirname(path), os.W_OK)
    with _making:
        if lock:
            _allocate_lock_file(files.lock_path(path))
        return lmdb.open(
            os.fsencode(path),
            subdir=False,
            create=False,
            readonly=readonly,
            lock=lock or os.path.exists(files.lock_path(path)),
            map_size=files.MAP_SIZE,
            max_dbs=len(file_format.NAMED),
            max_readers=MAX_READERS,
            max_spare_txns=4,
            mode=0o600,
        )


def _allocate_lock_file(path: str) -> None:
    """Give the lock file all its blocks. Raises OSError.

    LMDB writes to it through a map, and where a disk is full, a block that is not there is a SIGBUS.
    """
    if not hasattr(os, "posix_fallocate"):
        return  # macOS
    try:
        status = os.stat(path)
    except FileNotFoundError:
        pass
    else:
        identity = status.st_dev, status.st_ino
        if status.st_blocks * 512 >= LOCK_BYTES or any(identity == file.identities[1] for file in list(_open_files)):
            return  # to open and close it would drop the locks that this process has on it
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(file, 0, LOCK_BYTES)  # leaves alone what is there: another process may use it already
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
    finally:
        os.close(file)
