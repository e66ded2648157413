"""Join regions that are near each other in both documents.

Regions become one if they are neighbours in both documents, in whatever order, and at most `gap` symbols apart in each:
the largest sets that are consecutive in both documents, without another region, marked symbols or a larger gap between
two that follow each other. These are the max-gap clusters, or gene teams, of Béal, Bergeron, Corteel and Raffinot
(2004), with nothing else between. They are found by splitting: all regions are one set,
which is split wherever two that follow each other must not be joined. Whatever leaves a set may split it in the other
document. Of both parts only the smaller one is gone through, so that the time is in proportion to n log² n.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.regions.region import Region

END: Final = -1
LONGEST: Final = 2**32  # symbols of a document


class _Chain:
    """The regions in the order of one document: each has a next one until a split parts them."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int], gap: int, marks: MarkedSymbols) -> None:
        self.gap = gap
        order = sorted(range(len(starts)), key=lambda region: (starts[region], ends[region], region))
        # A mark that ends behind a region's end and begins before the next one's start counts as too large a gap.
        marks_begun, marks_ended = np.searchsorted(marks.starts, starts), np.searchsorted(marks.ends, ends, "right")
        self.starts: list[int] = (np.array(starts) + (gap + 1) * marks_begun).tolist()
        self.ends: list[int] = (np.array(ends) + (gap + 1) * marks_ended).tolist()
        self.rank = [0] * len(order)
        for rank, region in enumerate(order):
            self.rank[region] = rank
        self.next, self.previous = [END] * len(order), [END] * len(order)
        self.breaks: list[tuple[int, int]] = []
        self.link(order)

    def link(self, regions: Sequence[int]) -> None:
        """Let regions, in order, follow each other, and note where they must not be joined."""
        self.previous[regions[0]] = self.next[regions[-1]] = END
        for one, other in pairwise(regions):
            self.next[one], self.previous[other] = other, one
            apart = self.starts[other] - self.ends[one] > self.gap
            if apart or self.rank[other] - self.rank[one] > 1:
                self.breaks.append((one, other))

    def split(self, one: int, other: int) -> list[int]:
        """Part two regions that follow each other, and return those of the smaller side."""
        self.next[one] = self.previous[other] = END
        before, behind = [one], [other]
        while True:
            one, other = self.previous[one], self.next[other]
            if one == END or other == END:
                return before if one == END else behind
            before.append(one)
            behind.append(other)

    def move(self, regions: list[int]) -> None:
        """Take regions out of their chain, and make a chain of them."""
        for region in regions:
            one, other = self.previous[region], self.next[region]
            if one != END:
                self.next[one] = other
            if other != END:
                self.previous[other] = one
            if END not in (one, other):
                self.breaks.append((one, other))
        self.link(sorted(regions, key=self.rank.__getitem__))


def join(
    regions: Sequence[Region], gap: int, marks_a: MarkedSymbols = NO_MARKS, marks_b: MarkedSymbols = NO_MARKS
) -> list[Region]:
    """Join regions that are neighbours in both documents, after at most `gap` symbols of each; in order of a.

    marks_a and marks_b: the symbols of boilerplate, across which no regions are joined.
    """
    if not regions:
        return []
    gap = min(gap, LONGEST)
    a = _Chain([region.a_start for region in regions], [region.a_end for region in regions], gap, marks_a)
    b = _Chain([region.b_start for region in regions], [region.b_end for region in regions], gap, marks_b)
    while a.breaks or b.breaks:
        chain, across = (a, b) if a.breaks else (b, a)
        one, other = chain.breaks.pop()
        if chain.next[one] == other:
            across.move(chain.split(one, other))
    joined = []
    for first in range(len(regions)):
        if a.previous[first] == END:
            members = [first]
            while a.next[members[-1]] != END:
                members.append(a.next[members[-1]])
            joined.append(_enclose([regions[member] for member in members]))
    return sorted(joined)


def _enclose(regions: Sequence[Region]) -> Region:
    a_starts, a_ends, b_starts, b_ends, shared = zip(*regions, strict=True)
    return Region(min(a_starts), max(a_ends), min(b_starts), max(b_ends), sum(shared))
