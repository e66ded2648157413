"""PrefetchedSnapshot: the look-ups of many queries made at once, so that no block is read twice."""

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U32, U64, Bools
from fpdb.storage import sorting
from fpdb.storage.hits import Hits, concat_hits
from fpdb.storage.index_reader import IndexReader

MAX_HITS = 1 << 24
"""Hits that are held in memory: 64 MB, or twice that."""
MIN_CAP = 16
"""Documents of any hash that are held."""


class PrefetchedSnapshot:
    """A reader that has looked up some hashes in another reader, and answers look-ups of any of them from memory.

    Attributes:
        document_ids: The documents of all hashes: those of hash i, ascending, are document_ids[starts[i]:ends[i]].
        starts: Shape (hashes,).
        ends: Shape (hashes,).
        complete: Whether all documents of a hash are held; if not, none is, and they are too many; shape (hashes,).
    """

    def __init__(self, reader: IndexReader, hashes: U64) -> None:
        """Look up the hashes, which are sorted and distinct. Raises Corrupt."""
        self.document_count, self.posting_count = reader.document_count, reader.posting_count
        self.catalogue, self.texts = reader.catalogue, reader.texts
        self.file_id, self.find_by_name, self.boilerplate = reader.file_id, reader.find_by_name, reader.boilerplate
        self.find_occurrences = reader.find_occurrences
        self.are_common, self.find_holders = reader.are_common, reader.find_holders
        self.count_holders = reader.count_holders
        self.has_dead_postings, self.scans = reader.has_dead_postings, reader.scans
        self.find_frequent = reader.find_frequent
        self._reader = reader
        self._hashes = hashes
        cap = _cap(len(hashes))
        hits = reader.look_up(hashes, cap=cap)
        self.document_ids, self.complete, self._known_counts = hits.document_ids, ~hits.capped, hits.counts
        self.ends = np.cumsum(hits.counts)
        self.starts = self.ends - hits.counts
        common = np.flatnonzero(hits.capped)
        self._known_counts[common] = cap
        if len(common) and _cap(len(common)) != cap:
            self._look_up_common(common, _cap(len(common)))

    def _look_up_common(self, common: NDArray[np.intp], cap: int) -> None:
        """Look up the hashes of these indices again, with a higher cap, since they are few."""
        hits = self._reader.look_up(self._hashes[common], cap=cap)
        self.ends[common] = len(self.document_ids) + np.cumsum(hits.counts)
        self.starts[common] = self.ends[common] - hits.counts
        self._known_counts[common] = np.where(hits.capped, cap, hits.counts)
        self.complete[common] = ~hits.capped
        self.document_ids = np.concatenate((self.document_ids, hits.document_ids))

    def capped(self, cap: int | None) -> Bools:
        """Return which of the prefetched hashes are known to be in as many documents as the cap; shape (hashes,)."""
        return np.zeros(len(self._hashes), np.bool_) if cap is None else self._known_counts >= cap

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """Find the live ordinary documents that hold the hashes, see `IndexReader.look_up`."""
        indices = self._find(hashes)
        if indices is None:
            return self._reader.look_up(hashes, cap=cap)
        capped = self.capped(cap)[indices]
        starts, ends = self.starts[indices], np.where(capped, self.starts[indices], self.ends[indices])
        hits = Hits(ends - starts, sorting.gather_slices(self.document_ids, starts, ends), capped)
        unknown = ~self.complete[indices] & ~capped
        if not unknown.any():
            return hits
        return concat_hits([hits, self._reader.look_up(hashes[unknown], cap=cap).scatter(unknown)], cap)

    def count_by_document(self, hashes: U64) -> U32 | None:
        """Count the hashes each ordinary document holds, unless `look_up` answers from memory; see `IndexReader`."""
        indices = self._find(hashes)
        if indices is not None and self.complete[indices].all():
            return None
        return self._reader.count_by_document(hashes)

    def _find(self, hashes: U64) -> NDArray[np.intp] | None:
        """Return the indices of the hashes among the prefetched ones, or None if one is missing."""
        if not len(self._hashes):
            return None
        indices = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return indices if (self._hashes[indices] == hashes).all() else None


def _cap(hashes: int) -> int:
    """Return the number of documents of a hash from which they are not held, of so many hashes."""
    return max(MAX_HITS // hashes if hashes else MAX_HITS, MIN_CAP)
