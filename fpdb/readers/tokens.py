"""The alphabet "tokens": a number for each token of a program, the same in all languages, processes and versions."""

from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
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


MODIFIERS = (
    "public private protected internal fileprivate pub static final const constexpr consteval constinit inline extern "
    "register volatile mutable mut readonly sealed abstract virtual override native transient synchronized strictfp "
    "throws"
)
TYPES = (
    "int long short byte boolean bool char double float void unsigned signed string object decimal uint ulong ushort "
    "sbyte i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 isize usize f32 f64 var let val auto"
)
"""Keywords that stand where the name of a type does."""


@lru_cache(maxsize=1 << 16)
def token_symbol(token: str) -> int:
    """Return the symbol of a keyword, an operator or a `TokenClass`: the XXH32 of its UTF-8."""
    return xxhash.xxh32_intdigest(token.encode("utf-8", "surrogatepass"))


@cache
def _symbols_of(words: str) -> U32:
    return np.array([token_symbol(word) for word in words.split()], np.uint32)


def fold_declarations(tokens: Tokens) -> Tokens:
    """Return the tokens as version 2 of the readers has them: the same for `final int x = 0` and `x = 0`.

    Modifiers have no symbol, keywords for types are identifiers, and identifiers that follow each other are one symbol.
    So copies in which declarations were changed stay alike.
    """
    identifier = np.uint32(token_symbol(TokenClass.IDENTIFIER.value))
    kept = ~np.isin(tokens.values, _symbols_of(MODIFIERS))
    values, starts, ends = tokens.values[kept], tokens.starts[kept], tokens.ends[kept]
    is_name = np.isin(values, _symbols_of(TYPES)) | (values == identifier)
    first = np.ones(len(values), np.bool_)
    first[1:] = ~(is_name[1:] & is_name[:-1])
    last = np.roll(first, -1)
    last[-1:] = True
    return Tokens(np.where(is_name, identifier, values)[first], starts[first], ends[last], tokens.to_characters)


def as_characters(offsets: Offsets) -> I64:
    """Convert offsets that are indices of characters already."""
    return offsets.astype(np.int64)
