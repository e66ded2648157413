"""Pairs: what `Comparison` finds, ranked, with names and all measures.

Memory, beside that of `Comparison`, is 20 bytes a pair that passes and 50 more while they are ranked (28 and 60 with
weights); where only the first `top` are wanted, about POOL pairs more than these are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.pairs.counting import NOTHING, Comparison, Found, PairOptions, Watch
from fpdb.regions.places import MatchedRegion
from fpdb.regions.sources import SourceState
from fpdb.storage.reader import Reader

POOL: Final = 1 << 18  # pairs kept before those below the first `top` are dropped
AT_ONCE: Final = 1 << 12  # pairs that get their names at once


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents, or owners, in the order of their names' bytes; the measures lie in [0, 1].

    containment_a: how much of a is in b. The weighted ones are given where pairs are ranked by one of them.

    coverage_a: the share of a's symbols that lie in regions; given where pairs are ranked by it, or regions are asked
    for. rarity: as of a `Match`; weighted_coverage_a: the coverage times the rarity; where pairs are ranked by it.

    Only where regions are asked for: regions, source_a, source_b: as of a `Match`; no regions where nothing tells them.
    """

    a: str
    b: str
    shared: int
    containment_a: float
    containment_b: float
    resemblance: float
    weighted_containment_a: float | None = None
    weighted_containment_b: float | None = None
    weighted_resemblance: float | None = None
    rarity: float | None = None
    coverage_a: float | None = None
    coverage_b: float | None = None
    weighted_coverage_a: float | None = None
    weighted_coverage_b: float | None = None
    source_a: SourceState | None = None
    source_b: SourceState | None = None
    regions: list[MatchedRegion] | None = None

    def turned(self) -> Pair:
        """The same pair, of which no regions are told, with a and b exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            containment_a=self.containment_b,
            containment_b=self.containment_a,
            weighted_containment_a=self.weighted_containment_b,
            weighted_containment_b=self.weighted_containment_a,
        )

    def to_dict(self) -> dict[str, Any]:
        """A plain dict without what is not given, as `fpdb pairs --format json` prints it."""
        values = {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}
        return values if self.regions is None else values | {"regions": [region.to_dict() for region in self.regions]}


def pairs(view: Reader, options: PairOptions, watch: Watch | None = None) -> Iterator[Pair]:
    """The pairs that pass, by the measure, then shared, both descending, then the names' bytes. Raises Corrupt."""
    comparison = Comparison(view, options, watch)
    held, count = [NOTHING], 0
    for batch in comparison.batches():
        held.append(batch)
        count += len(batch.a)
        if options.top is not None and count > POOL + options.top:
            held = [comparison.ranked(joined(held))]
            count = options.top
            comparison.floor = float(held[0].score[-1])
    yield from described(comparison, comparison.ranked(joined(held)), weighted=options.weighted)


def described(comparison: Comparison, found: Found, *, weighted: bool) -> Iterator[Pair]:
    """Pairs with their names and all measures."""
    name = comparison.documents.name
    for start in range(0, len(found.a), AT_ONCE):
        some = found.take(np.arange(start, min(start + AT_ONCE, len(found.a))))
        columns: list[NDArray[Any]] = [some.shared, *comparison.measures(some, weighted=False)]
        if weighted:
            columns += comparison.measures(some, weighted=True)
        rows = zip(some.a.tolist(), some.b.tolist(), *(column.tolist() for column in columns), strict=True)
        for a, b, *numbers in rows:
            yield Pair(name(a), name(b), *numbers)


def joined(parts: Sequence[Found]) -> Found:
    """All of them, one part after the other."""
    return Found(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
