"""What a front-end makes of a document: symbols, and the way back from each to the original.

Knows nothing of kinds, hashes or recipes.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.uint8 | np.uint32]


class Symbols:
    """The symbols of one document.

    values: (n,) uint8 where every symbol is < 256, else uint32; contiguous. The two types mean the same.
    note: how the document was read, in words: "utf-8", "latin-1", ...
    """

    def __init__(self, values: Values, locate: Callable[[], NDArray[np.int64]], note: str = "") -> None:
        self.values = values
        self.note = note
        self._locate = locate

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """(n,) int64: the index, in characters of the original, where each symbol comes from.

        Never descends; equal for symbols that one character made. Computed when first asked for.
        """
        return self._locate()
