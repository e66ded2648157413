"""Opening the LMDB file at a path, with its lock file, beside processes that open, close or replace it."""

import fcntl
import os
import struct
import sys
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import lmdb

from fpdb.errors import Locked, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import files, page_check
from fpdb.storage.environment.failures import NO_ROOM, UNWRITABLE, translated
from fpdb.storage.environment.forking import ThreadLock, note_open, open_files
from fpdb.storage.environment.lock_files import READERS, READERS_BYTES, open_lock_file
from fpdb.storage.environment.locking import flocked, wait_for_flock
from fpdb.storage.environment.refusal import read_format, refuse_foreign
from fpdb.storage.file_format import FormatRecord

MAX_READERS = 510  # of which LMDB's table has READERS_BYTES
LOOKS = 50  # at a lock file, until it tells the last commit
TRIES = 4  # of opening a file that another process opens or closes at this moment
PAUSE = 0.02  # seconds between them
_RECORD_LOCK = struct.Struct("@hhqqi")  # of Linux: kind, base, start, length, process


class Access(NamedTuple):
    """The way a file is opened.

    readonly: refuse write transactions. timeout: seconds to wait for other processes. immutable: take the caller's
    word that nobody writes to the file, and read it without a lock.
    """

    readonly: bool
    timeout: float
    immutable: bool = False


@dataclass(eq=False)
class OpenFile:
    """One LMDB file, open until it is retired and its last transaction has ended.

    generation: which opening of the path this is; what was cached from another one is void. size: its least size in
    bytes. unchanging: what `state_of` told before an immutable file was opened. users: the thread of each transaction.
    failure: what has happened to the file since, so that it must be opened anew: after a write that failed at the meta
    page LMDB refuses all further ones.
    """

    env: lmdb.Environment
    databases: dict[bytes, Any]
    format_record: FormatRecord
    identities: tuple[object, object]
    generation: int
    size: int
    unchanging: tuple[object, ...] | None = None
    users: list[int] = field(default_factory=list)
    retired: bool = False
    failure: str | None = None

    def refuse_changed(self, path: str) -> None:
        """Raise StorageFailure if the file is immutable and has changed: what was read from it may be wrong."""
        if self.unchanging is not None:
            refuse_changed(path, self.unchanging)

    def note_failed_write(self, path: str) -> None:
        """Note that a write has failed, after which LMDB may refuse all further ones."""
        self.failure = f"a write to {path!r} has failed; what was committed is safe"

    def is_usable(self, path: str) -> bool:
        """Return True if it is what a path leads to, no shorter than before, and nothing has failed.

        Raises StorageFailure if it is immutable and has changed.
        """
        if self.unchanging is not None:
            self.refuse_changed(path)
            return True
        size = self.size  # before the file is looked at: a thread that commits meanwhile makes both larger
        try:
            status, lock = os.stat(path), os.stat(path + READERS)
        except FileNotFoundError:
            return False
        same = self.identities == ((status.st_dev, status.st_ino), (lock.st_dev, lock.st_ino))
        return same and status.st_size >= size and self.failure is None


_making = ThreadLock()
"""Held by whoever makes or opens a lock file, in this process: LMDB's locks go when any descriptor of it is closed."""


def identities(path: str) -> tuple[object, object]:
    """Return what tells the file at a path, and its lock file, from others."""
    return files.identity(path), files.identity(files.lock_path(path))


