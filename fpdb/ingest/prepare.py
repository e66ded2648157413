"""Fingerprints many documents, in worker processes when there is enough to do; order is kept, memory bounded.

A piece of several documents goes out, a few arrays and small tuples come back, since a message costs more than a
document. Workers look for themselves which documents the database holds already, and never change it.
"""

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import AUTO, SHORT_TEXT, WHOLE, Frequencies, Recipe, content_digest
from fpdb.ingest.batch import Description, KeptText, PreparedDocument, Record, described, numbered, pack, purpose_of
from fpdb.ingest.files import BINARY_KINDS, Chunk, InputDocument, ListChunk, Skipped, error_text, read_content
from fpdb.ingest.process_pool import PoolTask, run_in_pool

if TYPE_CHECKING:
    from fpdb.database import Database
    from fpdb.ingest.batch import WriteBatch

CHUNK_BYTES = 1 << 20
CHUNK_DOCUMENTS = 200
CHUNKS_AHEAD = 24
"""For each process: what workers do while a batch is committed."""
ALONE_BYTES = 16 << 20
"""Less text than this is done sooner than a worker process has started."""
WORK = {"text": 1, "html": 1}
"""How many bytes of text take as long as one byte of a kind."""
WORK_OF_OTHERS = 8


class Task(NamedTuple):
    """What is to be done with each document; as `load` takes it. path: the database to look into for what it holds
    already; None where that is nothing."""

    boilerplate: bool = False
    labels: Mapping[str, str] = {}
    contact: str | None = None
    keep_text: bool = False
    path: str | None = None


class Outcome(NamedTuple):
    """What became of one document; exactly one of failure, again and addition holds.

    place: what to call it. size: bytes of content. is_record: it is one of many in a file. again: of so many documents,
    as `known` says, there is nothing to change, unless what was stored has changed a moment ago; then this tells anew
    what becomes of each. passed: bytes of input that are done with it and those before it.
    """

    place: str
    size: int = 0
    failure: str | None = None
    requested: bool = False
    is_record: bool = False
    again: "Callable[[WriteBatch], Iterator[Outcome]] | None" = None
    known: int = 0
    addition: PreparedDocument | None = None
    passed: int = 0


_Done: TypeAlias = tuple[str, int, str | None, bool, bool, Record | None, int, int, int, KeptText | None]
"""An outcome on its way: place, size, failure, requested, is_record, record, share, where its fingerprints begin and
end, and text."""


class _Known(NamedTuple):
    """Documents of a piece, from one number to before another, to which nothing changes; size: of all of them."""

    start: int
    end: int
    size: int


class _Packed(NamedTuple):
    """What is made of a piece; the fingerprints of all its documents are in two arrays."""

    done: list[_Done | _Known]
    hashes: NDArray[np.uint64]
    numbers: NDArray[np.uint32]


@dataclass
class Worker:
    """Makes outcomes of pieces, in whichever process. frequencies: as `Recipe.fingerprint` takes them; db: of the
    task's path, open."""

    recipe: Recipe
    task: Task
    db: "Database | None" = None
    frequencies: Frequencies | None = None

    def outcomes(self, piece: Chunk) -> list[Outcome]:
        """The outcome of each document, in order."""
        return list(self.unpack(piece, self.packed(piece)))

    def packed(self, piece: Chunk) -> _Packed:
        """The same, to be sent."""
        if self.db is None:
            return _Packing(self).packed(piece, None)
        with self.db.batch() as batch:
            return _Packing(self).packed(piece, batch)

    def unpack(self, piece: Chunk, packed: _Packed) -> Iterator[Outcome]:
        """The outcomes that were packed."""
        last = len(packed.done) - 1
        boilerplate = self.task.boilerplate
        anew = _Anew(self, piece)
        for index, one in enumerate(packed.done):
            passed = piece.input_bytes if index == last else 0
            if isinstance(one, _Known):
                again = partial(anew.outcomes, one.start, one.end)
                yield Outcome("", one.size, again=again, known=one.end - one.start, passed=passed)
                continue
            place, size, failure, requested, is_record, record, share, start, end, text = one
            if record is None:
                yield Outcome(place, size, failure, requested, passed=passed)
            else:
                addition = PreparedDocument(
                    record, packed.hashes[start:end], packed.numbers[start:end], boilerplate, share, text
                )
                yield Outcome(place, size, None, requested, is_record, addition=addition, passed=passed)


