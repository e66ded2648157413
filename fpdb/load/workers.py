"""Fingerprints many documents, in worker processes when there is enough to do; order is kept, memory bounded.

A piece of several documents goes out, a few arrays and small tuples come back, since a message costs more than a
document. Workers look for themselves which documents the database holds already, and never change it.
"""

import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fpdb.batch import KeptText, pack, purpose_of
from fpdb.errors import Error
from fpdb.fingerprint import AUTO, Fingerprints, Frequencies, Recipe, content_digest
from fpdb.load.sources import BINARY_KINDS, Listed, Piece, Skipped, Source, content_of, reason_of

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fpdb.batch import Batch
    from fpdb.database import Database

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
SHORT = 1 << 16
"""Texts up to this many characters or bytes are fingerprinted together."""


Result = TypeVar("Result")


class WorkerError(Error):
    """A worker process ended by itself, or was ended by the system."""


class Task(NamedTuple):
    """What is to be done with each document; as `load` takes it. path: the database to look into for what it holds
    already; None where that is nothing."""

    boilerplate: bool = False
    labels: Mapping[str, str] = {}
    contact: str | None = None
    keep_text: bool = False
    path: str | None = None


class Outcome(NamedTuple):
    """What became of one document; exactly one of failure, again and fingerprints holds.

    source: without its content. size: bytes of content. again: there is nothing to change, if what was stored a moment
    ago still is; if not, this fingerprints it. passed: bytes of input that are done with it and those before it.
    """

    source: Source
    size: int = 0
    digest: bytes = b""
    failure: str | None = None
    again: "Callable[[], Outcome] | None" = None
    fingerprints: Fingerprints | None = None
    text: KeptText | None = None
    passed: int = 0


_Done: TypeAlias = tuple[Source, int, bytes, str | None, str | None, int, int, str, int, KeptText | None, int]
"""An outcome on its way back: source, size, digest, failure, kind, symbols, kgrams, note, share, text, fingerprints;
with neither a failure nor a kind, the content is known."""


class _Packed(NamedTuple):
    """What a worker makes of a piece; the fingerprints of all its documents are in two arrays."""

    done: list[_Done]
    hashes: NDArray[np.uint64]
    positions: NDArray[np.uint32]


@dataclass
class Crew(Generic[Result]):
    """What workers do. begin: called in each with `given`, at its start. work: what it makes of a piece, to be sent
    back, and unpack: what this process makes of that. own: the same as both, in this process."""

    begin: Callable[..., None]
    given: tuple[Any, ...]
    work: Callable[[Piece], Any]
    unpack: Callable[[Piece, Any], Iterable[Result]]
    own: Callable[[Piece], list[Result]]
    ahead: int
    """Pieces that are done, or waiting to be, for each process."""


@dataclass
class _Given(Generic[Result]):
    """A piece that was given to the workers, or done by this process after all."""

    piece: Piece
    future: "Future[Any]"
    own: list[Result] | None = None


class _Short(NamedTuple):
    """A short text that is to be fingerprinted with others: which of the documents it is."""

    at: int
    source: Source
    content: bytes | str
    digest: bytes


_LATER = Outcome(Source(""))
"""In the place of an outcome that is yet to come."""


def _failed(source: Source, error: Exception) -> Outcome:
    return Outcome(source._replace(content=None), failure=reason_of(error))


