"""The alphabet "tokens": a number for each token of a program, the same in every language, process and version.

Knows nothing of how programs are cut into tokens.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

ALPHABET = "tokens"


class Class(Enum):
    """Tokens that are one symbol whatever they say. Their numbers are those of texts that no token has."""

    IDENTIFIER = " identifier"
    STRING = " string"
    CHARACTER = " character"
    NUMBER = " number"


class Tokens(NamedTuple):
    """The tokens of one program in order, of n (n,) arrays.

    values: uint32. starts, ends: int64, indices of each one's first character and the one behind its last.
    """

    values: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@lru_cache(maxsize=1 << 16)
def number(token: str) -> int:
    """The symbol of a keyword or an operator: XXH32 of its UTF-8."""
    return xxhash.xxh32_intdigest(token.encode("utf-8", "surrogatepass"))
