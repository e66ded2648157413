"""Symbols: what a reader makes of a document, with the place of each symbol in the original."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64

Values = NDArray[np.uint8 | np.uint32]
Locate = Callable[[], I64]


class Symbols:
    """The symbols of one document.

    Attributes:
        values: (n,) uint8 if all symbols are below 256, else uint32; contiguous. The type has no meaning.
        note: How the document was read: "utf-8", "python; latin-1", ...
    """

    def __init__(
        self, values: Values, locate: Locate, note: str = "", text: str | bytes = "", locate_ends: Locate | None = None
    ) -> None:
        """Make symbols that compute their places when first asked.

        Args:
            values: See the class.
            locate: Computes `offsets`.
            note: See the class.
            text: The original, into which offsets are indices; ASCII if bytes.
            locate_ends: Computes `ends`; None if each symbol comes from one character.
        """
        self.values = values
        self.note = note
        self._locate = locate
        self._locate_ends = locate_ends
        self._text = text

    def __len__(self) -> int:
        """Return the number of symbols."""
        return len(self.values)

    @cached_property
    def offsets(self) -> I64:
        """(n,) int64, ascending: index of the first character each symbol was made of; equal if it is the same one."""
        return self._locate()

    @cached_property
    def ends(self) -> I64:
        """(n,) int64, ascending: index behind the last character (of an entity, a token) each symbol was made of."""
        return self.offsets + 1 if self._locate_ends is None else self._locate_ends()

    @property
    def text(self) -> str:
        """The decoded original, into which offsets are indices; of kinds without plain source, the extracted text."""
        return self._text if isinstance(self._text, str) else self._text.decode("ascii")