@dataclass
class _Anew:
    """Documents of a piece once more, as they meet another batch than the one in which they were known."""

    worker: Worker
    piece: Chunk

    @cached_property
    def _sources(self) -> list[InputDocument | Skipped]:
        return list(self.piece.documents())

    def outcomes(self, start: int, end: int, batch: "WriteBatch") -> Iterator[Outcome]:
        """Those from one number to before another."""
        some = ListChunk(self._sources[start:end])
        return self.worker.unpack(some, _Packing(self.worker).packed(some, batch))


class _Read(NamedTuple):
    """A document on its way to be fingerprinted; at: which of the piece."""

    at: int
    source: InputDocument
    content: bytes | str
    digest: bytes


class _Packing:
    """Packs the outcomes of one piece."""

    def __init__(self, worker: Worker) -> None:
        self._recipe, self._task, self._frequencies = worker.recipe, worker.task, worker.frequencies
        self._purpose = purpose_of(worker.task.boilerplate)
        self._done: list[_Done | None] = []
        """None for those that are known."""
        self._short: list[_Read] = []
        """Texts that are fingerprinted together."""
        self._hashes = [np.empty(0, np.uint64)]
        self._positions = [np.empty(0, np.uint32)]
        self._end = 0

    def packed(self, piece: Chunk, batch: "WriteBatch | None") -> _Packed:
        read: list[_Read] = []
        for index, source in enumerate(piece.documents()):
            if isinstance(source, Skipped):
                self._done.append((source.name, 0, source.reason, source.requested, False, None, 0, 0, 0, None))
                continue
            self._done.append(None)
            try:
                content = read_content(source)
                read.append(_Read(index, self._labelled(source), content, content_digest(content)))
            except Exception as error:
                self._done[index] = _failed(source, error)
        sizes = {}
        for one, known in zip(read, [False] * len(read) if batch is None else self._known(read, batch), strict=True):
            if known:
                sizes[one.at] = size_of(one.content)
            else:
                self._meet(one)
        if self._short:
            self._together()
        return _Packed(self._joined(sizes), np.concatenate(self._hashes), numbered(np.concatenate(self._positions)))

    def _joined(self, sizes: Mapping[int, int]) -> list[_Done | _Known]:
        """What became of each, but of known documents that follow each other together. sizes: of those."""
        joined: list[_Done | _Known] = []
        for known, some in itertools.groupby(range(len(self._done)), sizes.__contains__):
            indices = list(some)
            if known:
                joined.append(_Known(indices[0], indices[-1] + 1, sum(sizes[index] for index in indices)))
            else:
                joined += [done for index in indices if (done := self._done[index]) is not None]
        return joined

    def _labelled(self, source: InputDocument) -> InputDocument:
        """The source with what the task says of all."""
        if not self._task.labels and self._task.contact is None:
            return source
        labels = {**self._task.labels, **(source.labels or {})}
        return source._replace(labels=labels, contact=source.contact or self._task.contact)

    def _known(self, read: Iterable[_Read], batch: "WriteBatch") -> list[bool]:
        """Whether adding these would change nothing."""
        documents = (
            # The same content is of the same kind.
            Description(
                source.name,
                digest,
                None if source.kind == AUTO else source.kind,
                source.source,
                source.contact,
                source.labels,
            )
            for _, source, _, digest in read
        )
        return batch.holds(documents, boilerplate=self._task.boilerplate, keep_text=self._task.keep_text)

    def _meet(self, one: _Read) -> None:
        """Fingerprints a document, or puts it to those that are fingerprinted together."""
        at, source, content, digest = one
        try:
            kind = detect_kind(self._recipe, source.name, content) if source.kind == AUTO else source.kind
            if kind == "text" and self._frequencies is None and len(content) <= SHORT_TEXT:
                self._short.append(one)
            else:
                self._done[at] = self._alone(source, content, digest, kind)
        except Exception as error:
            self._done[at] = _failed(source, error)

    def _alone(self, source: InputDocument, content: bytes | str, digest: bytes, kind: str) -> _Done:
        found = self._recipe.fingerprint(
            content, kind, purpose=self._purpose, frequencies=self._frequencies, name=source.name
        )
        counts = found.symbols, found.kgrams, found.note
        done = self._described(source, content, digest, kind, *counts, found.share, self._end, len(found.hashes))
        self._append(found.hashes, found.positions)
        return done

    def _append(self, hashes: NDArray[np.uint64], positions: NDArray[np.uint32]) -> None:
        self._hashes.append(hashes)
        self._positions.append(positions)
        self._end += len(hashes)

    def _together(self) -> None:
        """Fingerprints the short texts; each that this is not for, by itself."""
        texts = self._recipe.fingerprint_texts([short.content for short in self._short], purpose=self._purpose)
        start = self._end
        if texts is not None:
            self._append(texts.hashes, texts.positions)
        for number, (index, source, content, digest) in enumerate(self._short):
            try:
                if texts is None or texts.symbols[number] < 0:
                    self._done[index] = self._alone(source, content, digest, "text")
                    continue
                counts = texts.symbols[number], texts.kgrams(number), "string" if isinstance(content, str) else "utf-8"
                count = texts.counts[number]
                self._done[index] = self._described(source, content, digest, "text", *counts, WHOLE, start, count)
                start += count
            except Exception as error:
                self._done[index] = _failed(source, error)

    def _described(
        self,
        source: InputDocument,
        content: bytes | str,
        digest: bytes,
        kind: str,
        symbols: int,
        kgrams: int,
        note: str,
        share: int,
        start: int,
        count: int,
    ) -> _Done:
        where, contact, labels, at = source.source, source.contact, source.labels, source.location
        record = described(source.name, kind, digest, where, contact, labels, symbols, kgrams, note, count)
        text = pack(content) if self._task.keep_text else None
        place = source.name if at is None else at
        return (
            place,
            size_of(content),
            None,
            source.requested,
            at is not None,
            record,
            share,
            start,
            start + count,
            text,
        )


