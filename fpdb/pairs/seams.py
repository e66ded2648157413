"""Find the postings that lie in seams of boilerplate, which count for nothing; see `fingerprint.marked_symbols`."""

from typing import Final

import numpy as np

from fpdb.arrays import U32, U64, Bools, contains, sorted_distinct
from fpdb.fingerprint import KINDS
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.storage.document_table import DocumentTable
from fpdb.storage.hits import Hits
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.runs.postings import Postings

TOGETHER: Final = 1 << 15  # documents whose boilerplate is looked up at once
SPAN: Final = 1 << 33  # apart from each other: a position, and the length of a k-gram behind it


class Seams:
    """The marks of all documents that hold boilerplate, as if these stood one after the other.

    A document's k is what its numbers of symbols and k-grams tell. Hashes of the caller's own have no symbols to mark.
    """

    def __init__(self, reader: IndexReader, table: DocumentTable) -> None:
        """Find the marks of documents. Raises Corrupt."""
        document_ids = table.ids
        boilerplate = reader.boilerplate()
        self._ids, self._k = document_ids[:0], np.empty(0, np.int64)
        if len(boilerplate):
            symbols, kgrams = table.counts[:, 0], table.counts[:, 1]
            is_read = np.array([kind in KINDS for kind in table.kinds], np.bool_)
            k = np.where(is_read & (kgrams > 0), symbols - kgrams + 1, 0)
            holds = (k > 0) & (reader.catalogue.sizes(document_ids)["boilerplate"] > 0)
            self._ids, self._k = document_ids[holds], k[holds]
        parts = [self._find_marks(reader, boilerplate, at) for at in range(0, len(self._ids), TOGETHER)]
        columns = zip(*((each.starts, each.ends) for each in (NO_MARKS, *parts)), strict=True)
        self._marks = MarkedSymbols(*map(np.concatenate, columns))

    def __len__(self) -> int:
        """Return the number of documents that hold boilerplate, and may have seams."""
        return len(self._ids)

    def _find_marks(self, reader: IndexReader, boilerplate: U64, start: int) -> MarkedSymbols:
        """Return the marks of TOGETHER documents, the first of which has this index."""
        found = reader.find_occurrences(boilerplate, self._ids[start : start + TOGETHER])
        places = np.sort(np.searchsorted(self._ids, found.document_ids) * SPAN + found.positions)
        return MarkedSymbols.of(places, self._k[places // SPAN])

    def counted(self, postings: Postings) -> Bools:
        """Return which of some postings, none of boilerplate, do not lie in seams; shape (n,)."""
        counted = np.ones(len(postings), np.bool_)
        asked = np.flatnonzero(contains(self._ids, postings.document_ids) & (postings.encoded_positions > 0))
        if len(asked):
            indices = np.searchsorted(self._ids, postings.document_ids[asked])
            places = indices * SPAN + (postings.encoded_positions[asked].astype(np.int64) - 1)
            counted[asked] = ~self._marks.covers_most(places, self._k[indices])
        return counted

    def leave_out(self, reader: IndexReader, hashes: U64, hits: Hits) -> Hits:
        """Return those of the hits on hashes that do not lie in seams. hashes: sorted, distinct. Raises Corrupt."""
        if not len(self._ids):
            return hits
        found = reader.find_occurrences(hashes, self._ids)
        postings = Postings(hashes[found.hash_indices], found.document_ids, found.positions + np.uint32(1))
        keys, counted = _keys(found.hash_indices, found.document_ids), self.counted(postings)
        elsewhere, seams = (sorted_distinct(keys[part]) for part in (counted, ~counted))
        seams = seams[~contains(elsewhere, seams)]
        return hits.filter(~contains(seams, _keys(hits.hash_indices, hits.document_ids)))


def _keys(hash_indices: U32, document_ids: U32) -> U64:
    return hash_indices.astype(np.uint64) << np.uint64(32) | document_ids
