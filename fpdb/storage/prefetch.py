"""Many queries at once: their hashes are looked up together, so that no block is read twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U32, U64, Bools
from fpdb.storage import _sorting
from fpdb.storage.runs.run_blocks import Postings
from fpdb.storage.snapshot import Hits, Snapshot, concat_hits

HELD = 1 << 24
"""Documents of hashes that are held: 64 MB; twice, at most."""
LEAST = 16
"""Documents of any hash that are held."""


class PrefetchedSnapshot(Snapshot):
    """A snapshot that has looked hashes up already, and is asked for some of them.

    found[starts[i]:ends[i]], ascending, hold hash i, if held[i]; or else too many do, but no fewer than known[i].
    """

    def __init__(self, view: Snapshot, hashes: U64) -> None:
        """hashes: sorted, distinct. Raises Corrupt."""
        self._view = view
        self.state, self.catalogue, self.texts = view.state, view.catalogue, view.texts
        self._hashes = hashes
        cap = _cap(len(hashes))
        hits = view.look_up(hashes, cap=cap)
        self.found, self.held, self._known = hits.documents, ~hits.capped, hits.counts
        self.ends = np.cumsum(hits.counts)
        self.starts = self.ends - hits.counts
        common = np.flatnonzero(hits.capped)
        self._known[common] = cap
        more = _cap(len(common))
        if not len(common) or more == cap:
            return
        # The few that many hold are looked up again: of those, more can be held.
        hits = view.look_up(hashes[common], cap=more)
        self.ends[common] = len(self.found) + np.cumsum(hits.counts)
        self.starts[common] = self.ends[common] - hits.counts
        self._known[common] = np.where(hits.capped, more, hits.counts)
        self.held[common] = ~hits.capped
        self.found = np.concatenate((self.found, hits.documents))

    def boilerplate(self) -> U64:
        return self._view.boilerplate()

    def named(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        return self._view.named(names)

    def any_dead(self) -> bool:
        return self._view.any_dead()

    def scans(self) -> list[Iterator[Postings]]:
        return self._view.scans()

    def places(self, hashes: U64, documents: U32) -> tuple[U32, U32, U32]:
        return self._view.places(hashes, documents)

    def tally(self, hashes: U64) -> U32 | None:
        return self._view.tally(hashes)

    def capped(self, cap: int | None) -> Bools:
        """Which of all hashes are known to be held by as many documents as the cap; shape (n,)."""
        return np.zeros(len(self._hashes), np.bool_) if cap is None else self._known >= cap

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """As of the snapshot."""
        at = self._at(hashes)
        if at is None:
            return self._view.look_up(hashes, cap=cap)
        capped = self.capped(cap)[at]
        starts, ends = self.starts[at], np.where(capped, self.starts[at], self.ends[at])
        hits = Hits(ends - starts, _sorting.stretches(self.found, starts, ends), capped)
        anew = ~self.held[at] & ~capped
        return concat_hits([hits, self._view.look_up(hashes[anew], cap=cap).spread(anew)], cap) if anew.any() else hits

    def _at(self, hashes: U64) -> NDArray[np.intp] | None:
        """Where the hashes stand among those that were looked up; None if one of them was not."""
        if not len(self._hashes):
            return None
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return at if (self._hashes[at] == hashes).all() else None


def _cap(hashes: int) -> int:
    """How many documents of each of so many hashes are not held any more."""
    return max(HELD // hashes if hashes else HELD, LEAST)
