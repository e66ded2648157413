"""Ingesting documents whose postings are sorted already: external runs become runs of the store, in bounded memory.

First the runs are written, unlisted; if all goes well, the state lists them, every posting dead, since no document has
these ids yet; then the documents come in by batches, each a commit that makes their postings live. So the store is
sound at any moment, and what an interruption leaves is postings that the next merge drops.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

import numpy as np

from fpdb.arrays import U32, U64, contains, sorted_distinct
from fpdb.errors import Error, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.catalogue import live_documents
from fpdb.storage.commit import Arrivals, Change
from fpdb.storage.id_set import ABSENT, IdSet
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import Postings, mark_pairs
from fpdb.storage.runs.writer import write_run
from fpdb.storage.snapshot import Snapshot, read_state, write_state
from fpdb.storage.state import Run
from fpdb.storage.store import Store
from fpdb.storage.texts import KeptText

DOCUMENTS_PER_COMMIT = 1 << 14
TEXT_BYTES_PER_COMMIT = 64 << 20  # packed


class IncomingDocument(NamedTuple):
    """A document of a source.

    number: its number in the source. record: all of it is right but perhaps the number of distinct hashes. share: how
    much of all hashes its hashes sample, see file_format.WHOLE.
    """

    number: int
    record: Record
    share: int


class IncomingRun(NamedTuple):
    """Postings that become one run of the store.

    first, last: the first and last number of its documents. pieces: postings with these numbers for document ids,
    strictly ascending by (hash, document, position) throughout.
    """

    first: int
    last: int
    pieces: Iterable[Postings]


class SortedPostingsSource(Protocol):
    """Ordinary documents, numbered from 0, perhaps with gaps, and their sorted postings."""

    def runs(self) -> Iterator[IncomingRun]:
        """Yield all postings. The documents of one run come before those of the next."""

    def check(self, numbers: U32, postings: U32) -> None:
        """Raise an error if these documents have other counts of postings, as far as that costs no reading of all."""

    def documents(self, numbers: U32) -> Iterator[IncomingDocument]:
        """Yield the documents of these numbers, ascending."""

    def text(self, document: IncomingDocument) -> KeptText | None:
        """Return what is kept of a document's content."""

    def miscounted(self, number: int, told: int, found: int) -> Error:
        """Return the error for a document whose record tells another count of postings than was found."""


def ingest_sorted(
    store: Store, source: SortedPostingsSource, numbers: U32, replaced_boilerplate: Sequence[bytes] = ()
) -> None:
    """Add documents of a source under new ids in the same order; stored documents of the same names are removed.

    The caller keeps writers out. After an error of the source that concerns postings nothing has changed. After any
    other error some of the documents may be there, each of them whole.

    Args:
        store: Where the documents go.
        source: Where they come from.
        numbers: The numbers of the documents, ascending.
        replaced_boilerplate: Their names that boilerplate documents have.

    Raises:
        StorageFailure: The store cannot be written; or whatever error the source raises.
    """
    if len(numbers):
        _Ingest(store, source, numbers, replaced_boilerplate).run()


class _Counts:
    """Counts of each document that comes; shape (documents,)."""

    def __init__(self, documents: int) -> None:
        self.postings = np.zeros(documents, np.uint32)
        self.hashes = np.zeros(documents, np.uint32)
        self.boilerplate = np.zeros(documents, np.uint32)  # of the hashes


