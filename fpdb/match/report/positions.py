"""Where two documents are alike of which neither source can be read: by the positions in the store alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import UnknownKind
from fpdb.fingerprint import Recipe, find_scheme
from fpdb.match.regions import Selected, find_regions
from fpdb.store.runs import contains
from fpdb.store.snapshot import Snapshot

MOST: Final = 20_000_000
"""Postings that a database may have; to go through more for a page would take too long."""

U64 = NDArray[np.uint64]


class Positions:
    """The fingerprints of some documents, read from the store at once."""

    def __init__(self, view: Snapshot, recipe: Recipe, documents: Iterable[int], ignored: Callable[[U64], U64]) -> None:
        """ignored: those of sorted hashes that do not count. Reads all hashes of the database; of a database of more
        than MOST postings, nothing. Raises Corrupt."""
        self._view, self._recipe, self._ignored = view, recipe, ignored
        self._held: dict[int, Selected] = {}
        asked = np.array(sorted(documents), np.uint32)
        if not len(asked) or view.state.postings > MOST:
            return
        hashes = view.all_hashes(view.runs())
        hashes = hashes[~contains(view.boilerplate(), hashes)]
        indices, holders, positions = view.places(hashes, asked)
        order = np.lexsort((positions, holders))
        for number in asked.tolist():
            own = order[slice(*np.searchsorted(holders[order], [number, number + 1]).tolist())]
            self._held[int(number)] = Selected(hashes[indices[own]], positions[own], whole=False)

    def regions(self, first: int, second: int) -> list[dict[str, Any]] | None:
        """The places of regions, as `Match.regions` has them; None where the store does not tell."""
        one, other = self._held.get(first), self._held.get(second)
        if one is None or other is None:
            return None
        try:
            rule = self._recipe.rule_for(self._view.catalogue.record(first).kind)[1]
        except UnknownKind:
            return None
        shared: U64 = np.intersect1d(one.hashes, other.hashes)
        if not len(shared):  # what they share has no positions
            return None
        shared = shared[~contains(self._ignored(shared), shared)]
        window = find_scheme(rule.scheme).window
        slack = max(rule.k, int(rule.parameters[window]) if window else 0)
        return [
            {
                "query": {"first_symbol": region.query_start, "last_symbol": region.query_end - 1},
                "document": {"first_symbol": region.document_start, "last_symbol": region.document_end - 1},
                "shared": region.shared,
            }
            for region in find_regions(one, other, shared, rule.k, slack)
        ]
