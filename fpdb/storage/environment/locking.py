"""Locks between processes: flocks on small files beside the database, in which the holder says who it is.

LMDB's own lock blocks for ever behind a stopped writer and cannot be interrupted, so the writer's stands in front.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from fpdb.errors import Error, Locked
from fpdb.storage.environment.failures import translated
from fpdb.storage.environment.lock_files import HOLDER_BYTES, open_lock_file

_POLL = 0.002, 0.05  # seconds between tries: the first, and the longest

_held: set[int] = set()
"""The descriptors on which this process holds a lock."""


def _let_go_in_child() -> None:
    """Close a forked child's copies of locked descriptors: they would keep the locks if the parent is killed."""
    for file in _held:
        os.close(file)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


class FileLock:
    """A lock shared by threads and processes; a thread may take it again while it holds it."""

    def __init__(self, database: str, suffix: str, doing: str, timeout: float) -> None:
        """Name the lock.

        Args:
            database: The database's file.
            suffix: What the name of the locked file has behind the database's.
            doing: What the holder does, for the message.
            timeout: Seconds to wait.
        """
        self.path = database + suffix
        self.doing = doing
        self.timeout = timeout
        self._names = database, suffix
        self._thread = threading.RLock()
        self._depth = 0
        self._process = os.getpid()

    def refuse_foreign(self) -> None:
        """Raise StorageFailure if there is something else in the place of the lock's file."""
        if os.path.lexists(self.path):
            with translated(self.path):
                os.close(open_lock_file(*self._names))

    @contextmanager
    def held(self, *, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock inside the block. Raises Locked after the time-out, StorageFailure."""
        refuse_in_child(self._process)
        timeout = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        if not self._thread.acquire(timeout=max(timeout, 0)):
            raise Locked(f"another thread of this process is {self.doing}; waited {timeout:g} s")
        file = None
        try:
            self._depth += 1
            if self._depth == 1:
                with translated(self.path):
                    file = self._acquire(deadline, timeout)
            yield
        finally:
            try:
                if file is not None:
                    _give_back(file)
            finally:
                self._depth -= 1
                self._thread.release()

    def _acquire(self, deadline: float, timeout: float) -> int:
        file = open_lock_file(*self._names)
        try:
            if not wait_for_flock(file, fcntl.LOCK_EX, deadline):
                raise Locked(_explain(_read_holder(file), self.doing, timeout))
            with suppress(OSError):  # it is for the message above only, and the disk may be full
                os.pwrite(file, _line(os.getpid(), int(time.time())), 0)
            _held.add(file)
        except BaseException:
            os.close(file)
            raise
        return file


def refuse_in_child(process: int) -> None:
    """Raise Error if this process is not the one of that number."""
    if process != os.getpid():
        raise Error("the database was opened before a fork; open it anew in the child process")


@contextmanager
def flocked(file: int) -> Iterator[None]:
    """Take over a descriptor for an flock; the end of the block gives the lock back and closes it.

    Closing alone would leave the lock to a child that was forked meanwhile.
    """
    _held.add(file)
    try:
        yield
    finally:
        _give_back(file)


def _give_back(file: int) -> None:
    if file in _held:  # else this is a child
        _held.discard(file)
        try:
            fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            os.close(file)


def wait_for_flock(file: int, operation: int, deadline: float) -> bool:
    """Take an flock, or return False once the monotonic clock has passed the deadline."""
    pause, longest = _POLL
    while True:
        try:
            fcntl.flock(file, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(2 * pause, longest)
        else:
            return True


class Holder(NamedTuple):
    """The holder of a lock.

    pid: the process's number there. since: seconds since 1970. place: the namespace of process numbers and the
    machine's name, in which pid is a process.
    """

    pid: int
    since: int
    place: str


@lru_cache(maxsize=1)
def _line(process: int, since: int) -> bytes:
    """Return what stands in the file of a lock that this process has held since a second, in which it may take many."""
    line = f"fpdb {process} {since} {_place(process)}".encode("ascii", "replace")
    return line[: HOLDER_BYTES - 1].ljust(HOLDER_BYTES - 1) + b"\n"


@cache
def _place(_process: int) -> str:
    """Return where this process's number is one: its namespace of numbers, and the machine's name."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0  # of a system without them
    return f"{namespace}@{os.uname().nodename}"


def _read_holder(file: int) -> Holder | None:
    try:
        _, pid, since, place = os.pread(file, HOLDER_BYTES, 0).decode("ascii").split()
        return Holder(int(pid), int(since), place)
    except ValueError:
        return None


def _explain(holder: Holder | None, doing: str, timeout: float) -> str:
    """Return who holds a lock, since when, and what to do about it."""
    waited, way = f"waited {timeout:g} s", "wait longer with --timeout"
    if holder is None:
        return f"another process is {doing}; {waited} ({way}, or end that process)"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder.since))
    if holder.place != _place(os.getpid()):
        machine = holder.place.partition("@")[2]
        return (
            f"process {holder.pid} in another container or on another machine ({machine!r}) is {doing}, since {since}; "
            f"{waited} ({way}, or end that process there)"
        )
    stopped = ""
    if _is_stopped(holder.pid):
        stopped, way = " and is stopped", f"let it go on with 'kill -CONT {holder.pid}'"
    return f"process {holder.pid} is {doing}{stopped}, since {since}; {waited} ({way}, or end that process)"


def _is_stopped(pid: int) -> bool:
    """Return True if the system says that a process is stopped, as by Ctrl-Z."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False
