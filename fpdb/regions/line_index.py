"""Locating: from symbols back to characters and lines of the original.

A line ends with \\n, with \\r\\n or with a lone \\r, as editors count; form feed, vertical tab, U+0085, U+2028 and
U+2029 end none. Characters are Unicode code points of the decoded original, a byte order mark not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import Symbols
from fpdb.regions.joining import Region
from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace

LINE_FEED, RETURN = 10, 13


class LineIndex:
    """A document's text, and where its symbols are in it."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return line_starts(self.symbols.text)

    def locate(self, start: int, end: int) -> TextPlace:
        """Return the place of the symbols [start, end), at least one."""
        first, behind = int(self.symbols.offsets[start]), int(self.symbols.ends[end - 1])
        lines = np.searchsorted(self._starts, [first, max(behind - 1, first)], "right")
        return TextPlace(first, behind, int(lines[0]), int(lines[1]))


def line_starts(text: str) -> NDArray[np.int64]:
    """The index of each line's first character, ascending, int64; the first is 0, and a text of no character has it."""
    if text.isascii():
        codes: NDArray[Any] = np.frombuffer(text.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    ends = codes == LINE_FEED
    returns = np.flatnonzero(codes == RETURN)
    followed = returns[returns + 1 < len(codes)]
    ends[returns] = True
    ends[followed[ends[followed + 1] & (codes[followed + 1] == LINE_FEED)]] = False
    starts = np.zeros(int(ends.sum()) + 1, np.int64)
    starts[1:] = np.flatnonzero(ends) + 1
    return starts


def locate_regions(
    regions: Iterable[Region], text_a: LineIndex | None, text_b: LineIndex | None
) -> list[MatchedRegion]:
    """Locate regions of symbols in the texts of both documents; None for a text that cannot be read."""
    place_a, place_b = _locator(text_a), _locator(text_b)
    return [
        MatchedRegion(
            place_a(region.query_start, region.query_end),
            place_b(region.document_start, region.document_end),
            region.shared,
        )
        for region in regions
    ]


def _locator(text: LineIndex | None) -> Callable[[int, int], TextPlace | SymbolPlace]:
    return text.locate if text is not None else lambda start, end: SymbolPlace(start, end - 1)
