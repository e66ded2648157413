"""What a front-end makes of a document: symbols, and the way back from each to the original.

Knows nothing of kinds, hashes or recipes.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.uint8 | np.uint32]
Locate = Callable[[], NDArray[np.int64]]


class Symbols:
    """The symbols of one document.

    values: (n,) uint8 where every symbol is < 256, else uint32; contiguous. The two types mean the same.
    note: how the document was read, in words: "utf-8", "python; latin-1", ...
    """

    def __init__(
        self, values: Values, locate: Locate, note: str = "", text: str | bytes = "", locate_ends: Locate | None = None
    ) -> None:
        """text: the original, in which offsets count; bytes must be ASCII. locate_ends: None if a symbol is of one
        character of it."""
        self.values = values
        self.note = note
        self._locate = locate
        self._locate_ends = locate_ends
        self._text = text

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """(n,) int64: the index, in characters of the original, where each symbol comes from.

        Never descends; equal for symbols that one character made. Computed when first asked for.
        """
        return self._locate()

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """(n,) int64: the index, in characters of the original, just behind what each symbol was made of.

        A symbol is `text[offset:end]`: a character, an entity, a token. Never descends.
        """
        return self.offsets + 1 if self._locate_ends is None else self._locate_ends()

    @property
    def text(self) -> str:
        """The original, decoded: what offsets are indices into.

        Where a kind has no plain source, this is the text that was taken out of it.
        """
        return self._text if isinstance(self._text, str) else self._text.decode("ascii")
