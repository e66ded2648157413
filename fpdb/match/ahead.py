"""Many queries at once: their hashes are looked up together, so that no block is read twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fpdb.match.queries import sorted_distinct
from fpdb.store import _sorting
from fpdb.store.runs import Postings
from fpdb.store.snapshot import Hits, Snapshot, count_each

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

COMMON = 256
"""Hashes that as many documents hold are looked up anew for each query: their documents are not to be held for all."""


class LookedUp(Snapshot):
    """A snapshot that has looked hashes up already, and is asked for some of them."""

    def __init__(self, view: Snapshot, hashes: Sequence[U64]) -> None:
        """hashes: those of each query, in any order. Raises Corrupt."""
        self._view = view
        self.state, self.catalogue, self.texts = view.state, view.catalogue, view.texts
        every: U64 = np.concatenate([np.empty(0, np.uint64), *hashes])
        self._ahead = sorted_distinct(every)
        hits = view.look_up(self._ahead, cap=COMMON)
        self._found = hits.documents
        counts = np.bincount(hits.indices, minlength=len(self._ahead))
        self._bounds = np.concatenate(([0], np.cumsum(counts)))
        self._common = hits.capped

    def boilerplate(self) -> U64:
        return self._view.boilerplate()

    def named(self, name: bytes) -> list[int]:
        return self._view.named(name)

    def any_dead(self) -> bool:
        return self._view.any_dead()

    def scans(self) -> list[Iterator[Postings]]:
        return self._view.scans()

    def places(self, hashes: U64, documents: U32) -> tuple[U32, U32, U32]:
        return self._view.places(hashes, documents)

    def tally(self, hashes: U64) -> U32 | None:  # noqa: ARG002 (asked as of any snapshot)
        """None: the documents are at hand."""
        return None

    def count(self, hashes: U64, *, cap: int | None = None) -> tuple[NDArray[np.bool_], U32, I64]:
        """As of the snapshot."""
        at = self._at(hashes)
        if at is None or self._common[at].any():
            return super().count(hashes, cap=cap)
        starts, ends = self._bounds[at], self._bounds[at + 1]
        capped = np.zeros(len(hashes), np.bool_)
        if cap is not None:
            capped = ends - starts >= cap
            starts, ends = starts[~capped], ends[~capped]
        return capped, *count_each(_sorting.stretches(self._found, starts, ends))

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """As of the snapshot."""
        at = self._at(hashes)
        if at is None:
            return self._view.look_up(hashes, cap=cap)
        starts, counts = self._bounds[at], self._bounds[at + 1] - self._bounds[at]
        common = self._common[at]
        capped = np.zeros(len(hashes), np.bool_)
        if cap is not None:
            capped |= counts >= cap
            counts[capped] = 0
            if cap <= COMMON:
                capped |= common
                common = np.zeros(len(hashes), np.bool_)
        indices = np.repeat(np.arange(len(hashes), dtype=np.uint32), counts)
        documents = _sorting.stretches(self._found, starts, starts + counts)
        if common.any():
            which = np.flatnonzero(common)
            more = self._view.look_up(hashes[which], cap=cap)
            capped[which] = more.capped
            indices = np.concatenate((indices, which[more.indices].astype(np.uint32)))
            order = np.argsort(indices, kind="stable")
            indices, documents = indices[order], np.concatenate((documents, more.documents))[order]
        return Hits(indices, documents, capped)

    def _at(self, hashes: U64) -> NDArray[np.intp] | None:
        """Where the hashes stand among those that were looked up; None if one of them was not."""
        if not len(self._ahead):
            return None
        at = np.minimum(np.searchsorted(self._ahead, hashes), len(self._ahead) - 1)
        return at if (self._ahead[at] == hashes).all() else None
