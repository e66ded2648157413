"""Text put together from parts of an original, with the way back from its symbols to there.

Knows nothing of what the original is.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.readers.folding import fold
from fpdb.readers.symbols import Symbols

Places = NDArray[np.int64]


class Pieces(NamedTuple):
    """Strings that follow each other, each for a slice of the original.

    One as long as its slice is that slice; any other stands for it as a whole, and for no part of it.
    slices: gives two arrays (n,), the first and the end of each slice, in ascending order.
    """

    original: str
    parts: list[str]
    slices: Callable[[], tuple[Places, Places]]

    def fold(self, note: str, alphabet: str) -> Symbols:
        """The symbols of the text; their offsets are those of the original."""
        inner = fold("".join(self.parts), "", alphabet)
        locate = partial(_locate, inner, self.parts, self.slices, 0)
        locate_ends = partial(_locate, inner, self.parts, self.slices, 1)
        return Symbols(inner.values, locate, note, self.original, locate_ends)


def _locate(inner: Symbols, parts: list[str], slices: Callable[[], tuple[Places, Places]], beyond: int) -> Places:
    """Where each symbol begins in the original; beyond: 1 for where what it was made of ends."""
    starts, ends = slices()
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    behind = np.cumsum(lengths)
    at = np.searchsorted(behind, inner.offsets, side="right")
    inside = inner.offsets - (behind - lengths)[at]
    whole = lengths != ends - starts
    return np.where(whole[at], (ends if beyond else starts)[at], starts[at] + inside + beyond)