def _failed(source: InputDocument, error: Exception) -> _Done:
    return source.place, 0, error_text(error), source.requested, False, None, 0, 0, 0, None


def detect_kind(recipe: Recipe, name: str, content: bytes | str) -> str:
    """The kind of a document that does not say it."""
    kind = recipe.resolve_kind(AUTO, content, name)
    # A string was taken out of such a file already.
    return "text" if isinstance(content, str) and kind in BINARY_KINDS else kind


def size_of(content: bytes | str) -> int:
    """Its bytes, as they are digested."""
    if isinstance(content, bytes) or content.isascii():
        return len(content)
    return len(content.encode("utf-8", "surrogatepass"))


def chunked(sources: Iterable[InputDocument | Skipped | Chunk], most: int | None = None) -> Iterator[Chunk]:
    """The same in pieces: documents that come one by one are put together. most: so many at most."""
    most = most or CHUNK_DOCUMENTS
    documents: list[InputDocument | Skipped] = []
    size = held = 0
    for source in sources:
        piece = None if isinstance(source, InputDocument | Skipped) else source
        if isinstance(source, InputDocument | Skipped):
            documents.append(source)
        if isinstance(source, InputDocument):
            size += source.size
            held += source.size if source.content is not None else 0
        if documents and (piece is not None or size >= CHUNK_BYTES or len(documents) >= most):
            yield ListChunk(documents, held, size)
            documents, size, held = [], 0, 0
        if piece is not None:
            yield piece
    if documents:
        yield ListChunk(documents, held, size)


def fingerprinted(pieces: Iterable[Chunk], worker: Worker, processes: int) -> Generator[Outcome]:
    """The outcome of every document, in order. Reading ahead is bounded: a few pieces a process.

    processes: how many may fingerprint at once; this one among them. Where it has frequencies, it does all the work.
    WorkerError: the rest cannot be had.
    """
    pieces = iter(pieces)
    ahead: list[Chunk] = []
    if processes > 1 and worker.frequencies is None:
        work = 0
        for piece in pieces:
            ahead.append(piece)
            work += estimate_work(piece, worker.recipe)
            if work >= ALONE_BYTES and len(ahead) > 1:
                given = worker.recipe.to_record(), worker.task
                crew = PoolTask(_begin, given, worker.unpack, worker.outcomes, CHUNKS_AHEAD)
                yield from run_in_pool(itertools.chain(ahead, pieces), crew, processes)
                return
    for piece in itertools.chain(ahead, pieces):
        yield from worker.outcomes(piece)


def estimate_work(piece: Chunk, recipe: Recipe) -> int:
    """How many bytes of text take as long as the piece."""
    if not isinstance(piece, ListChunk):
        return piece.content_bytes
    return sum(
        source.size * WORK.get(recipe.resolve_kind(source.kind, b"", source.name), WORK_OF_OTHERS)
        for source in piece.items
        if isinstance(source, InputDocument)
    )


def _begin(record: dict[str, Any], task: Task) -> Callable[[Chunk], _Packed]:
    """What a worker process does; as a `PoolTask` begins."""
    from fpdb.database import open as open_database

    # It is looked into only, without the key; and open for as long as the process lives.
    return Worker(Recipe.from_record(record), task, None if task.path is None else open_database(task.path, "r")).packed