class _Ingest:
    def __init__(
        self, store: Store, source: SortedPostingsSource, numbers: U32, replaced_boilerplate: Sequence[bytes]
    ) -> None:
        self.store = store
        self.source = source
        self.numbers = numbers
        self.replaced_boilerplate = replaced_boilerplate
        with store.snapshot() as snapshot:
            self.boilerplate = _boilerplate_without(snapshot, replaced_boilerplate)
            self.first_id = snapshot.state.next_document
        if self.first_id + len(numbers) - 1 > file_format.LAST_DOCUMENT:
            raise Error("the document ids are used up; export the documents into a new database")
        self.rows = IdSet(numbers)
        self.counts = _Counts(len(numbers))

    def run(self) -> None:
        try:
            new_runs = [run for incoming in self.source.runs() if (run := self._write_run(incoming)) is not None]
            self.source.check(self.numbers, self.counts.postings)
        except BaseException:
            with suppress(StorageFailure):  # the next writer sweeps
                self.store.sweep()
            raise
        with self.store.env.write() as (txn, _):
            state = read_state(txn)
            runs = sorted((*state.runs, *new_runs), key=lambda run: run.first_id)
            write_state(txn, state._replace(next_document=self.first_id + len(self.numbers), runs=tuple(runs)))
        if self.replaced_boilerplate:
            self.store.apply(Change(removals=self.replaced_boilerplate))
        for change in self._changes():
            self.store.apply(change)

    # ------------------------------------------------------------ postings

    def _write_run(self, incoming: IncomingRun) -> Run | None:
        first, end = np.searchsorted(self.numbers, [incoming.first, incoming.last + 1]).tolist()
        if first == end:
            return None
        complete = end - first == incoming.last + 1 - incoming.first
        pieces = self._counted(self._renumbered(incoming.pieces, complete=complete))
        document_ids = self.first_id + first, self.first_id + end - 1
        run = write_run(self.store.env, self.store.reserve_run(), pieces, document_ids)
        return run._replace(dead=run.postings) if run.postings else None

    def _renumbered(self, pieces: Iterable[Postings], *, complete: bool) -> Iterator[Postings]:
        """Yield the postings of the documents that come, with their new ids. complete: all come."""
        for piece in pieces:
            rows = self.rows.rows(piece.document_ids)
            if not complete:
                wanted = rows != ABSENT
                piece, rows = piece[wanted], rows[wanted]
            if len(rows):
                yield Postings(piece.hashes, rows + np.uint32(self.first_id), piece.encoded_positions)

    def _counted(self, pieces: Iterable[Postings]) -> Iterator[Postings]:
        counts = self.counts
        for piece, first in mark_pairs(pieces):
            rows = piece.document_ids - np.uint32(self.first_id)
            np.add.at(counts.postings, rows, np.uint32(1))
            np.add.at(counts.hashes, rows[first], np.uint32(1))
            bounds = np.searchsorted(self.boilerplate, piece.hashes[[0, -1]])
            near = self.boilerplate[bounds[0] : bounds[1] + 1]
            if len(near):
                np.add.at(counts.boilerplate, rows[first & contains(near, piece.hashes)], np.uint32(1))
            yield piece

    # ------------------------------------------------------------ documents

    def _changes(self) -> Iterator[Change]:
        """Yield the changes that make the documents live, some at a time."""
        done, room = 0, TEXT_BYTES_PER_COMMIT
        documents: list[IncomingDocument] = []
        texts: dict[bytes, KeptText] = {}
        for document in self.source.documents(self.numbers):
            documents.append(document)
            text = self.source.text(document)
            if text is not None:
                texts[document.record.name] = text
                room -= len(text.packed)
            if len(documents) == DOCUMENTS_PER_COMMIT or room <= 0:
                yield self._change(done, documents, texts)
                done, room = done + len(documents), TEXT_BYTES_PER_COMMIT
                documents, texts = [], {}
        if documents:
            yield self._change(done, documents, texts)

    def _change(self, row: int, documents: list[IncomingDocument], texts: dict[bytes, KeptText]) -> Change:
        counts, rows = self.counts, slice(row, row + len(documents))
        sizes = np.empty(len(documents), file_format.SIZE)
        sizes["hashes"], sizes["boilerplate"] = counts.hashes[rows], counts.boilerplate[rows]
        sizes["share"] = [document.share for document in documents]
        records = []
        counted = zip(documents, counts.postings[rows].tolist(), counts.hashes[rows].tolist(), strict=True)
        for (number, record, _), postings, hashes in counted:
            if record.fingerprints != postings:
                raise self.source.miscounted(number, record.fingerprints, postings)
            records.append(record.counted(postings, hashes))
        return Change(texts=texts, arrivals=Arrivals(self.first_id + row, records, sizes))


def _boilerplate_without(snapshot: Snapshot, names: Sequence[bytes]) -> U64:
    """Return the hashes that live boilerplate documents other than these hold; sorted, distinct."""
    if not names:
        return snapshot.boilerplate()
    removed = np.fromiter(snapshot.catalogue.find_all(names).values(), np.uint32)
    parts = [np.empty(0, np.uint64)]
    for run in snapshot.runs(boilerplate=True):
        for piece in snapshot.scan(run):
            live = live_documents(snapshot.catalogue, piece.document_ids)
            parts.append(piece.hashes[live & ~np.isin(piece.document_ids, removed)])
    return sorted_distinct(np.concatenate(parts))
