"""The fingerprints of one document: plain arrays, and the way back to the original text."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint.symbols import Symbols


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """Selected k-grams of one document, in ascending order of position.

    symbols, kgrams: how many it has; no k-grams if fewer than k symbols.
    hashes: (n,) uint64, in stored form; one that occurs several times is kept several times.
    positions: (n,) uint32, index of each k-gram's first symbol; None where they are not known.
    note: how the document was decoded.
    source: its symbols, where `starts` is to be asked for.
    """

    kind: str
    symbols: int
    kgrams: int
    hashes: NDArray[np.uint64]
    positions: NDArray[np.uint32] | None
    note: str
    source: Symbols | None = field(default=None, repr=False)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(n,) int64: offset in the original, in characters, of each k-gram's first symbol."""
        if self.source is None or self.positions is None:
            raise ValueError("these fingerprints came without their document's symbols")
        return self.source.offsets[self.positions]
