from collections.abc import Sequence
from typing import Any

from fpdb.arrays import I64, U8, U32, U64

def probe(
    values: Sequence[Any],
    first_hashes: U64,
    hashes: U64,
    lows: U32,
    highs: U32,
    first_id: int = ...,
    last_id: int = ...,
) -> tuple[I64, U32]: ...
def tally(
    values: Sequence[Any],
    first_hashes: U64,
    hashes: U64,
    lows: U32,
    highs: U32,
    counts: U32,
    first_id: int = ...,
    last_id: int = ...,
) -> None: ...
def count_documents(values: Sequence[Any], hash_: int, first_id: int = ..., last_id: int = ...) -> tuple[U32, int]: ...
def first_documents(values: Sequence[Any], hash_: int, first_id: int = ...) -> U32: ...
def hold(values: Sequence[Any], hash_: int, slots: U32, documents: U32) -> U8: ...
