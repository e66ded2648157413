"""Locks between processes: flocks on small files beside the database, the holder's process id inside.

LMDB's own lock blocks for ever behind a stopped writer and cannot be interrupted, so the writer's stands in front.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fpdb.errors import Locked
from fpdb.storage.environment.failures import translated

_POLL = 0.002, 0.05  # seconds between tries: the first, and the longest


class FileLock:
    """A lock shared by threads and processes; a thread may take it again while it holds it."""

    def __init__(self, path: str, doing: str, timeout: float) -> None:
        """Name the lock.

        Args:
            path: The file that is locked.
            doing: What the holder does, for the message.
            timeout: Seconds to wait.
        """
        self.path = path
        self.doing = doing
        self.timeout = timeout
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self, *, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock inside the block. Raises Locked after the time-out, StorageFailure."""
        timeout = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        if not self._thread.acquire(timeout=max(timeout, 0)):
            raise Locked(f"another thread of this process is {self.doing}; waited {timeout:g} s")
        try:
            self._depth += 1
            if self._depth > 1:
                yield
            else:
                with self._flock(deadline, timeout):
                    yield
        finally:
            self._depth -= 1
            self._thread.release()

    @contextmanager
    def _flock(self, deadline: float, timeout: float) -> Iterator[None]:
        with translated(self.path):
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            with translated(self.path):
                self._wait(file, deadline, timeout)
            with suppress(OSError):  # it is for the message of `_wait` only, and the disk may be full
                os.pwrite(file, b"%-19d\n" % os.getpid(), 0)
            yield
        finally:
            unlock(file)

    def _wait(self, file: int, deadline: float, timeout: float) -> None:
        pause, longest = _POLL
        while not _try(file):
            left = deadline - time.monotonic()
            if left <= 0:
                holder = os.pread(file, 20, 0).decode("ascii", "replace").strip() or "unknown"
                way = (
                    f"let it go on with 'kill -CONT {holder}'" if _is_stopped(holder) else "wait longer with --timeout"
                )
                raise Locked(
                    f"process {holder} is {self.doing}{' and is stopped' * _is_stopped(holder)}; waited {timeout:g} s "
                    f"({way}, or end that process)"
                )
            time.sleep(min(pause, left))
            pause = min(2 * pause, longest)


def unlock(file: int) -> None:
    """Give an flock back and close the file; closing alone would leave it to a child that was forked meanwhile."""
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)


def _is_stopped(pid: str) -> bool:
    """Return True if the system says that a process is stopped, as by Ctrl-Z."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False


def _try(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
