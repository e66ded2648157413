"""The alphabet "tokens": a number for each token of a program, the same in all languages, processes and versions."""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xxhash

from fpdb.arrays import I64, U32

Offsets = U32 | I64


class TokenClass(Enum):
    """Classes of tokens that are one symbol whatever their text. The symbol is that of a text that no token has."""

    IDENTIFIER = " identifier"
    STRING = " string"
    CHARACTER = " character"
    NUMBER = " number"


class Tokens(NamedTuple):
    """The n tokens of one program in order.

    values: (n,) uint32, their symbols. starts, ends: (n,), offsets of each one's first character and behind its last,
    in a unit of the lexer's. to_characters: converts these to indices of characters, which may read the whole text.
    """

    values: U32
    starts: Offsets
    ends: Offsets
    to_characters: Callable[[Offsets], I64]


@lru_cache(maxsize=1 << 16)
def token_symbol(token: str) -> int:
    """Return the symbol of a keyword, an operator or a `TokenClass`: the XXH32 of its UTF-8."""
    return xxhash.xxh32_intdigest(token.encode("utf-8", "surrogatepass"))


def as_characters(offsets: Offsets) -> I64:
    """Convert offsets that are indices of characters already."""
    return offsets.astype(np.int64)
