"""Locating: from symbols back to characters and lines of the original.

A line ends with \\n, with \\r\\n or with a lone \\r, as editors count; form feed, vertical tab, U+0085, U+2028 and
U+2029 end none. Characters are Unicode code points of the decoded original, a byte order mark not counted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import Symbols

LINE_FEED, RETURN = 10, 13


class Original:
    """A document's text, and where its symbols are in it."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return line_starts(self.symbols.text)

    def locate(self, start: int, end: int) -> dict[str, int]:
        """Where the symbols [start, end), at least one, are: characters [start, end); first and last line, from 1."""
        first, behind = int(self.symbols.offsets[start]), int(self.symbols.ends[end - 1])
        lines = np.searchsorted(self._starts, [first, max(behind - 1, first)], "right")
        return {"start": first, "end": behind, "first_line": int(lines[0]), "last_line": int(lines[1])}


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
