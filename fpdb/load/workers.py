"""Fingerprints many documents, in worker processes when there is enough to do; order is kept, memory bounded.

A chunk of documents goes out, a few arrays and small tuples come back, since a message costs more than a
document. Knows nothing of the database.
"""

import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fpdb.batch import KeptText, pack
from fpdb.errors import Error
from fpdb.fingerprint import Fingerprints, Frequencies, Purpose, Recipe, content_digest
from fpdb.load.sources import Source, content_of, reason_of

if TYPE_CHECKING:
    from concurrent.futures import Future

CHUNK_BYTES = 1 << 20
CHUNK_DOCUMENTS = 200
CHUNKS_AHEAD = 24
"""For each process: what workers do while a batch is committed."""
HELD_BYTES = 64 << 20
"""Of content on its way to the workers; of files that they read themselves, there is none."""
ALONE_BYTES = 16 << 20
"""Less text than this is done sooner than a worker process has started."""
WORK = {"text": 1, "html": 1}
"""How many bytes of text take as long as one byte of a kind."""
WORK_OF_OTHERS = 8


class WorkerError(Error):
    """A worker process ended by itself, or was ended by the system."""


class Job(NamedTuple):
    """A document to fingerprint. known: the digest of the content that need not be fingerprinted again. purpose: as
    `Recipe.fingerprint` takes it. keep_text: also pack its text."""

    source: Source
    known: bytes | None = None
    purpose: Purpose = "store"
    keep_text: bool = False


class Outcome(NamedTuple):
    """What became of one document; exactly one of failure, unchanged and fingerprints holds."""

    source: Source
    size: int = 0
    """Bytes of content."""
    digest: bytes = b""
    failure: str | None = None
    unchanged: bool = False
    fingerprints: Fingerprints | None = None
    text: KeptText | None = None


_Task: TypeAlias = tuple[str, str | None, bytes | str | None, int, str, bytes | None, Purpose, bool]
"""A job on its way to a worker: name, path, content, size, kind, known digest, purpose, whether to pack the text."""

_Done: TypeAlias = tuple[int, bytes, str | None, str, int, int, str, int, KeptText | None, int]
"""An outcome on its way back: size, digest, failure, kind, symbols, kgrams, note, share, text, fingerprints (-1:
content known)."""


class _Packed(NamedTuple):
    """What a worker makes of a chunk; the fingerprints of all its documents are in two arrays."""

    done: list[_Done]
    hashes: NDArray[np.uint64]
    positions: NDArray[np.uint32]


@dataclass
class _Given:
    """A chunk that is given to the workers, or done by this process after all."""

    jobs: list[Job]
    future: "Future[_Packed] | None" = None
    own: list[Outcome] = field(default_factory=list)


def fingerprinted(
    jobs: Iterable[Job], recipe: Recipe, processes: int, frequencies: Frequencies | None = None
) -> Generator[Outcome]:
    """The outcome of every job, in order. Reading ahead is bounded: a few chunks a process.

    processes: how many may fingerprint at once; this one among them. frequencies: as `Recipe.fingerprint` takes them;
    this process does all the work then. WorkerError: the rest cannot be had.
    """
    chunks = _chunks(jobs)
    ahead: list[list[Job]] = []
    if processes > 1 and frequencies is None:
        work = 0
        for chunk in chunks:
            ahead.append(chunk)
            work += sum(_work_of(job.source, recipe) for job in chunk)
            if work >= ALONE_BYTES and len(ahead) > 1:
                yield from _in_processes(itertools.chain(ahead, chunks), recipe, processes)
                return
    for job in itertools.chain.from_iterable(itertools.chain(ahead, chunks)):
        yield _outcome(job, recipe, frequencies)


def _work_of(source: Source, recipe: Recipe) -> int:
    return source.size * WORK.get(recipe.resolve(source.kind, b"", source.name), WORK_OF_OTHERS)


