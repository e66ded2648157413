"""Regions of two documents a and b, in symbols: extend them, join them, measure what they cover."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64

FIRST_STEP: Final = 64  # symbols compared in the first step; each further step is twice as long
NO_BARRIERS: Final = np.empty(0, np.int64), np.empty(0, np.int64)


class Region(NamedTuple):
    """The symbols [start, end) of both documents, and the number of shared fingerprints joined in the region."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    shared: int

    def swapped(self) -> "Region":
        """Return the region with a and b exchanged."""
        return Region(self.b_start, self.b_end, self.a_start, self.a_end, self.shared)


def extend(
    a: NDArray[Any], b: NDArray[Any], regions: Sequence[Region], barriers: tuple[I64, I64] = NO_BARRIERS
) -> list[Region]:
    """Move the ends of regions outwards to the last equal symbols, none into another region.

    Args:
        a: The symbols of document a; shape (n,).
        b: The symbols of document b; shape (m,).
        regions: The regions to extend.
        barriers: Indices of symbols of a that no start is moved before, and that no end is moved behind; ascending.
    """

    def mirrored(region: Region) -> Region:
        a_start, a_end, b_start, b_end, shared = region
        return Region(len(a) - a_end, len(a) - a_start, len(b) - b_end, len(b) - b_start, shared)

    starts, ends = barriers
    extended = map(mirrored, _extend_ends(a, b, regions, ends))
    return list(map(mirrored, _extend_ends(a[::-1], b[::-1], list(extended), len(a) - starts[::-1])))


def _extend_ends(a: NDArray[Any], b: NDArray[Any], regions: Sequence[Region], barriers: I64) -> list[Region]:
    a_starts, a_ends, b_starts, b_ends, _ = map(sorted, zip(*regions, strict=True)) if regions else ([],) * 5
    extended = []
    for a_start, a_end, b_start, b_end, shared in regions:
        free = (
            _free_symbols(a_starts, a_ends, a_end, len(a)),
            _free_symbols(b_starts, b_ends, b_end, len(b)),
            _next_edge(barriers, a_end, len(a)) - a_end,
        )
        step = _common_prefix(a[a_end:], b[b_end:], min(free))
        extended.append(Region(a_start, a_end + step, b_start, b_end + step, shared))
    return extended


def _free_symbols(starts: list[int], ends: list[int], position: int, length: int) -> int:
    """Count the symbols from a position on that are in no region; 0 inside a region."""
    inside = bisect_left(starts, position) > bisect_right(ends, position)
    return 0 if inside else _next_edge(starts, position, length) - position


def _next_edge(edges: Sequence[int] | I64, position: int, length: int) -> int:
    """Return the first of the ascending edges from a position on, or the length of the document."""
    index = bisect_left(edges, position)
    return int(edges[index]) if index < len(edges) else length


def _common_prefix(a: NDArray[Any], b: NDArray[Any], limit: int) -> int:
    """Return how many of the first symbols are equal, up to the limit."""
    done, step = 0, FIRST_STEP
    while done < limit:
        size = min(step, limit - done)
        differ = a[done : done + size] != b[done : done + size]
        if differ.any():
            return done + int(differ.argmax())
        done += size
        step *= 2
    return done


def bridge(regions: Sequence[Region], gap: int) -> list[Region]:
    """Join regions that follow each other in both documents after at most `gap` symbols of each."""
    joined: list[Region] = []
    starts = sorted(region.b_start for region in regions)
    for region in sorted(regions):
        last = joined[-1] if joined else None
        if last is not None and _follows(last, region, gap, starts):
            joined[-1] = Region(last.a_start, region.a_end, last.b_start, region.b_end, last.shared + region.shared)
        else:
            joined.append(region)
    return joined


def _follows(last: Region, region: Region, gap: int, b_starts: Sequence[int]) -> bool:
    """Return True if a region comes next after the last one in both documents, near enough to be joined with it."""
    forward = region.b_start > last.b_start and region.b_end > last.b_end and region.a_end > last.a_end
    near = region.a_start - last.a_end <= gap and region.b_start - last.b_end <= gap
    between = bisect_left(b_starts, region.b_start) - bisect_left(b_starts, last.b_start + 1)
    return forward and near and (between == 0 or region.b_start <= last.b_end)


def coverages(regions: Sequence[Region], a_symbols: int, b_symbols: int) -> tuple[float, float]:
    """Return the share of each document's symbols that lie in regions."""
    return (
        coverage(((region.a_start, region.a_end) for region in regions), a_symbols),
        coverage(((region.b_start, region.b_end) for region in regions), b_symbols),
    )


def coverage(intervals: Iterable[tuple[int, int]], symbols: int) -> float:
    """Return the share of a document's symbols that lie in the intervals [start, end); 0 if it has no symbols."""
    covered = reached = 0
    for start, end in sorted(intervals):
        covered += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return min(covered / symbols, 1.0) if symbols else 0.0
