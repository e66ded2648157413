"""Regions: which stretches of two documents are alike, from the fingerprints that they share.

Shared fingerprints that are consecutive in both documents join into one region (MOSS: the winnowing paper, section
5.2). A region is a pair of half-open intervals of symbols. Knows arrays only: no store, no text.

Where passages repeat, n times here and m times there, n m pairs of them match. Of these a cover is chosen: the longest
run of shared fingerprints first, ties by where they stand, each fingerprint in one region of either document; then the
longest ones for what is left of one document, matched with what is taken in the other. So every shared fingerprint of
either document is in a region, and there are about n + m regions at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U64
from fpdb.regions.tiling import Cover, Pairs, Side, as_bools

Values = NDArray[np.uint8 | np.uint32]

FIRST_STEP: Final = 64  # symbols that are compared at once, at first


class Region(NamedTuple):
    """Symbols [start, end) of both documents, and how many shared fingerprints joined in them."""

    query_start: int
    query_end: int
    document_start: int
    document_end: int
    shared: int


class Selected(NamedTuple):
    """The fingerprints of one document: (n,) stored hashes and (n,) positions in symbols, ascending.

    whole: they are all that were selected, so that neighbours here are consecutive in the document. Else they are the
    shared ones only.
    """

    hashes: U64
    positions: NDArray[np.integer]
    whole: bool = True


def find_regions(query: Selected, document: Selected, shared: U64, k: int, slack: int) -> list[Region]:
    """The regions of two documents, in order of the query.

    shared: the hashes that count, sorted, distinct; others only part what they stand between. slack: consecutive
    fingerprints whose distances in the two documents differ by more symbols do not join; equal hashes stand up to w - 1
    symbols apart in equal passages of few k-grams (robust winnowing, section 5.1).

    Regions may overlap where their k-grams do. Takes time and memory in proportion to the fingerprints, times
    `tiling.FEW`: where a hash stands more often than that in both, each occurrence is paired with the one of equal rank
    (counted round), and with those that continue the regions of rarer hashes beside it.
    """
    ours, theirs = (Side.of(side.hashes, side.positions, shared, whole=side.whole) for side in (query, document))
    if not len(ours.ids) or not len(theirs.ids):
        return []
    if len(ours.ids) == len(theirs.ids) == 1:  # as with most pairs of a collection
        start, other = int(ours.positions[0]), int(theirs.positions[0])
        return [Region(start, start + k, other, other + k, 1)]
    pairs = Pairs(ours, theirs, len(shared))
    cover = Cover(ours, theirs, slack)
    i, j = pairs.rare()
    if pairs.any_frequent:
        guide = Cover(ours, theirs, slack)
        guide.tile(i, j)
        more = [pairs.of_equal_rank(), *pairs.beside(guide.runs)]
        i, j = (np.concatenate((own, *(other[side] for other in more))) for side, own in enumerate((i, j)))
    cover.tile(i, j)
    left = ~as_bools(cover.taken[0])[i]
    cover.tile(i[left], j[left], against=(0,))
    left = ~as_bools(cover.taken[1])[j]
    cover.tile(i[left], j[left], against=(1,))
    a, b = ours.positions, theirs.positions
    return sorted(
        Region(int(a[i]), int(a[i + n - 1]) + k, int(b[j]), int(b[j + n - 1]) + k, n) for i, j, n in cover.runs
    )


# ---------------------------------------------------------------- to the last equal symbol


def extend(
    query: Values, document: Values, regions: Sequence[Region], within: tuple[I64, I64] | None = None
) -> list[Region]:
    """The regions with their ends moved outwards to the last equal symbols, none into another one.

    query, document: the symbols. within: two ascending arrays of symbols of the query, those that no start is moved
    before, and those that no end is moved behind.
    """
    least, most = within or (np.empty(0, np.int64), np.empty(0, np.int64))
    moved = list(regions)
    spans = (
        _Spans.of((r.query_start, r.query_end) for r in moved),
        _Spans.of((r.document_start, r.document_end) for r in moved),
    )
    for index, region in enumerate(moved):
        q, d = region.query_end, region.document_end
        room = min(spans[0].after(q, len(query)), spans[1].after(d, len(document)), _to_next(most, q, len(query)))
        step = _equal(query[q:], document[d:], room)
        moved[index] = region._replace(query_end=q + step, document_end=d + step)
    spans = (
        _Spans.of((r.query_start, r.query_end) for r in moved),
        _Spans.of((r.document_start, r.document_end) for r in moved),
    )
    for index, region in enumerate(moved):
        q, d = region.query_start, region.document_start
        room = min(spans[0].before(q), spans[1].before(d), _to_last(least, q))
        step = _equal(query[:q][::-1], document[:d][::-1], room)
        moved[index] = region._replace(query_start=q - step, document_start=d - step)
    return moved


class _Spans(NamedTuple):
    """Where the regions start and end in one document; ascending."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int]]) -> _Spans:
        both = list(spans)
        return cls(sorted(start for start, _ in both), sorted(end for _, end in both))

    def after(self, at: int, end: int) -> int:
        """How many symbols behind `at` are in no region; 0 inside one."""
        return 0 if self._inside(at) else _to_next(self.starts, at, end)

    def before(self, at: int) -> int:
        """How many symbols before `at` are in no region; 0 inside one."""
        return 0 if self._inside(at) else _to_last(self.ends, at)

    def _inside(self, at: int) -> bool:
        return bisect_left(self.starts, at) > bisect_right(self.ends, at)