@dataclass
class Worker:
    """Makes outcomes of pieces, in whichever process. frequencies: as `Recipe.fingerprint` takes them; db: of the
    task's path, open."""

    recipe: Recipe
    task: Task
    db: "Database | None" = None
    frequencies: Frequencies | None = None

    def outcomes(self, piece: Piece) -> list[Outcome]:
        """The outcome of each document, in order."""
        if self.db is None:
            return self._outcomes(piece, None)
        with self.db.batch() as batch:
            return self._outcomes(piece, batch)

    def _outcomes(self, piece: Piece, batch: "Batch | None") -> list[Outcome]:
        outcomes: list[Outcome] = []
        short: list[_Short] = []
        for index, source in enumerate(piece.sources()):
            if isinstance(source, Skipped):
                outcomes.append(Outcome(Source(source.name, asked=source.asked), failure=source.reason))
                continue
            try:
                content = content_of(source)
                digest = content_digest(content)
                source = self._described(source)
                if batch is not None and is_known(batch, source, digest, self.task):
                    outcome = Outcome(source, size_of(content), digest, again=partial(self._again, piece, index))
                    outcomes.append(outcome)
                    continue
                if source.kind == AUTO:
                    source = source._replace(kind=told_kind(self.recipe, source.name, content))
                if source.kind == "text" and self.frequencies is None and len(content) <= SHORT:
                    short.append(_Short(index, source, content, digest))
                    outcome = _LATER
                else:
                    outcome = self._fingerprinted(source, content, digest)
            except Exception as error:
                outcome = _failed(source, error)
            outcomes.append(outcome)
        self._together(short, outcomes)
        if outcomes:
            outcomes[-1] = outcomes[-1]._replace(passed=piece.passed)
        return outcomes

    def _described(self, source: Source) -> Source:
        """The document with all that is said of it, but its content."""
        name, _, _, size, kind, where, contact, labels, asked, at = source
        if self.task.labels or self.task.contact is not None:
            labels = {**self.task.labels, **(labels or {})}
            contact = contact or self.task.contact
        return Source(name, None, None, size, kind, where, contact, labels, asked, at)

    def _fingerprinted(self, source: Source, content: bytes | str, digest: bytes) -> Outcome:
        purpose = purpose_of(self.task.boilerplate)
        found = self.recipe.fingerprint(
            content, source.kind, purpose=purpose, frequencies=self.frequencies, name=source.name
        )
        found = replace(found, source=None)  # symbols are large
        return Outcome(source, size_of(content), digest, None, None, found, self._kept(content))

    def _kept(self, content: bytes | str) -> KeptText | None:
        return pack(content) if self.task.keep_text else None

    def _together(self, short: "list[_Short]", outcomes: list[Outcome]) -> None:
        """Fingerprints short texts; each that this is not for, by itself."""
        texts = [text.content for text in short]
        found = self.recipe.fingerprint_texts(texts, purpose=purpose_of(self.task.boilerplate)) if short else None
        end = 0
        for number, (index, source, content, digest) in enumerate(short):
            try:
                if found is None or found.symbols[number] < 0:
                    outcomes[index] = self._fingerprinted(source, content, digest)
                    continue
                start, end = end, end + found.counts[number]
                hashes, positions = found.hashes[start:end], found.positions[start:end]
                note = "string" if isinstance(content, str) else "utf-8"
                one = Fingerprints("text", found.symbols[number], found.kgrams(number), hashes, positions, note)
                outcomes[index] = Outcome(source, size_of(content), digest, None, None, one, self._kept(content))
            except Exception as error:
                outcomes[index] = _failed(source, error)

    def _again(self, piece: Piece, index: int) -> Outcome:
        """One document of a piece, whatever the database holds."""
        source = next(itertools.islice(piece.sources(), index, None))
        (outcome,) = Worker(self.recipe, self.task, None, self.frequencies).outcomes(Listed([source]))
        return outcome


def told_kind(recipe: Recipe, name: str, content: bytes | str) -> str:
    """The kind of a document that does not say it."""
    kind = recipe.resolve(AUTO, content, name)
    # A string was taken out of such a file already.
    return "text" if isinstance(content, str) and kind in BINARY_KINDS else kind


def is_known(batch: "Batch", source: Source, digest: bytes, task: Task) -> bool:
    """Whether adding this would change nothing."""
    return batch.holds(
        source.name,
        digest,
        kind=None if source.kind == AUTO else source.kind,  # the same content is of the same kind
        boilerplate=task.boilerplate,
        source=source.source,
        contact=source.contact,
        labels=source.labels,
        keep_text=task.keep_text,
    )


def size_of(content: bytes | str) -> int:
    """Its bytes, as they are digested."""
    if isinstance(content, bytes) or content.isascii():
        return len(content)
    return len(content.encode("utf-8", "surrogatepass"))


def in_pieces(sources: Iterable[Source | Skipped | Piece], most: int | None = None) -> Iterator[Piece]:
    """The same in pieces: documents that come one by one are put together. most: so many at most."""
    most = most or CHUNK_DOCUMENTS
    documents: list[Source | Skipped] = []
    size = held = 0
    for source in sources:
        piece = None if isinstance(source, Source | Skipped) else source
        if isinstance(source, Source | Skipped):
            documents.append(source)
        if isinstance(source, Source):
            size += source.size
            held += source.size if source.content is not None else 0
        if documents and (piece is not None or size >= CHUNK_BYTES or len(documents) >= most):
            yield Listed(documents, held, size)
            documents, size, held = [], 0, 0
        if piece is not None:
            yield piece
    if documents:
        yield Listed(documents, held, size)