def _chunks(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    size = 0
    for job in jobs:
        chunk.append(job)
        size += job.source.size
        if size >= CHUNK_BYTES or len(chunk) >= CHUNK_DOCUMENTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _outcome(job: Job, recipe: Recipe, frequencies: Frequencies | None = None) -> Outcome:
    """Reads and fingerprints one document. Whatever goes wrong is this document's failure and no other's."""
    source = job.source
    try:
        content = content_of(source)
        size = len(content) if isinstance(content, bytes) else source.size
        digest = content_digest(content)
        if digest == job.known:
            return Outcome(source, size, digest, unchanged=True)
        kind = recipe.resolve(source.kind, content, source.name)
        found = recipe.fingerprint(content, kind, purpose=job.purpose, frequencies=frequencies, name=source.name)
        text = pack(content) if job.keep_text else None
        return Outcome(source, size, digest, fingerprints=replace(found, source=None), text=text)  # symbols are large
    except Exception as error:
        return Outcome(source, failure=reason_of(error))


class _Workers:
    """Processes that do chunks in the order in which they are given. Each has one more at hand than it is at; what it
    is not yet handed can be taken back.

    Nothing that was handed over is cancelled: on Python 3.11 a cancelled future ends the thread that manages the pool
    when a process dies, and nobody is told.
    """

    def __init__(self, processes: int, recipe: Recipe) -> None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        record = recipe.to_record()
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_begin_worker, initargs=(record,))
        self._free = 2 * processes
        self._queue: deque[_Given] = deque()
        self._lock = threading.RLock()  # a future that is done already calls `_next` at once

    def give(self, given: _Given) -> None:
        """BrokenProcessPool."""
        with _deaf_to_interrupts(), self._lock:
            self._queue.append(given)
            self._hand_over()

    def take_back(self) -> _Given | None:
        """The chunk that was given last, if it was not handed over yet."""
        with self._lock:
            return self._queue.pop() if self._queue else None

    def close(self) -> None:
        """Waits for what was handed over."""
        with self._lock:
            self._queue.clear()
        self._pool.shutdown(cancel_futures=True)

    def _hand_over(self) -> None:
        while self._free and self._queue:
            given = self._queue.popleft()
            given.future = self._pool.submit(_work, _tasks(given.jobs))
            self._free -= 1
            given.future.add_done_callback(self._next)

    def _next(self, future: "Future[_Packed]") -> None:
        if future.cancelled() or future.exception() is not None:
            return  # whoever waits for it is told; the pool may hold its own lock now, so ours is not to be waited for
        with self._lock:
            self._free += 1
            self._hand_over()


def _in_processes(chunks: Iterable[list[Job]], recipe: Recipe, processes: int) -> Iterator[Outcome]:
    """This process does its share: it takes a chunk back where it would have to wait."""
    from concurrent.futures.process import BrokenProcessPool

    workers = _Workers(processes - 1, recipe)
    waiting: deque[_Given] = deque()
    held = 0
    try:
        for chunk in chunks:
            waiting.append(_Given(chunk))
            workers.give(waiting[-1])
            held += _content_bytes(chunk)
            while len(waiting) > CHUNKS_AHEAD * processes or (held > HELD_BYTES and waiting):
                held -= _content_bytes(waiting[0].jobs)
                yield from _first(waiting, workers, recipe)
        while waiting:
            yield from _first(waiting, workers, recipe)
    except BrokenProcessPool:
        raise WorkerError("a worker process died, perhaps for want of memory; try again with --jobs 1") from None
    finally:
        workers.close()


def _first(waiting: deque[_Given], workers: _Workers, recipe: Recipe) -> Iterable[Outcome]:
    """Takes the first chunk out. While it is not done, does the last ones itself, which come up last."""
    first = waiting[0]
    while not first.own and (first.future is None or not first.future.done()):
        taken = workers.take_back()
        if taken is None:
            break
        taken.own = [_outcome(job, recipe) for job in taken.jobs]
    waiting.popleft()
    if first.future is None:
        return first.own
    return _unpack(first.jobs, first.future.result())


def _content_bytes(chunk: Sequence[Job]) -> int:
    """How much content these jobs have with them."""
    return sum(job.source.size for job in chunk if job.source.content is not None)


def _tasks(chunk: Sequence[Job]) -> list[_Task]:
    return [
        (source.name, source.path, source.content, source.size, source.kind, known, purpose, keep_text)
        for source, known, purpose, keep_text in chunk
    ]


def _unpack(chunk: Sequence[Job], packed: _Packed) -> Iterator[Outcome]:
    start = 0
    for job, done in zip(chunk, packed.done, strict=True):
        size, digest, failure, kind, symbols, kgrams, note, share, text, count = done
        if count < 0:
            yield Outcome(job.source, size, digest, failure, unchanged=failure is None)
            continue
        piece = slice(start, start + count)
        start += count
        hashes, positions = packed.hashes[piece], packed.positions[piece]
        found = Fingerprints(kind, symbols, kgrams, hashes, positions, note, share=share)
        yield Outcome(job.source, size, digest, fingerprints=found, text=text)


_recipe: Recipe
"""The recipe of a worker process."""


def _begin_worker(record: dict[str, Any]) -> None:
    global _recipe
    _recipe = Recipe.from_record(record)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(tasks: Sequence[_Task]) -> _Packed:
    done: list[_Done] = []
    hashes = [np.empty(0, np.uint64)]
    positions = [np.empty(0, np.uint32)]
    for name, path, content, size, kind, known, purpose, keep_text in tasks:
        outcome = _outcome(Job(Source(name, path, content, size, kind), known, purpose, keep_text), _recipe)
        found = outcome.fingerprints
        if found is None:
            done.append((outcome.size, outcome.digest, outcome.failure, kind, 0, 0, "", 0, None, -1))
            continue
        hashes.append(found.hashes)
        positions.append(found.positions)
        counts = (found.symbols, found.kgrams, found.note, found.share, outcome.text, len(found.hashes))
        done.append((outcome.size, outcome.digest, None, found.kind, *counts))
    return _Packed(done, np.concatenate(hashes), np.concatenate(positions))


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Workers started in here inherit that Ctrl-C is not for them: the terminal sends it to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
