"""Hits: which documents hold the hashes of a look-up, and how hits of several look-ups become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, Self

import numpy as np

from fpdb.arrays import I64, U32, Bools
from fpdb.storage import sorting

COUNTED_BY_ID: Final = 4096  # hits from which counting them by id is faster than sorting,
SPARSE: Final = 16  # unless the ids go beyond so many times their number


@dataclass(frozen=True)
class Hits:
    """The documents that hold each hash of a look-up.

    Attributes:
        counts: The number of documents listed for each hash; shape (hashes,).
        document_ids: Ascending ids for each hash, one hash after the other; shape (hits,).
        capped: Which hashes are in as many documents as the cap, and so list none; shape (hashes,).
    """

    counts: I64
    document_ids: U32
    capped: Bools

    @classmethod
    def none(cls, hashes: int) -> Self:
        """Return the hits of hashes that no document holds."""
        return cls(np.zeros(hashes, np.int64), np.empty(0, np.uint32), np.zeros(hashes, np.bool_))

    @property
    def hash_indices(self) -> U32:
        """The index of the hash that each of `document_ids` holds; shape (hits,)."""
        return np.repeat(np.arange(len(self.counts), dtype=np.uint32), self.counts)

    def filter(self, selected: Bools) -> "Hits":
        """Return only the selected hits; selected has shape (hits,)."""
        totals = np.concatenate(([0], np.cumsum(selected)))
        ends = np.cumsum(self.counts)
        return Hits(totals[ends] - totals[ends - self.counts], self.document_ids[selected], self.capped)

    def scatter(self, asked: Bools) -> "Hits":
        """Return the hits as those of a longer array of hashes, of which only the marked ones were looked up."""
        if len(self.counts) == len(asked):
            return self
        counts, capped = np.zeros(len(asked), np.int64), np.zeros(len(asked), np.bool_)
        counts[asked], capped[asked] = self.counts, self.capped
        return Hits(counts, self.document_ids, capped)


def concat_hits(parts: Sequence[Hits], cap: int | None) -> Hits:
    """Return the hits of several parts of the documents as hits of all.

    Args:
        parts: Hits on the same hashes; the ids of each part are above those of the part before.
        cap: A hash that reaches this number of documents in all parts together is capped.
    """
    if len(parts) == 1 and cap is None:
        return parts[0]
    counts = reduce(np.add, [part.counts for part in parts])
    capped = reduce(np.logical_or, [part.capped for part in parts])
    if cap is not None:
        capped = capped | (counts >= cap)
    if len(parts) == 1 and not counts[capped].any():
        return Hits(counts, parts[0].document_ids, capped)
    columns = [part.counts for part in parts], [part.document_ids for part in parts]
    return Hits(counts * ~capped, sorting.interleave(*columns, capped.view(np.uint8)), capped)


def count_documents(document_ids: U32) -> tuple[U32, I64]:
    """Return the distinct ids, ascending, and the number of times each occurs."""
    if len(document_ids) < COUNTED_BY_ID or int(document_ids.max()) > SPARSE * len(document_ids):
        return sorting.run_lengths(np.sort(document_ids))
    counts = np.bincount(document_ids)
    distinct = np.flatnonzero(counts)
    return distinct.astype(np.uint32), counts[distinct]
