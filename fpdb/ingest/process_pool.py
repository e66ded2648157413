"""A pool of processes that work on chunks; order is kept, memory bounded. Knows nothing of what the work is."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fpdb import limits
from fpdb.errors import Error
from fpdb.gc_control import collect_rarely
from fpdb.ingest.chunks import Chunk

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

QUEUED_BYTES = 64 << 20
"""Of content on its way to the workers; files that they read themselves do not count."""

TERMINATION_SIGNALS = {signal.SIGTERM, signal.SIGHUP}

Result = TypeVar("Result")
Work = Callable[[Chunk], Any]


class WorkerError(Error):
    """A worker process ended by itself, or was ended by the system."""


@dataclass
class PoolTask(Generic[Result]):
    """Work on chunks: `start(*arguments)`, in a worker, returns what makes of a chunk something to send back.

    unpack: What this process makes of that. run_here: Does both in this process. chunks_ahead: Chunks that are done, or
    waiting to be, for each process. chunks_per_worker: Chunks that a worker is given before it has done the first.
    """

    start: Callable[..., Work]
    arguments: tuple[Any, ...]
    unpack: Callable[[Chunk, Any], Iterable[Result]]
    run_here: Callable[[Chunk], list[Result]]
    chunks_ahead: int
    chunks_per_worker: int = 2


@dataclass
class _Job(Generic[Result]):
    """A chunk that is given to the workers, or done by this process after all."""

    chunk: Chunk
    future: "Future[Any] | None" = None
    results: list[Result] | None = None


class ForkedPool:
    """Worker processes that are copies of this one, for one `run_in_pool`."""

    def __init__(self, processes: int, first: Callable[[], object]) -> None:
        """Start so many processes; first: see `forked_pool`."""
        self.executor = _executor(processes, "fork", first)
        self._ending = threading.Thread(target=self.executor.shutdown)
        with _signals_blocked():
            self.executor.submit(os.getpid)  # which starts all of them

    def end(self) -> None:
        """Let them end when they have done what was handed over; return at once.

        A pool's own way to do so leaves nothing to wait for.
        """
        if self._ending.ident is None:
            self._ending.start()

    def wait(self) -> None:
        """Wait until they have ended."""
        self.end()
        self._ending.join()


class _Workers(Generic[Result]):
    """Processes that do jobs in the order in which they are given; what is not yet handed over can be taken back.

    Nothing that was handed over is cancelled: on Python 3.11 a cancelled future ends the thread that manages the pool
    when a process dies, and nobody is told.
    """

    def __init__(self, processes: int, task: PoolTask[Result], forked: ForkedPool | None) -> None:
        self._task = task.start, task.arguments
        self._forked = forked
        self._executor = _executor(processes, "spawn") if forked is None else forked.executor
        self._free = task.chunks_per_worker * processes
        self._queue: deque[_Job[Result]] = deque()
        self._lock = threading.RLock()  # a future that is done already calls `_on_done` at once

    def give(self, job: _Job[Result]) -> None:
        """Queue a job. Raises BrokenProcessPool."""
        with _signals_blocked(), self._lock:
            self._queue.append(job)
            self._hand_over()

    def take_back(self) -> _Job[Result] | None:
        """Return the job that was given last, if it was not handed over yet."""
        with self._lock:
            return self._queue.pop() if self._queue else None

    def close(self) -> None:
        """Wait for what was handed over; for forked processes whoever made them waits."""
        with self._lock:
            self._queue.clear()
        if self._forked is None:
            self._executor.shutdown(cancel_futures=True)
        else:
            self._forked.end()

    def _hand_over(self) -> None:
        while self._free and self._queue:
            job = self._queue.popleft()
            job.future = self._executor.submit(_run_in_worker, *self._task, job.chunk)
            self._free -= 1
            job.future.add_done_callback(self._on_done)

    def _on_done(self, future: "Future[Any]") -> None:
        if future.cancelled() or future.exception() is not None:
            return  # whoever waits for it is told; the pool may hold its own lock now, so ours is not to be waited for
        with self._lock:
            self._free += 1
            self._hand_over()


def run_in_pool(
    chunks: Iterable[Chunk], task: PoolTask[Result], processes: int, forked: ForkedPool | None = None
) -> Iterator[Result]:
    """Yield the results of a task for all chunks, in order. Reading ahead is bounded. Raises WorkerError.

    So many processes work, this one among them: it takes a job back where it would have to wait. forked: The other
    processes, which end with this; without them, fresh ones are started.
    """
    from concurrent.futures.process import BrokenProcessPool

    workers = _Workers(processes - 1, task, forked)
    jobs: deque[_Job[Result]] = deque()
    queued_bytes = 0
    try:
        for chunk in chunks:
            jobs.append(_Job(chunk))
            workers.give(jobs[-1])
            queued_bytes += chunk.content_bytes
            while len(jobs) > task.chunks_ahead * processes or (queued_bytes > QUEUED_BYTES and jobs):
                queued_bytes -= jobs[0].chunk.content_bytes
                yield from _first_results(jobs, workers, task)
        while jobs:
            yield from _first_results(jobs, workers, task)
    except BrokenProcessPool:
        raise WorkerError("a worker process died, perhaps for want of memory; try again with --jobs 1") from None
    finally:
        workers.close()


def _first_results(jobs: deque[_Job[Result]], workers: _Workers[Result], task: PoolTask[Result]) -> Iterable[Result]:
    """Take the first job out. While it is not done, do the last ones here, whose turn comes last."""
    first = jobs[0]
    while first.results is None and (first.future is None or not first.future.done()):
        taken = workers.take_back()
        if taken is None:
            break
        taken.results = task.run_here(taken.chunk)
    jobs.popleft()
    if first.future is None:
        return first.results or ()
    return task.unpack(first.chunk, first.future.result())


@contextmanager
def forked_pool(processes: int, first: Callable[[], object]) -> Iterator[ForkedPool | None]:
    """Start worker processes as copies of this one, for one `run_in_pool` of so many processes, this one among them.

    For a process that has no database open yet, as LMDB's are not to be copied. Gives None where this process has
    several threads, which no copy has, so that a lock of theirs would stay closed; or where copies are not safe.
    first: What each does while this process is not ready yet; it does not matter if that fails.
    """
    if processes < 2 or not _can_fork():
        yield None
        return
    pool = ForkedPool(processes - 1, first)
    try:
        yield pool
    finally:
        pool.wait()


def available_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_fork() -> bool:
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:  # the system does not tell the threads, not only Python's
        return False


def _executor(processes: int, method: str, first: Callable[[], object] | None = None) -> "ProcessPoolExecutor":
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(
        processes, get_context(method), initializer=_start_process, initargs=(first, limits.share())
    )


_work: Work | None = None
"""In a worker process: what its task's `start` returned."""


def _run_in_worker(start: Callable[..., Work], arguments: tuple[Any, ...], chunk: Chunk) -> Any:
    global _work
    _work = _work or start(*arguments)
    return _work(chunk)


def _start_process(first: Callable[[], object] | None, shared_limits: tuple[limits.DocumentLimits, Any]) -> None:
    limits.adopt(shared_limits)
    for ending in TERMINATION_SIGNALS:  # the handlers of the process that this is a copy of are not its own
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINATION_SIGNALS)
    collect_rarely()
    # If its parent were killed, it would wait for work for ever.
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    if first is not None:
        with suppress(Exception):
            first()


def _exit_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Make signals that end this process wait: what they raise while a process is started would be lost.

    Workers started in here inherit that Ctrl-C is not for them: the terminal sends it to all processes.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *TERMINATION_SIGNALS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
