"""The fingerprints of one document, or of several short texts, as plain arrays."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xxhash

from fpdb.arrays import I64, U32, U64
from fpdb.fingerprint.selection import NO_POSITION, WHOLE
from fpdb.readers.symbols import Symbols

if TYPE_CHECKING:
    from fpdb.readers.signs import Signs


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """The selected k-grams of one document in ascending order of position; those without a position come last.

    Attributes:
        kind: Kind of document it was read as.
        symbols, kgrams: Number of each in the document.
        hashes: (n,) uint64, in stored form; with repetitions.
        positions: (n,) uint32, index of each k-gram's first symbol; `NO_POSITION` for none.
        note: How the document was decoded.
        source: The document's symbols, from which `starts` is computed.
        level: Level of a distinct sample, which holds the hashes whose stored form ends with so many zeros; else 0.
        share: The share of all possible hashes that the fingerprints sample, in units of 2^-32, less one unit.
    """

    kind: str
    symbols: int
    kgrams: int
    hashes: U64
    positions: U32
    note: str
    source: Symbols | None = field(default=None, repr=False)
    level: int = 0
    share: int = WHOLE

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers; the position of a fingerprint that has none is None."""
        positions = [None if position == NO_POSITION else position for position in self.positions.tolist()]
        values = {"kind": self.kind, "symbols": self.symbols, "kgrams": self.kgrams, "note": self.note}
        return values | {"hashes": self.hashes.tolist(), "positions": positions}

    @cached_property
    def starts(self) -> I64:
        """(n,) int64: character index in the original of each k-gram's first symbol; -1 for no position."""
        if self.source is None:
            raise ValueError("these fingerprints came without their document's symbols")
        starts = np.full(len(self.positions), -1, np.int64)
        has_position = self.positions != NO_POSITION
        starts[has_position] = self.source.offsets[self.positions[has_position]]
        return starts

    @cached_property
    def signs(self) -> "Signs | None":
        """The signs of a disguise that the document has, or None; see `readers.signs`."""
        if self.source is None or (isinstance(self.source.original, bytes) and not self.source.hidden):
            return None
        from fpdb.readers.signs import find_signs

        return find_signs(self.source, self.kind)


class TextFingerprints(NamedTuple):
    """The fingerprints of several texts.

    Attributes:
        symbols: Number of symbols of each text; -1 for a text that must be given to `Recipe.fingerprint` instead.
        counts: Number of fingerprints of each text.
        k: Length of a k-gram.
        hashes, positions: As in `Fingerprints`, of all texts in order.
    """

    symbols: list[int]
    counts: list[int]
    k: int
    hashes: U64
    positions: U32

    def kgrams(self, index: int) -> int:
        """Return the number of k-grams of a text."""
        return max(self.symbols[index] - self.k + 1, 0)


def content_digest(content: bytes | str) -> bytes:
    """Return the 16-byte xxh3-128 of the content; a string counts as its UTF-8, lone surrogates included."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return xxhash.xxh3_128_digest(content)
