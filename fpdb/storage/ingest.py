"""Taking documents in whose postings are sorted already: these become runs as they are, in bounded memory.

First the runs are written, unlisted; if all goes well, the state lists them, every posting dead, since no document has
these ids yet; then the documents come in by batches, each a commit that makes their postings live. So the store is
sound at any moment, and what an interruption leaves is postings that the next merge drops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

import numpy as np

from fpdb.arrays import U32, U64, contains
from fpdb.errors import Error, StorageFailure
from fpdb.storage import _sorting, file_format
from fpdb.storage.catalogue import live_documents
from fpdb.storage.commit import Arrivals, Change
from fpdb.storage.file_format import Record, Run
from fpdb.storage.runs import run_blocks
from fpdb.storage.runs.run_blocks import Postings, RunWriter
from fpdb.storage.snapshot import Snapshot, read_state, write_state
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

POSTINGS_A_TRANSACTION = 4 << 20
DOCUMENTS_A_COMMIT = 1 << 14
TEXTS_A_COMMIT = 64 << 20  # bytes, packed
NO_ROW: Final = 2**32 - 1


class Document(NamedTuple):
    """A document of a source: its number there; its record, of which only the number of distinct hashes need not be
    right; and its share, see layout.WHOLE."""

    number: int
    record: Record
    share: int


class Part(NamedTuple):
    """Postings that become one run: the first and the last number of its documents, and pieces that hold these numbers
    for documents, strictly ascending by (hash, document, position) throughout."""

    first: int
    last: int
    pieces: Iterable[Postings]


class Source(Protocol):
    """Where ordinary documents come from; it numbers them from 0 to size - 1, perhaps with gaps."""

    size: int

    def parts(self) -> Iterator[Part]:
        """All postings. The documents of one part come before those of the next."""

    def check(self, numbers: U32, postings: U32) -> None:
        """Raises where these documents have not as many postings, if that can be told without reading all records."""

    def documents(self, numbers: U32) -> Iterator[Document]:
        """The documents of these numbers, ascending."""

    def text(self, document: Document) -> KeptText | None:
        """What is kept of a document's content."""

    def miscounted(self, number: int, told: int, found: int) -> Error:
        """What to raise where a document has another number of postings than its record tells."""


class _Counts:
    """What the postings come to, by new id: postings, distinct hashes, and how many of these are boilerplate."""

    def __init__(self, documents: int) -> None:
        self.postings = np.zeros(documents, np.uint32)
        self.hashes = np.zeros(documents, np.uint32)
        self.boilerplate = np.zeros(documents, np.uint32)


