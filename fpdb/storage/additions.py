"""Documents that a commit adds, in columns, and their postings in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, Self

import numpy as np

from fpdb.arrays import I64, U32, U64, contains
from fpdb.storage import file_format, sorting
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.file_format import RECORDS_PER_GROUP
from fpdb.storage.record_columns import RecordColumns
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import Postings
from fpdb.storage.texts import KeptText

THREADS = 4  # that sort and pack at most
MANY = 1 << 18  # postings for which threads pay
AHEAD = 8  # buckets that are sorted while one is written

Later = Callable[..., Callable[[], Any]]
"""Takes a function and its arguments, and returns a function that returns its result once it is there."""


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


class Additions(NamedTuple):
    """Documents that are to be added, all boilerplate or none.

    Attributes:
        records: Of the documents; the commit sets `fingerprints`, `hashes` and `text` itself.
        hashes: Those of one document after the other's, in any order, duplicates allowed; shape (n,).
        encoded_positions: Position + 1, or 0 for none; shape (n,), or None if no posting has one.
        offsets: The index of each document's first hash, and the one behind the last; shape (documents + 1,).
        shares: How much of all hashes they sample, see file_format.WHOLE; shape (documents,).
        boilerplate: Whether their hashes are ignored.
    """

    records: Sequence[Record]
    hashes: U64
    encoded_positions: U32 | None
    offsets: I64
    shares: U32
    boilerplate: bool

    @classmethod
    def of(cls, documents: Sequence[PreparedDocument]) -> Self:
        """Put documents, all boilerplate or none, side by side."""
        records, hashes, encoded_positions, boilerplate, shares, _ = zip(*documents, strict=True)
        return cls(
            records,
            np.concatenate(hashes),
            np.concatenate(encoded_positions),
            np.array([0, *accumulate(map(len, hashes))], np.int64),
            np.array(shares, np.uint32),
            boilerplate[0],
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

    def __init__(self, additions: Additions) -> None:
        """Begin with what was given, as if no hash came twice or were boilerplate."""
        self.given = int(additions.offsets[-1] - additions.offsets[0])
        self.changed = False
        self.postings = self.hashes = self.boilerplate = additions.offsets[1:] - additions.offsets[:-1]

    def change(self) -> None:
        """Prepare to change the counts."""
        if not self.changed:
            self.changed = True
            self.hashes, self.boilerplate = self.postings.copy(), np.zeros(len(self.postings), np.int64)


class NewRecords:
    """Records of documents first_id and following; those in columns are packed while postings are sorted."""

    def __init__(self, records: Sequence[Record], first_id: int, later: Later) -> None:
        """Begin to pack the records, as if no hash came twice; later: of `workers`."""
        self._records = records
        self._first_id = first_id
        if isinstance(records, RecordColumns):
            self._groups = records.whole_groups(first_id)
            self._packed = later(records.group_values, first_id, self._groups)

    def write(self, catalogue: Catalogue, counts: Counts) -> None:
        """Write the records with these counts."""
        records, first_id = self._records, self._first_id
        if not isinstance(records, RecordColumns):
            counted = zip(records, counts.postings.tolist(), counts.hashes.tolist(), strict=True)
            catalogue.add_records(first_id, [record.counted(*numbers) for record, *numbers in counted])
            return
        groups, values = self._groups, dict(self._packed())
        if counts.changed:
            counted_records = records.counted(counts.postings, counts.hashes)
            rows = counted_records.changed_rows(records)
            changed = sorted({*((rows + first_id) // RECORDS_PER_GROUP).tolist()}.intersection(groups))
            values.update(counted_records.group_values(first_id, changed))
            records = counted_records
        catalogue.add_groups(values.items())
        start = min(groups.start * RECORDS_PER_GROUP - first_id, len(records))
        end = max(groups.stop * RECORDS_PER_GROUP - first_id, start)
        catalogue.add_records(first_id, records[:start])
        catalogue.add_records(first_id + end, records[end:])


def divide(additions: Additions, first_id: int) -> sorting.PostingBuckets:
    """Divide the postings of documents first_id and following among buckets."""
    return sorting.PostingBuckets(additions.hashes, additions.encoded_positions, additions.offsets, first_id)


def sorted_postings(
    buckets: Callable[[], sorting.PostingBuckets], first_id: int, boilerplate_hashes: U64, counts: Counts, later: Later
) -> Iterator[Postings]:
    """Yield the distinct postings of documents, piece by piece, by (hash, document, position).

    Args:
        buckets: Returns the postings.
        first_id: The id of the first document.
        boilerplate_hashes: Sorted, distinct.
        counts: Of the documents; right once all pieces were taken.
        later: Of `workers`.
    """
    for hashes, document_ids, encoded_positions in _sorted_buckets(buckets(), later):
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


def _sorted_buckets(buckets: sorting.PostingBuckets, later: Later) -> Iterator[tuple[U64, U32, U32]]:
    """Yield the buckets, each sorted, while threads sort the next ones."""
    ahead: deque[Callable[[], tuple[U64, U32, U32]]] = deque()
    for bucket in range(buckets.count):
        ahead.append(later(buckets.sort, bucket))
        if len(ahead) > AHEAD:
            yield ahead.popleft()()
    while ahead:
        yield ahead.popleft()()


@contextmanager
def workers(postings: int) -> Iterator[Later]:
    """Give a function that calls another one in a thread; of few postings, the function is called for its result."""
    if postings < MANY:
        yield partial
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)) as pool:
        try:
            yield lambda function, *arguments: pool.submit(function, *arguments).result
        finally:
            pool.shutdown(cancel_futures=True)