def _to_next(edges: Sequence[int] | I64, at: int, end: int) -> int:
    """How far it is from `at` on to the next of the ascending edges, or to the end."""
    index = bisect_left(edges, at)
    return (int(edges[index]) if index < len(edges) else end) - at


def _to_last(edges: Sequence[int] | I64, at: int) -> int:
    """How far it is from `at` back to the last of the ascending edges, or to 0."""
    index = bisect_right(edges, at)
    return at - (int(edges[index - 1]) if index else 0)


def _equal(one: Values, other: Values, most: int) -> int:
    """How many of the first symbols are equal, at most so many."""
    done, step = 0, FIRST_STEP
    while done < most:
        size = min(step, most - done)
        differ = one[done : done + size] != other[done : done + size]
        if differ.any():
            return done + int(differ.argmax())
        done += size
        step *= 2
    return done


# ---------------------------------------------------------------- small gaps, and coverage


def bridge(regions: Sequence[Region], gap: int) -> list[Region]:
    """The regions, joined where one follows the other in both documents after at most `gap` symbols of each."""
    joined: list[Region] = []
    starts = sorted(region.document_start for region in regions)
    for region in sorted(regions):
        last = joined[-1] if joined else None
        if last is not None and _is_next(last, region, gap, starts):
            joined[-1] = Region(
                last.query_start,
                region.query_end,
                last.document_start,
                region.document_end,
                last.shared + region.shared,
            )
        else:
            joined.append(region)
    return joined


def _is_next(last: Region, region: Region, gap: int, starts: Sequence[int]) -> bool:
    forward = (
        region.document_start > last.document_start
        and region.document_end > last.document_end
        and region.query_end > last.query_end
    )
    near = region.query_start - last.query_end <= gap and region.document_start - last.document_end <= gap
    between = bisect_left(starts, region.document_start) - bisect_left(starts, last.document_start + 1)
    return forward and near and (between == 0 or region.document_start <= last.document_end)


def coverages(regions: Sequence[Region], query: int, document: int) -> tuple[float, float]:
    """The share of either document's symbols, of which there are so many, that lie in regions."""
    return (
        coverage(((region.query_start, region.query_end) for region in regions), query),
        coverage(((region.document_start, region.document_end) for region in regions), document),
    )


def coverage(spans: Iterable[tuple[int, int]], symbols: int) -> float:
    """The share of a document's symbols that lie inside the spans [start, end); in [0, 1], 0 for no symbols."""
    inside = reached = 0
    for start, end in sorted(spans):
        inside += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return min(inside / symbols, 1.0) if symbols else 0.0
