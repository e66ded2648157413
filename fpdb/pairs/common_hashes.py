"""Look up the hashes that a cap leaves out of a comparison, so that documents are aligned by what is counted."""

from typing import Final, Self

import numpy as np

from fpdb.arrays import I64, U64, sorted_distinct
from fpdb.pairs.compared_set import NONE, ComparedSet, read_compared_set
from fpdb.pairs.options import PairOptions
from fpdb.storage.index_reader import IndexReader

RANK_BITS: Final = np.uint64(32)  # the low bits of a key of a hash's index and a rank


class CommonHashes:
    """The hashes that max_df documents, or owners, of those compared hold, as `PairCounter` counts these."""

    def __init__(self, reader: IndexReader, compared_set: ComparedSet | None, max_df: int) -> None:
        """Look hashes up in a reader. compared_set: None if no hash is common; max_df: 0, likewise."""
        self._reader, self._compared_set, self._max_df = reader, compared_set, max_df
        self._known: dict[int, bool] = {}

    @classmethod
    def of(cls, reader: IndexReader, options: PairOptions) -> Self:
        """Return those of a comparison; reads the catalogue unless no hash can be common. Raises Corrupt."""
        compared_set = read_compared_set(reader, options) if options.frequency_cap(reader.document_count) else None
        return cls(reader, compared_set, options.frequency_cap(0 if compared_set is None else len(compared_set)))

    def among(self, hashes: U64) -> U64:
        """Return those of the sorted, distinct hashes that are common. Raises Corrupt."""
        compared_set = self._compared_set
        if compared_set is None or not self._max_df:
            return hashes[:0]
        # What is compared is a part of what the reader has, so its common hashes are common there, too; these are few.
        capped = hashes[self._reader.look_up(hashes, cap=self._max_df).capped]
        unknown = np.array([hash_ for hash_ in capped.tolist() if hash_ not in self._known], np.uint64)
        if len(unknown):
            common = self._count(compared_set, unknown) >= self._max_df
            self._known.update(zip(unknown.tolist(), common.tolist(), strict=True))
        return capped[[self._known[hash_] for hash_ in capped.tolist()]] if len(capped) else capped

    def _count(self, compared_set: ComparedSet, hashes: U64) -> I64:
        """Return the number of ranks that hold each hash where it counts; shape (n,)."""
        hits = compared_set.seams.leave_out(self._reader, hashes, self._reader.look_up(hashes))
        ranks = compared_set.ranks.look_up(hits.document_ids)
        compared = ranks != NONE
        keys = sorted_distinct(hits.hash_indices[compared].astype(np.uint64) << RANK_BITS | ranks[compared])
        counts: I64 = np.bincount((keys >> RANK_BITS).astype(np.int64), minlength=len(hashes))
        return counts
