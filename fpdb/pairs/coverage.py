"""Covering: pairs ranked by how much of their documents lies in regions, and pairs with their regions.

A pair takes some 0.15 ms. Memory, beside that of `Comparison`: the documents that `PairAligner` keeps, 16 MB of pairs
that are compared together, and half a kilobyte a pair that passes, or is among the first `top`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappush, heappushpop, nsmallest
from itertools import islice
from typing import Final

import numpy as np

from fpdb.fingerprint import Recipe
from fpdb.pairs.counting import NOTHING, Comparison, PairOptions, Watch, cap_of
from fpdb.pairs.ranking import Pair, described, joined, pairs
from fpdb.regions.pair_aligner import PairAligner, PairAlignment
from fpdb.regions.sources import Sources
from fpdb.search.rarity import rarity
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

AT_ONCE: Final = 1 << 14  # pairs that are compared together


def pairs_by_texts(
    view: Reader,
    recipe: Recipe,
    sources: Sources,
    options: PairOptions,
    *,
    regions: bool,
    gap: int,
    watch: Watch | None,
) -> Iterator[Pair]:
    """The pairs that pass, ranked; with their regions, if these are asked for. Raises Corrupt, MissingPackage."""
    beside = PairAligner(view, recipe, sources, max_df=cap_of(options.max_df, view.document_count), gap=gap)
    found = covered(view, beside, options, watch) if options.regional else pairs(view, options, watch)
    return with_regions(view, beside, found) if regions else found


def covered(view: Reader, beside: PairAligner, options: PairOptions, watch: Watch | None = None) -> Iterator[Pair]:
    """The pairs that pass, by a measure that regions tell, then shared, both descending, then the names' bytes.

    Compares the documents of all pairs that share enough hashes; but by weighted coverage, which is the rarity at most,
    those of the rarest first, until the rest cannot pass. Raises Corrupt, MissingPackage.
    """
    comparison = Comparison(view, options.of_all(), watch)
    found = joined([NOTHING, *comparison.batches()])
    bounds = np.ones(len(found.a))  # which no score exceeds
    if options.weighted:
        bounds = rarity(found.weight, found.shared, len(comparison.documents))
    order = np.argsort(-bounds, kind="stable")
    found, bounds = found.take(order), bounds[order]
    of_a, of_b = f"{options.by}_a", f"{options.by}_b"
    highest: list[float] = []  # a heap of `top` scores

    def score(pair: Pair) -> float:
        return float(max(getattr(pair, of_a), getattr(pair, of_b)))

    def place(pair: Pair) -> tuple[float, int, bytes, bytes]:
        return -score(pair), -pair.shared, file_format.name_bytes(pair.a), file_format.name_bytes(pair.b)

    def least() -> float:
        """What a pair must score to pass, by what is known so far."""
        return max(float(options.min or 0), highest[0] if len(highest) == options.top else 0.0)

    def passing() -> Iterator[Pair]:
        for start in range(0, len(bounds), AT_ONCE):
            some = np.arange(start, min(start + AT_ONCE, len(bounds)))
            if bounds[start] < least():
                return
            plain = list(described(comparison, found.take(some), weighted=False))
            if options.weighted:
                plain = [replace(pair, rarity=rare) for pair, rare in zip(plain, bounds[some].tolist(), strict=True)]
            for done, (index, both) in enumerate(_compared(view, beside, plain), start):
                pair = _with_coverage(plain[index], both)
                if score(pair) >= least():
                    if options.top is not None:
                        (heappushpop if len(highest) == options.top else heappush)(highest, score(pair))
                    yield pair
                if watch is not None and done % 64 == 0:
                    watch("looking closer", "pair", done, len(bounds))

    yield from sorted(passing(), key=place) if options.top is None else nsmallest(options.top, passing(), key=place)


def with_regions(view: Reader, beside: PairAligner, found: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs with their regions, and what these cover. Raises Corrupt, MissingPackage."""
    found = iter(found)
    while some := list(islice(found, AT_ONCE)):
        for index, both in _compared(view, beside, some):
            pair = _with_coverage(some[index], both)
            some[index] = replace(pair, source_a=both.a.state, source_b=both.b.state, regions=both.located())
        yield from some


def _compared(view: Reader, beside: PairAligner, some: Sequence[Pair]) -> Iterator[tuple[int, PairAlignment]]:
    numbers = view.find_by_name({file_format.name_bytes(name) for pair in some for name in (pair.a, pair.b)})
    return beside.align_pairs(
        [(numbers[file_format.name_bytes(pair.a)][0], numbers[file_format.name_bytes(pair.b)][0]) for pair in some]
    )


def _with_coverage(pair: Pair, both: PairAlignment) -> Pair:
    if pair.rarity is None:
        return replace(pair, coverage_a=both.coverage_a, coverage_b=both.coverage_b)
    return replace(
        pair,
        coverage_a=both.coverage_a,
        coverage_b=both.coverage_b,
        weighted_coverage_a=both.coverage_a * pair.rarity,
        weighted_coverage_b=both.coverage_b * pair.rarity,
    )
