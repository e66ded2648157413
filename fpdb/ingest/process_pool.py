"""Processes that work on pieces; order is kept, memory bounded. Knows nothing of what the work is."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fpdb.errors import Error
from fpdb.gc_control import collect_rarely
from fpdb.ingest.files import Chunk

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

HELD_BYTES = 64 << 20
"""Of content on its way to the workers; of files that they read themselves, there is none."""

ENDINGS = {signal.SIGTERM, signal.SIGHUP}
"""What a process is told to end by."""

Result = TypeVar("Result")


class WorkerError(Error):
    """A worker process ended by itself, or was ended by the system."""


@dataclass
class PoolTask(Generic[Result]):
    """What workers do. begin: called in each with `given` before its first piece, returns what makes of a piece
    something to be sent back. unpack: what this process makes of that. own: the same as both, in this process."""

    begin: Callable[..., Callable[[Chunk], Any]]
    given: tuple[Any, ...]
    unpack: Callable[[Chunk, Any], Iterable[Result]]
    own: Callable[[Chunk], list[Result]]
    ahead: int
    """Pieces that are done, or waiting to be, for each process."""
    at_hand: int = 2
    """Pieces that a worker is given before it has done the first of them: it need not wait for the next."""


@dataclass
class _Given(Generic[Result]):
    """A piece that is given to the workers, or done by this process after all."""

    piece: Chunk
    future: "Future[Any] | None" = None
    own: list[Result] | None = None


class _Workers(Generic[Result]):
    """Processes that do pieces in the order in which they are given; what is not yet handed over can be taken back.

    Nothing that was handed over is cancelled: on Python 3.11 a cancelled future ends the thread that manages the pool
    when a process dies, and nobody is told.
    """

    def __init__(self, processes: int, crew: PoolTask[Result], copies: "ForkedPool | None") -> None:
        self._task = crew.begin, crew.given
        self._copies = copies
        self._pool = _pool(processes, "spawn") if copies is None else copies.pool
        self._free = crew.at_hand * processes
        self._queue: deque[_Given[Result]] = deque()
        self._lock = threading.RLock()  # a future that is done already calls `_next` at once

    def give(self, given: _Given[Result]) -> None:
        """BrokenProcessPool."""
        with _undisturbed(), self._lock:
            self._queue.append(given)
            self._hand_over()

    def take_back(self) -> _Given[Result] | None:
        """The piece that was given last, if it was not handed over yet."""
        with self._lock:
            return self._queue.pop() if self._queue else None

    def close(self) -> None:
        """Waits for what was handed over; for copies whoever made them will."""
        with self._lock:
            self._queue.clear()
        if self._copies is None:
            self._pool.shutdown(cancel_futures=True)
        else:
            self._copies.end()

    def _hand_over(self) -> None:
        while self._free and self._queue:
            given = self._queue.popleft()
            given.future = self._pool.submit(_do, *self._task, given.piece)
            self._free -= 1
            given.future.add_done_callback(self._next)

    def _next(self, future: "Future[Any]") -> None:
        if future.cancelled() or future.exception() is not None:
            return  # whoever waits for it is told; the pool may hold its own lock now, so ours is not to be waited for
        with self._lock:
            self._free += 1
            self._hand_over()


def run_in_pool(
    pieces: Iterable[Chunk], crew: PoolTask[Result], processes: int, copies: "ForkedPool | None" = None
) -> Iterator[Result]:
    """What a crew makes of pieces, in order. This process does its share: it takes a piece back where it would have to
    wait. Reading ahead is bounded. copies: the other processes, which end then. WorkerError: the rest cannot be had."""
    from concurrent.futures.process import BrokenProcessPool

    workers = _Workers(processes - 1, crew, copies)
    waiting: deque[_Given[Result]] = deque()
    held = 0
    try:
        for piece in pieces:
            waiting.append(_Given(piece))
            workers.give(waiting[-1])
            held += piece.content_bytes
            while len(waiting) > crew.ahead * processes or (held > HELD_BYTES and waiting):
                held -= waiting[0].piece.content_bytes
                yield from _first(waiting, workers, crew)
        while waiting:
            yield from _first(waiting, workers, crew)
    except BrokenProcessPool:
        raise WorkerError("a worker process died, perhaps for want of memory; try again with --jobs 1") from None
    finally:
        workers.close()


def _first(waiting: deque[_Given[Result]], workers: _Workers[Result], crew: PoolTask[Result]) -> Iterable[Result]:
    """Takes the first piece out. While it is not done, does the last ones itself, which come up last."""
    first = waiting[0]
    while first.own is None and (first.future is None or not first.future.done()):
        taken = workers.take_back()
        if taken is None:
            break
        taken.own = crew.own(taken.piece)
    waiting.popleft()
    if first.future is None:
        return first.own or ()
    return crew.unpack(first.piece, first.future.result())


class ForkedPool:
    """Worker processes that are copies of this one, for one `run_in_pool`."""

    def __init__(self, processes: int, first: Callable[[], object]) -> None:
        """first: see `forked`."""
        self.pool = _pool(processes, "fork", first)
        self._ending = threading.Thread(target=self.pool.shutdown)
        with _undisturbed():
            self.pool.submit(os.getpid)  # which starts all of them

    def end(self) -> None:
        """Lets them end when they have done what was handed over; returns at once. (A pool's own way to do so leaves
        nothing to wait for.)"""
        if self._ending.ident is None:
            self._ending.start()

    def wait(self) -> None:
        """Until they have ended."""
        self.end()
        self._ending.join()


@contextmanager
def forked(processes: int, first: Callable[[], object]) -> Iterator[ForkedPool | None]:
    """Worker processes for one `run_in_pool` of so many, this one among them: they are there at once, as copies of
    this one. For a process that has no database open yet, as LMDB's are not to be copied; None where it has several
    threads, which no copy has, so that a lock of theirs would stay closed, or on a system on which copies are not
    safe. first: what each does while this process is not ready yet; it does not matter if that fails."""
    if processes < 2 or not _can_be_copied():
        yield None
        return
    copies = ForkedPool(processes - 1, first)
    try:
        yield copies
    finally:
        copies.wait()


def _can_be_copied() -> bool:
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:  # the system does not tell the threads, not only Python's
        return False


def _pool(processes: int, method: str, first: Callable[[], object] | None = None) -> "ProcessPoolExecutor":
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(processes, get_context(method), initializer=_begin, initargs=(first,))


_work: Callable[[Chunk], Any] | None = None
"""Of a worker process: what its crew does."""


def _do(begin: Callable[..., Callable[[Chunk], Any]], given: tuple[Any, ...], piece: Chunk) -> Any:
    global _work
    _work = _work or begin(*given)
    return _work(piece)


def _begin(first: Callable[[], object] | None) -> None:
    """What a worker does first."""
    for ending in ENDINGS:  # what they call in a process that it is a copy of is not its business
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
    collect_rarely()
    # If its parent were killed, it would wait for work for ever.
    threading.Thread(target=_await_parent, daemon=True).start()
    if first is not None:
        with suppress(Exception):
            first()


def _await_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that end this process wait: what they raise while a process is started would be lost in its making. And
    workers started in here inherit that Ctrl-C is not for them: the terminal sends it to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDINGS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
