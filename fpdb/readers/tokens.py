"""The alphabet "tokens": a number for each token of a program, the same in every language, process and version.

Knows nothing of how programs are cut into tokens.
"""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

ALPHABET = "tokens"


Places = NDArray[np.uint32] | NDArray[np.int64]


class Class(Enum):
    """Tokens that are one symbol whatever they say. Their numbers are those of texts that no token has."""

    IDENTIFIER = " identifier"
    STRING = " string"
    CHARACTER = " character"
    NUMBER = " number"


class Tokens(NamedTuple):
    """The tokens of one program in order, of n (n,) arrays.

    values: uint32. starts, ends: where each one begins, and where what is behind it does; any whole numbers, of which
    `characters` makes indices of characters. That is left until somebody asks, since it goes through the whole text.
    """

    values: NDArray[np.uint32]
    starts: Places
    ends: Places
    characters: Callable[[Places], NDArray[np.int64]]


@lru_cache(maxsize=1 << 16)
def number(token: str) -> int:
    """The symbol of a keyword or an operator: XXH32 of its UTF-8."""
    return xxhash.xxh32_intdigest(token.encode("utf-8", "surrogatepass"))


def same(places: Places) -> NDArray[np.int64]:
    """The `characters` of tokens whose places are indices of characters already."""
    return places.astype(np.int64)