def fingerprinted(pieces: Iterable[Piece], worker: Worker, processes: int) -> Generator[Outcome]:
    """The outcome of every document, in order. Reading ahead is bounded: a few pieces a process.

    processes: how many may fingerprint at once; this one among them. Where it has frequencies, it does all the work.
    WorkerError: the rest cannot be had.
    """
    pieces = iter(pieces)
    ahead: list[Piece] = []
    if processes > 1 and worker.frequencies is None:
        work = 0
        for piece in pieces:
            ahead.append(piece)
            work += _work_of(piece, worker.recipe)
            if work >= ALONE_BYTES and len(ahead) > 1:
                given = worker.recipe.to_record(), worker.task
                crew = Crew(_begin_worker, given, _work, partial(_unpack, worker), worker.outcomes, CHUNKS_AHEAD)
                yield from in_processes(itertools.chain(ahead, pieces), crew, processes)
                return
    for piece in itertools.chain(ahead, pieces):
        yield from worker.outcomes(piece)


def _work_of(piece: Piece, recipe: Recipe) -> int:
    if not isinstance(piece, Listed):
        return piece.held
    return sum(
        source.size * WORK.get(recipe.resolve(source.kind, b"", source.name), WORK_OF_OTHERS)
        for source in piece.documents
        if isinstance(source, Source)
    )


def in_processes(pieces: Iterable[Piece], crew: Crew[Result], processes: int) -> Iterator[Result]:
    """What a crew makes of pieces, in order. This process does its share: it takes a piece back where it would have to
    wait. Reading ahead is bounded. WorkerError: the rest cannot be had."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(processes - 1, get_context("spawn"), initializer=crew.begin, initargs=crew.given)
    waiting: deque[_Given[Result]] = deque()
    held = 0
    try:
        for piece in pieces:
            with _deaf_to_interrupts():
                waiting.append(_Given(piece, pool.submit(crew.work, piece)))
            held += piece.held
            while len(waiting) > crew.ahead * processes or (held > HELD_BYTES and waiting):
                held -= waiting[0].piece.held
                yield from _first(waiting, crew)
        while waiting:
            yield from _first(waiting, crew)
    except BrokenProcessPool:
        raise WorkerError("a worker process died, perhaps for want of memory; try again with --jobs 1") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _first(waiting: "deque[_Given[Result]]", crew: Crew[Result]) -> Iterable[Result]:
    """Takes the first piece out. While it is not done, does the last ones itself, which come up last."""
    first = waiting[0]
    while not first.future.done():
        taken = next((given for given in reversed(waiting) if given.own is None and given.future.cancel()), None)
        if taken is None:
            break
        taken.own = crew.own(taken.piece)
    waiting.popleft()
    return crew.unpack(first.piece, first.future.result()) if first.own is None else first.own


def _unpack(worker: Worker, piece: Piece, packed: _Packed) -> Iterator[Outcome]:
    start = 0
    last = len(packed.done) - 1
    for index, (source, size, digest, failure, kind, symbols, kgrams, note, share, text, count) in enumerate(
        packed.done
    ):
        passed = piece.passed if index == last else 0
        if kind is None:
            again = partial(worker._again, piece, index) if failure is None else None
            yield Outcome(source, size, digest, failure, again, passed=passed)
            continue
        end = start + count
        found = Fingerprints(
            kind, symbols, kgrams, packed.hashes[start:end], packed.positions[start:end], note, share=share
        )
        start = end
        yield Outcome(source, size, digest, None, None, found, text, passed)


_worker: Worker
"""Of a worker process."""


def _begin_worker(record: dict[str, Any], task: Task) -> None:
    global _worker
    from fpdb.database import open as open_database

    # It is looked into only, without the key; and open for as long as the process lives.
    _worker = Worker(Recipe.from_record(record), task, None if task.path is None else open_database(task.path, "r"))
    end_with_parent()


def end_with_parent() -> None:
    """Ends this worker with its parent: if that were killed, it would wait for work for ever."""
    threading.Thread(target=_await_parent, daemon=True).start()


def _await_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(piece: Piece) -> _Packed:
    done: list[_Done] = []
    hashes = [np.empty(0, np.uint64)]
    positions = [np.empty(0, np.uint32)]
    for source, size, digest, failure, _, found, text, _ in _worker.outcomes(piece):
        if found is None:
            done.append((source, size, digest, failure, None, 0, 0, "", 0, None, 0))
            continue
        hashes.append(found.hashes)
        positions.append(found.positions)
        counts = (found.symbols, found.kgrams, found.note, found.share, text, len(found.hashes))
        done.append((source, size, digest, None, found.kind, *counts))
    return _Packed(done, np.concatenate(hashes), np.concatenate(positions))


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Workers started in here inherit that Ctrl-C is not for them: the terminal sends it to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
