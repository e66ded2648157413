"""Text put together from parts of an original, whose symbols lead back to it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from fpdb.arrays import I64
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Symbols


class MappedText(NamedTuple):
    """Consecutive strings, the n parts, each for a slice of the original.

    A part as long as its slice equals it. Any other stands for the slice as a whole. slices: computes the starts and
    ends, (n,), ascending.
    """

    original: str
    parts: list[str]
    slices: Callable[[], tuple[I64, I64]]

    def fold(self, note: str, alphabet: str, version: int = READER_VERSION) -> Symbols:
        """Return the symbols of the text, whose offsets are indices into the original."""
        folded = fold("".join(self.parts), "", alphabet, version)
        locate, locate_ends = (partial(self._locate, folded, ends) for ends in (False, True))
        return Symbols(folded.values, locate, note, self.original, locate_ends)

    def _locate(self, folded: Symbols, ends: bool) -> I64:
        """Return the offset in the original where each symbol starts, or ends."""
        slice_starts, slice_ends = self.slices()
        lengths = np.fromiter(map(len, self.parts), np.int64, len(self.parts))
        part_ends = np.cumsum(lengths)
        part = np.searchsorted(part_ends, folded.offsets, side="right")
        offset_in_part = folded.offsets - (part_ends - lengths)[part]
        is_replaced = lengths != slice_ends - slice_starts
        return np.where(
            is_replaced[part], (slice_ends if ends else slice_starts)[part], slice_starts[part] + offset_in_part + ends
        )
