"""Regions of two documents a and b, in symbols, and what they cover."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from fpdb.errors import BadQuery
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.validation import check_integer


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

    def cut(self, count: int) -> "Region":
        """Return the region without so many symbols at its start, in both documents."""
        return self._replace(a_start=self.a_start + count, b_start=self.b_start + count)

    def holds(self, other: "Region") -> bool:
        """Return True if another region lies in this one, in both documents."""
        in_a = self.a_start <= other.a_start and other.a_end <= self.a_end
        return in_a and self.b_start <= other.b_start and other.b_end <= self.b_end

    @property
    def length(self) -> int:
        """The symbols in the document in which they are fewer; 0 or less if nothing is left."""
        return min(self.a_end - self.a_start, self.b_end - self.b_start)


class RegionOptions(NamedTuple):
    """Options that choose which regions are told: joined if they are near, left out if they are short.

    Attributes:
        gap: Regions that are neighbours in both documents, in whatever order, and at most so many symbols apart in each
            are one. None for the larger of 150 and five times k in texts, and 0 in programs.
        shortest: The characters that a region has at least in both documents, once joined; symbols where a text cannot
            be read. None: in texts, regions shorter than the default of `gap` are left out if others are as long.
        repeats: Whatever of the first document occurs in the second one is in a region, so that regions may overlap in
            the second one. Otherwise a passage that repeats in one document only counts once.
    """

    gap: int | None = None
    shortest: int | None = None
    repeats: bool = False

    @classmethod
    def of(cls, gap: int | None, shortest: int | None = None, *, repeats: bool = False) -> "RegionOptions":
        """Return the options. Raises BadQuery if one is invalid."""
        if gap is not None:
            check_integer(gap, "gap", 0, error=BadQuery, message="gap is a number of symbols, 0 or more")
        if shortest is not None:
            message = "shortest is a number of characters, 1 or more"
            check_integer(shortest, "shortest", 1, error=BadQuery, message=message)
        return cls(gap, shortest, repeats)


AS_TILED = RegionOptions(0, 1)


def coverage(intervals: Iterable[tuple[int, int]], symbols: int, marks: MarkedSymbols = NO_MARKS) -> float:
    """Return the share of a document's symbols that lie in the intervals [start, end), marked ones left out.

    It is 0 if the document has no other symbols.
    """
    starts, ends = [], []
    reached = 0
    for start, end in sorted(intervals):
        if end > reached:
            starts.append(max(start, reached))
            ends.append(end)
            reached = end
    covered = sum(ends) - sum(starts)
    if len(marks.starts):
        covered -= int(marks.count(np.array(starts, np.int64), np.array(ends, np.int64)).sum())
        symbols -= marks.total(symbols)
    return min(covered / symbols, 1.0) if symbols > 0 else 0.0
