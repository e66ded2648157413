"""Marked symbols: those that lie in k-grams of boilerplate, which count for nothing.

A k-gram that begins in boilerplate and ends behind it is no boilerplate itself. Where a line of a template was deleted,
or two templates were put together, such k-grams would count, though all of their symbols are boilerplate. So symbols
count, not k-grams: symbols in k-grams of boilerplate are marked, and a k-gram that is mostly marked, a *seam*, counts
for nothing.
Fewer than k symbols between marked ones are marked, too, since no whole k-gram fits in there; a selected k-gram that is
boilerplate may be up to w - 1 k-grams away from the seam. A passage of w + k - 1 symbols that are not marked has a
selected k-gram of such symbols, and is found.
"""

from dataclasses import dataclass

import numpy as np

from fpdb.arrays import I64, U8, U32, U64, Bools, contains, sorted_distinct
from fpdb.fingerprint.selection import NO_POSITION


@dataclass(frozen=True, eq=False, slots=True)
class MarkedSymbols:
    """Stretches [start, end) of marked symbols, ascending, apart from each other; arrays of shape (n,)."""

    starts: I64
    ends: I64

    @classmethod
    def of(cls, positions: I64, k: int | I64) -> "MarkedSymbols":
        """Return the marks by the positions of k-grams that are boilerplate, ascending. k: one, or that of each."""
        if not len(positions):
            return NO_MARKS
        lengths = np.broadcast_to(k, positions.shape)
        apart = np.diff(positions) >= 2 * lengths[1:]
        last = np.r_[apart, True]
        return cls(positions[np.r_[True, apart]], positions[last] + lengths[last])

    def count(self, starts: I64, ends: I64) -> I64:
        """Return the number of marked symbols in each of the intervals [start, end)."""
        if not len(self.starts):
            return np.zeros(len(starts), np.int64)
        return self._count_before(ends) - self._count_before(starts)

    def _count_before(self, symbols: I64) -> I64:
        lengths = self.ends - self.starts
        before = np.cumsum(lengths) - lengths
        index = np.searchsorted(self.starts, symbols, "right") - 1
        inside = np.minimum(symbols - self.starts[index], lengths[index]) + before[index]
        return np.where(index >= 0, inside, 0)

    def covers_most(self, positions: I64, k: int | I64) -> Bools:
        """Return True for each k-gram of which more than half of the symbols are marked. k: one, or that of each."""
        return 2 * self.count(positions, positions + k) > k

    def total(self, symbols: int) -> int:
        """Return the number of marked symbols of a document with so many symbols."""
        return int(self.count(np.array([0]), np.array([symbols]))[0])

    def flags(self, symbols: int) -> U8:
        """Return 1 for each symbol that is marked, else 0; shape (symbols,)."""
        steps = np.zeros(symbols + 1, np.int8)
        steps[self.starts] += 1
        steps[self.ends] -= 1
        return np.cumsum(steps[:-1], dtype=np.int8).view(np.uint8)


NO_MARKS = MarkedSymbols(np.empty(0, np.int64), np.empty(0, np.int64))


def seam_hashes(hashes: U64, positions: U32, boilerplate: U64, k: int) -> U64:
    """Return the hashes that a document holds only in seams of boilerplate.

    Args:
        hashes: Of its fingerprints; shape (n,).
        positions: Where these are, `NO_POSITION` for those without; shape (n,).
        boilerplate: The hashes that are boilerplate, sorted.
        k: The length of its k-grams.

    Returns:
        Sorted, distinct hashes, none of them boilerplate.
    """
    discarded = contains(boilerplate, hashes)
    placed = positions != NO_POSITION
    marks = MarkedSymbols.of(np.sort(positions[discarded & placed]).astype(np.int64), k)
    if not len(marks.starts):
        return hashes[:0]
    seams = placed & ~discarded
    seams[seams] = marks.covers_most(positions[seams].astype(np.int64), k)
    held: U64 = sorted_distinct(hashes[seams])
    found: U64 = held[~contains(sorted_distinct(hashes[~seams]), held)]
    return found
