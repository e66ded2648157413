"""Symbols: what a reader makes of a document, with the place of each symbol in the original."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64

Values = NDArray[np.uint8 | np.uint32]
Locate = Callable[[], I64]


class Parts(NamedTuple):
    """The pages, slides, chapters, sheets or cells of an original, in order.

    Attributes:
        kind: "page", "slide", ...
        starts: Index of the first character of each, ascending, from 0 on.
        names: Name of each, "" for none; empty if none has a name.
    """

    kind: str
    starts: Sequence[int]
    names: Sequence[str] = ()


@dataclass(eq=False, repr=False)
class Symbols:
    """The symbols of one document.

    Attributes:
        values: (n,) uint8 if all symbols are below 256, else uint32; contiguous. The type has no meaning.
        locate: Computes `offsets`.
        note: How the document was read: "utf-8", "python; latin-1", ...
        original: The original, into which offsets are indices; ASCII if bytes.
        locate_ends: Computes `ends`; None if each symbol was made of one character.
        hidden: Letters and digits that the document does not show; they were left out.
        parts: Parts that a reader knows a passage by, such as pages; None if the document has none.
    """

    values: Values
    locate: Locate
    note: str = ""
    original: str | bytes = ""
    locate_ends: Locate | None = None
    hidden: int = 0
    parts: Parts | None = None

    def __len__(self) -> int:
        """Return the number of symbols."""
        return len(self.values)

    @cached_property
    def offsets(self) -> I64:
        """(n,) int64, ascending: index of the first character each symbol was made of; equal if it is the same one."""
        return self.locate()

    @cached_property
    def ends(self) -> I64:
        """(n,) int64, ascending: index behind the last character (of an entity, a token) each symbol was made of."""
        return self.offsets + 1 if self.locate_ends is None else self.locate_ends()

    @property
    def text(self) -> str:
        """The decoded original, into which offsets are indices; of kinds without plain source, the extracted text."""
        return self.original if isinstance(self.original, str) else self.original.decode("ascii")
