r"""Locate symbols in the original: its characters and lines, and its parts.

A line ends with \n, with \r\n or with a lone \r, as editors count; form feed, vertical tab, U+0085, U+2028 and
U+2029 end none. Characters are Unicode code points of the decoded original, without a byte order mark.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64
from fpdb.fingerprint import Symbols
from fpdb.regions.places import MatchedRegion, PartPlace, SymbolPlace, TextPlace
from fpdb.regions.region import Region

LINE_FEED, RETURN = 10, 13


@dataclass(eq=False)
class LineIndex:
    """The symbols of a text with its lines, which are looked for when a place is first asked for."""

    symbols: Symbols

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = line_starts(self.symbols.text).tolist()
        return starts

    def locate(self, start: int, end: int) -> TextPlace:
        """Return the place of the symbols [start, end), which are not empty."""
        first, behind = int(self.symbols.offsets[start]), int(self.symbols.ends[end - 1])
        last = max(behind - 1, first)
        first_line, last_line = bisect_right(self._starts, first), bisect_right(self._starts, last)
        return TextPlace(
            first,
            behind,
            first_line,
            last_line,
            first - self._starts[first_line - 1] + 1,
            last - self._starts[last_line - 1] + 1,
            self._part(first, first_line),
            self._part(last, last_line),
        )

    def labelled_parts(self) -> list[tuple[int, str]]:
        """Return where each part of the text starts, and its label; empty if it has no parts."""
        parts = self.symbols.parts
        if parts is None:
            return []
        names = parts.names or [""] * len(parts.starts)
        numbered = enumerate(zip(parts.starts, names, strict=True), 1)
        return [(start, PartPlace(parts.kind, number, name, 1).label) for number, (start, name) in numbered]

    def _part(self, index: int, line: int) -> PartPlace | None:
        """Return the part of a character, and its line there."""
        parts = self.symbols.parts
        if parts is None:
            return None
        number = bisect_right(parts.starts, index)
        name = parts.names[number - 1] if parts.names else ""
        return PartPlace(parts.kind, number, name, line - bisect_right(self._starts, parts.starts[number - 1]) + 1)


def line_starts(text: str) -> I64:
    """Return the index of each line's first character, ascending, shape (lines,); an empty text has one line."""
    if text.isascii():
        codes: NDArray[Any] = np.frombuffer(text.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    ends = codes == LINE_FEED
    returns = np.flatnonzero(codes == RETURN)
    followed = returns[returns + 1 < len(codes)]
    ends[returns] = True
    ends[followed[codes[followed + 1] == LINE_FEED]] = False
    return np.concatenate(([0], np.flatnonzero(ends) + 1))


def locate_regions(
    regions: Iterable[Region], text_a: LineIndex | None, text_b: LineIndex | None
) -> list[MatchedRegion]:
    """Locate regions in the texts of both documents, or in symbols of a document whose text is None."""
    place_a, place_b = _locator(text_a), _locator(text_b)
    return [
        MatchedRegion(place_a(a_start, a_end), place_b(b_start, b_end), shared)
        for a_start, a_end, b_start, b_end, shared in regions
    ]


def long_regions(
    regions: Sequence[Region], text_a: LineIndex | None, text_b: LineIndex | None, shortest: int
) -> list[Region]:
    """Return the regions of at least so many characters in both documents; symbols where there is no text."""
    if shortest <= 1:
        return list(regions)
    intervals = [(place.a.interval, place.b.interval) for place in locate_regions(regions, text_a, text_b)]
    long = [min(end - start for start, end in both) >= shortest for both in intervals]
    return list(compress(regions, long))


def _locator(text: LineIndex | None) -> Callable[[int, int], TextPlace | SymbolPlace]:
    return text.locate if text is not None else lambda start, end: SymbolPlace(start, end - 1)