class _Intake:
    """numbers: of the documents that are taken in, ascending. make_way: see `take_in`."""

    def __init__(self, store: Store, source: Source, numbers: U32, make_way: Sequence[bytes]) -> None:
        self.store = store
        self.source = source
        self.numbers = numbers
        self.make_way = make_way
        with store.snapshot() as view:
            self.boilerplate = _boilerplate_without(view, make_way)
            self.first_id = view.state.next_document
        if self.first_id + len(numbers) - 1 > file_format.LAST_DOCUMENT:
            raise Error("the document ids are used up; export the documents into a new database")
        self.rows = np.full(source.size, NO_ROW, np.uint32)  # among the documents taken in
        self.rows[numbers] = np.arange(len(numbers), dtype=np.uint32)
        self.counts = _Counts(len(numbers))

    def run(self) -> None:
        listed: list[Run] = []
        try:
            for part in self.source.parts():
                run = self._write_run(part)
                listed += [run] if run is not None else []
            self.source.check(self.numbers, self.counts.postings)
        except BaseException:
            with suppress(StorageFailure):  # whoever writes next sweeps
                self.store.sweep()
            raise
        with self.store.env.write() as (txn, _):
            state = read_state(txn)
            ordered = sorted((*state.runs, *listed), key=lambda run: run.first_id)
            write_state(txn, state._replace(next_document=self.first_id + len(self.numbers), runs=tuple(ordered)))
        if self.make_way:
            self.store.apply(Change(removals=self.make_way))
        for change in self._changes():
            self.store.apply(change)

    # ------------------------------------------------------------ postings

    def _write_run(self, part: Part) -> Run | None:
        first, end = np.searchsorted(self.numbers, [part.first, part.last + 1]).tolist()
        if first == end:
            return None
        with self.store.env.write() as (txn, _):
            state = read_state(txn)
            writer = RunWriter(state.next_run)
            write_state(txn, state._replace(next_run=state.next_run + 1))
        every = end - first == part.last + 1 - part.first
        pieces = self._renumbered(part.pieces, every=every)
        more = True
        while more:
            more = False
            with self.store.env.write() as (txn, file):
                blocks = file.databases[file_format.BLOCKS]
                for piece in pieces:
                    writer.append(txn, blocks, piece)
                    if writer.postings % POSTINGS_A_TRANSACTION < len(piece):
                        more = True
                        break
                else:
                    run = writer.finish(txn, blocks, self.first_id + first, self.first_id + end - 1)
        return run._replace(dead=run.postings) if run.postings else None

    def _renumbered(self, pieces: Iterable[Postings], *, every: bool) -> Iterator[Postings]:
        """The postings of documents that are taken, with their new ids; counted. every: all are."""
        before = run_blocks.NO_POSTINGS
        for piece in pieces:
            rows = self.rows[piece.documents]
            hashes, numbers = piece.hashes, piece.numbers
            if not every:
                which = rows != NO_ROW
                hashes, rows, numbers = hashes[which], rows[which], numbers[which]
            if not len(rows):
                continue
            new = _sorting.first_of_pair(hashes, rows)
            new[0] = not len(before) or (before.hashes[-1], before.documents[-1]) != (hashes[0], rows[0])
            np.add.at(self.counts.postings, rows, np.uint32(1))
            np.add.at(self.counts.hashes, rows[new], np.uint32(1))
            ends = np.searchsorted(self.boilerplate, hashes[[0, -1]])
            near = self.boilerplate[ends[0] : ends[1] + 1]
            if len(near):
                np.add.at(self.counts.boilerplate, rows[new & contains(near, hashes)], np.uint32(1))
            before = Postings(hashes[-1:], rows[-1:], numbers[-1:])
            yield Postings(hashes, rows + np.uint32(self.first_id), numbers)

    # ------------------------------------------------------------ documents

    def _changes(self) -> Iterator[Change]:
        """The documents, some at a time."""
        done, room = 0, TEXTS_A_COMMIT
        some: list[Document] = []
        texts: dict[bytes, KeptText] = {}
        for document in self.source.documents(self.numbers):
            some.append(document)
            text = self.source.text(document)
            if text is not None:
                texts[document.record.name] = text
                room -= len(text.packed)
            if len(some) == DOCUMENTS_A_COMMIT or room <= 0:
                yield self._change(done, some, texts)
                done, room = done + len(some), TEXTS_A_COMMIT
                some, texts = [], {}
        if some:
            yield self._change(done, some, texts)

    def _change(self, row: int, some: list[Document], texts: dict[bytes, KeptText]) -> Change:
        counts, these = self.counts, slice(row, row + len(some))
        sizes = np.empty(len(some), file_format.SIZE)
        sizes["hashes"], sizes["boilerplate"] = counts.hashes[these], counts.boilerplate[these]
        sizes["share"] = [document.share for document in some]
        records = []
        counted = zip(some, counts.postings[these].tolist(), counts.hashes[these].tolist(), strict=True)
        for (number, record, _), postings, hashes in counted:
            if record.fingerprints != postings:
                raise self.source.miscounted(number, record.fingerprints, postings)
            records.append(record if record.hashes == hashes else record.counted(postings, hashes))
        return Change(texts=texts, arrivals=Arrivals(self.first_id + row, records, sizes))


def _boilerplate_without(view: Snapshot, names: Sequence[bytes]) -> U64:
    """The hashes that live boilerplate documents hold but those of these names; sorted, distinct."""
    if not names:
        return view.boilerplate()
    gone = np.fromiter(view.catalogue.find_all(names).values(), np.uint32)
    parts = [np.empty(0, np.uint64)]
    for run in view.runs(boilerplate=True):
        for piece in run_blocks.scan(view.txn, view.blocks, run):
            parts.append(
                piece.hashes[live_documents(view.catalogue, piece.documents) & ~np.isin(piece.documents, gone)]
            )
    return np.unique(np.concatenate(parts))


def take_in(store: Store, source: Source, numbers: U32, make_way: Sequence[bytes] = ()) -> None:
    """Takes in the documents of these numbers at the source, ascending, under new ids in the same order; those of the
    same names that are there go.

    make_way: those of the names that boilerplate documents have. The caller keeps writers out. Raises what the source
    raises; where that is of its postings, or of `check`, nothing has changed. After any other error, StorageFailure
    say, some of the documents may be there, each of them whole.
    """
    if len(numbers):
        _Intake(store, source, numbers, make_way).run()