def state_of(path: str) -> tuple[object, ...]:
    """Return what any change of a file changes. Raises OSError."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, page_check.last_transaction(path)


def refuse_changed(path: str, state: tuple[object, ...]) -> None:
    """Raise StorageFailure if a file that was opened as immutable has another state now. Raises OSError."""
    if state_of(path) != state:
        raise StorageFailure(
            f"{path!r} was written to while it was open as immutable, so what was read from it may be wrong: "
            f"read it without --immutable (immutable=True), or a copy of it"
        )


def open_file(path: str, generation: int, access: Access) -> OpenFile:
    """Open an existing file.

    Raises:
        NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, Locked, StorageFailure: It cannot be opened.
    """
    deadline = time.monotonic() + access.timeout
    refuse_foreign(path, deadline)
    for left in reversed(range(TRIES)):
        try:
            return _try_open(path, generation, access, deadline)
        except (Locked, StorageFailure) as error:
            if not left or not isinstance(error.__cause__, lmdb.Error) or "already open" in str(error):
                raise
            time.sleep(PAUSE)
    raise AssertionError("unreachable")


def _try_open(path: str, generation: int, access: Access, deadline: float) -> OpenFile:
    with translated(path):
        # compact swaps the file under an exclusive flock on it; this shared one keeps the swap out.
        guard = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        with flocked(guard):
            if not wait_for_flock(guard, fcntl.LOCK_SH, deadline):
                raise Locked(f"another process is putting a new file at {path!r}; waited {access.timeout:g} s")
            if files.identity(guard) != files.identity(path):
                raise lmdb.Error("the file was replaced while it was being opened")
            if not access.immutable and _locks_older_file(path) and not files.drop_lock_file(path, guard):
                raise lmdb.Error("the file was replaced while it was being opened")
            unchanging = state_of(path) if access.immutable else None
            env = _open_environment(path, access, deadline)
            try:
                _refuse_lock_of_other_file(path, env, guard)
                format_record = read_format(guard, env, path)
                databases = {name: env.open_db(name, create=False) for name in file_format.named(format_record.version)}
            except BaseException:
                env.close()
                raise
            size = os.fstat(guard).st_size
            return OpenFile(env, databases, format_record, identities(path), generation, size, unchanging)


def _locks_older_file(path: str) -> bool:
    """Return True if this process has the lock file open for a file that was at the path before, by `mv`."""
    data, lock = identities(path)
    return any(lock == other_lock and data != other_data for other_data, other_lock in open_files())


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


def _open_environment(path: str, access: Access, deadline: float) -> lmdb.Environment:
    with _making:
        if not access.immutable:
            _prepare_table(path, access, deadline)
        env = lmdb.open(
            os.fsencode(path),
            subdir=False,
            create=False,
            readonly=access.readonly,
            lock=not access.immutable,
            map_size=files.MAP_SIZE,
            max_dbs=len(file_format.NAMED),
            max_readers=MAX_READERS,
            max_spare_txns=4,
            mode=0o600,
        )
        note_open(env, identities(path))
        return env


def _prepare_table(path: str, access: Access, deadline: float) -> None:
    """Make sure that LMDB's table of readers is fpdb's, has all its blocks, and can be opened without waiting.

    Raises Locked, StorageFailure, OSError.
    """
    if identities(path)[1] in [lock for _, lock in open_files()]:
        return  # to close it would drop this process's locks, and LMDB refuses to open the file again
    try:
        table = open_lock_file(path, READERS)
    except OSError as error:
        if access.readonly and error.errno in UNWRITABLE:
            raise StorageFailure(_cannot_lock(path, error.strerror or str(error))) from error
        raise
    try:
        _allocate(table)
        _wait_for_opener(table, path, access, deadline)
    finally:
        os.close(table)


def _cannot_lock(path: str, reason: str) -> str:
    return (
        f"{path!r} cannot be read beside a process that writes to it, since {files.lock_path(path)!r} cannot be "
        f"written ({reason}): if nobody writes to the database, read it with --immutable (immutable=True); else get "
        f"permission to write to that file, or to the folder if the file is missing; or read a copy of the database"
    )


def _allocate(table: int) -> None:
    """Give the table of readers all its blocks. Raises OSError.

    LMDB writes to it through a map, and where a disk is full, a block that is not there is a SIGBUS.
    """
    if not hasattr(os, "posix_fallocate") or os.fstat(table).st_blocks * 512 >= READERS_BYTES:
        return  # macOS
    try:
        os.posix_fallocate(table, 0, READERS_BYTES)  # leaves alone what is there: another process may use it already
    except OSError as error:
        if error.errno in NO_ROOM:
            raise


def _wait_for_opener(table: int, path: str, access: Access, deadline: float) -> None:
    """Wait while a process opens the file with LMDB's exclusive lock: LMDB itself would wait without end."""
    while (process := _opener(table)) is not None:
        if time.monotonic() >= deadline:
            raise Locked(
                f"process {process} is opening {path!r}, and does not go on; waited {access.timeout:g} s (end that "
                f"process)"
            )
        time.sleep(PAUSE)


def _opener(table: int) -> int | None:
    if sys.platform != "linux":
        return None
    asked = _RECORD_LOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0)
    kind, _, _, _, process = _RECORD_LOCK.unpack(fcntl.fcntl(table, fcntl.F_GETLK, asked))
    return None if kind == fcntl.F_UNLCK else process
