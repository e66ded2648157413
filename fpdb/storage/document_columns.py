"""Documents that a commit adds, in columns, and their postings in order."""

import os
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Self

import numpy as np

from fpdb.arrays import I64, U32, U64, contains
from fpdb.storage import file_format, sorting
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.file_format import RECORDS_PER_GROUP
from fpdb.storage.record_columns import RecordColumns
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import Postings
from fpdb.storage.texts import KeptText

THREADS = 4  # that sort at most


class PreparedDocument(NamedTuple):
    """A document that is ready to be committed.

    hashes: shape (n,), in any order, duplicates allowed. encoded_positions: shape (n,), position + 1, or 0 for none.
    share: how much of all hashes they sample, see file_format.WHOLE. text: the content, where it is to be kept. The
    commit sets the record's `fingerprints`, `hashes` and `text` itself; the record's `text` is None before.
    """

    record: Record
    hashes: U64
    encoded_positions: U32
    boilerplate: bool = False
    share: int = file_format.WHOLE
    text: KeptText | None = None


class DocumentColumns(NamedTuple):
    """Documents that are to be added, all boilerplate or none.

    Attributes:
        records: Of the documents; the commit sets `fingerprints` and `hashes` itself.
        hashes: Those of one document after the other's, in any order, duplicates allowed; shape (n,).
        encoded_positions: Position + 1, or 0 for none; shape (n,), or None if no posting has one.
        offsets: The index of each document's first hash, and the one behind the last; shape (documents + 1,).
        shares: How much of all hashes they sample, see file_format.WHOLE; shape (documents,).
        boilerplate: Whether their hashes are ignored.
        texts: What is to be kept of each document, whose record has its size; empty if of none.
    """

    records: Sequence[Record]
    hashes: U64
    encoded_positions: U32 | None
    offsets: I64
    shares: U32
    boilerplate: bool
    texts: Sequence[KeptText | None] = ()

    @classmethod
    def of(cls, documents: Sequence[PreparedDocument]) -> Self:
        """Put documents, all boilerplate or none, side by side."""
        records, hashes, encoded_positions, boilerplate, shares, texts = zip(*documents, strict=True)
        kept = any(texts)
        if kept:
            both = zip(records, texts, strict=True)
            records = tuple(record if text is None else record._replace(text=text.size) for record, text in both)
        return cls(
            records,
            np.concatenate(hashes),
            np.concatenate(encoded_positions),
            np.array([0, *accumulate(map(len, hashes))], np.int64),
            np.array(shares, np.uint32),
            boilerplate[0],
            texts if kept else (),
        )

    @property
    def names(self) -> list[bytes]:
        """The names of the documents."""
        if isinstance(self.records, RecordColumns):
            return self.records.names
        return [record.name for record in self.records]

    def documents(self) -> Iterator[PreparedDocument]:
        """Yield each document by itself."""
        encoded = self.encoded_positions
        if encoded is None:
            encoded = np.zeros(len(self.hashes), np.uint32)
        bounds = self.offsets.tolist()
        for row, record in enumerate(self.records):
            part = slice(bounds[row], bounds[row + 1])
            yield PreparedDocument(record, self.hashes[part], encoded[part], self.boilerplate, int(self.shares[row]))


class Counts:
    """Counts of each document that is added; shape (documents,).

    Attributes:
        given: Postings of all documents, repeated ones included.
        changed: Whether the counts may be others than at first; if not, no hash is boilerplate.
        postings: Distinct ones.
        hashes: Distinct ones.
        boilerplate: Distinct hashes that are boilerplate.
    """

    def __init__(self, documents: DocumentColumns) -> None:
        """Begin with what was given, as if no hash came twice or were boilerplate."""
        self.given = int(documents.offsets[-1] - documents.offsets[0])
        self.changed = False
        self.postings = self.hashes = self.boilerplate = documents.offsets[1:] - documents.offsets[:-1]

    def change(self) -> None:
        """Prepare to change the counts."""
        if not self.changed:
            self.changed = True
            self.hashes, self.boilerplate = self.postings.copy(), np.zeros(len(self.postings), np.int64)


def sorted_postings(
    documents: DocumentColumns, first_id: int, boilerplate_hashes: U64, counts: Counts
) -> Iterator[Postings]:
    """Yield the distinct postings of documents, piece by piece, by (hash, document, position).

    Args:
        documents: The documents.
        first_id: The id of the first.
        boilerplate_hashes: Sorted, distinct.
        counts: Of the documents; right once all pieces were taken.
    """
    buckets = sorting.PostingBuckets(documents.hashes, documents.encoded_positions, documents.offsets, first_id)
    for hashes, document_ids, encoded_positions in _sorted_buckets(buckets):
        if not len(hashes):
            continue
        postings = Postings(hashes, document_ids, encoded_positions)
        first = sorting.first_of_pair(hashes, document_ids)
        if len(boilerplate_hashes):
            counts.change()
            common = first & contains(boilerplate_hashes, hashes)
            np.add.at(counts.boilerplate, document_ids[common] - np.uint32(first_id), 1)
        if np.count_nonzero(first) < len(first):
            counts.change()
            repeated = document_ids[~first] - np.uint32(first_id)
            np.subtract.at(counts.hashes, repeated, 1)
            same = ~first[1:]
            if (same & (postings.encoded_positions[1:] < postings.encoded_positions[:-1])).any():
                postings = postings[np.lexsort((encoded_positions, document_ids, hashes))]
            equal = same & (postings.encoded_positions[1:] == postings.encoded_positions[:-1])
            distinct = np.r_[True, ~equal]
            np.subtract.at(counts.postings, document_ids[~distinct] - np.uint32(first_id), 1)
            postings = postings[distinct]
        yield postings


def _sorted_buckets(buckets: sorting.PostingBuckets) -> Iterator[tuple[U64, U32, U32]]:
    """Yield the buckets, each sorted, while threads sort the next ones."""
    if buckets.count == 1:
        yield buckets.sort(0)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)) as pool:
        try:
            yield from pool.map(buckets.sort, range(buckets.count))
        finally:
            pool.shutdown(cancel_futures=True)


def write_records(catalogue: Catalogue, records: Sequence[Record], first_id: int, counts: Counts) -> None:
    """Write the records of documents first_id and following with these counts."""
    if not isinstance(records, RecordColumns):
        counted = zip(records, counts.postings.tolist(), counts.hashes.tolist(), strict=True)
        catalogue.add_records(first_id, [record.counted(*numbers) for record, *numbers in counted])
        return
    if counts.changed:
        records = records.counted(counts.postings, counts.hashes)
    groups = records.whole_groups(first_id)
    catalogue.add_groups(records.group_values(first_id, groups))
    start = min(groups.start * RECORDS_PER_GROUP - first_id, len(records))
    end = max(groups.stop * RECORDS_PER_GROUP - first_id, start)
    catalogue.add_records(first_id, records[:start])
    catalogue.add_records(first_id + end, records[end:])
