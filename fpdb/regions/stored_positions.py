"""Where two documents are alike of which neither source can be read: by the positions in the store alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from fpdb.arrays import U64, contains
from fpdb.errors import UnknownKind
from fpdb.fingerprint import Recipe, find_scheme
from fpdb.regions.joining import Region, Selected, bridge, coverages, find_regions
from fpdb.storage.posting_scan import scan_posting_lists
from fpdb.storage.reader import Reader

NOTHING: Final = None, 0.0, 0.0


class Positions:
    """The fingerprints of some documents, read from the store at once."""

    def __init__(
        self,
        view: Reader,
        recipe: Recipe,
        documents: Iterable[int],
        ignored: Callable[[U64], U64],
        gap: int = 0,
        most: int | None = None,
    ) -> None:
        """ignored: those of sorted hashes that do not count. gap: see `Evidence`. Reads all hashes of the database; of
        one of more than `most` postings, nothing. Raises Corrupt."""
        self._view, self._recipe, self._ignored, self._gap = view, recipe, ignored, gap
        self._held: dict[int, Selected] = {}
        asked = np.array(sorted(documents), np.uint32)
        if not len(asked) or (most is not None and view.posting_count > most):
            return
        hashes = np.concatenate([np.empty(0, np.uint64), *(lists.hashes for lists in scan_posting_lists(view))])
        indices, holders, positions = view.find_occurrences(hashes, asked)
        order = np.lexsort((positions, holders))
        for number in asked.tolist():
            own = order[slice(*np.searchsorted(holders[order], [number, number + 1]).tolist())]
            self._held[int(number)] = Selected(hashes[indices[own]], positions[own], whole=False)

    def compare(self, first: int, second: int) -> tuple[list[Region] | None, float, float]:
        """The regions, those of the first one's symbols first, and the share of either's symbols that lie in them; None
        where the store does not tell."""
        one, other = self._held.get(first), self._held.get(second)
        if one is None or other is None:
            return NOTHING
        records = [self._view.catalogue.record(number) for number in (first, second)]
        try:
            rule = self._recipe.rule_for(records[0].kind)[1]
        except UnknownKind:
            return NOTHING
        shared: U64 = np.intersect1d(one.hashes, other.hashes)
        if not len(shared):  # what they share has no positions
            return NOTHING
        shared = shared[~contains(self._ignored(shared), shared)]
        window = find_scheme(rule.scheme).window
        slack = max(rule.k, int(rule.parameters[window]) if window else 0)
        regions = find_regions(one, other, shared, rule.k, slack)
        if self._gap:
            regions = bridge(regions, self._gap)
        return regions, *coverages(regions, *(record.symbols for record in records))
