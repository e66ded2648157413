"""The fingerprints of one document: plain arrays, and the way back to the original text."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint.selection import NO_POSITION, WHOLE
from fpdb.readers.symbols import Symbols


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """Selected k-grams of one document, in ascending order of position; those without one come last.

    symbols, kgrams: how many it has; no k-grams if fewer than k symbols.
    hashes: (n,) uint64, in stored form; one that occurs several times is kept several times.
    positions: (n,) uint32, index of each k-gram's first symbol; `NO_POSITION` for none.
    note: how the document was decoded.
    source: its symbols, where `starts` is to be asked for.
    level: that of a distinct sample: it holds the hashes whose stored form ends with at least so many zeros. Else 0.
    share: how much of all possible hashes the fingerprints are a sample of, in units of 2^-32, less one unit.
    """

    kind: str
    symbols: int
    kgrams: int
    hashes: NDArray[np.uint64]
    positions: NDArray[np.uint32]
    note: str
    source: Symbols | None = field(default=None, repr=False)
    level: int = 0
    share: int = WHOLE

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(n,) int64: offset in the original, in characters, of each k-gram's first symbol; -1 for no position."""
        if self.source is None:
            raise ValueError("these fingerprints came without their document's symbols")
        starts = np.full(len(self.positions), -1, np.int64)
        placed = self.positions != NO_POSITION
        starts[placed] = self.source.offsets[self.positions[placed]]
        return starts
