from collections.abc import Callable, Sequence
from typing import Any

from fpdb.arrays import I64, U8, U32, U64

class Located: ...

class Places:
    def __init__(self, count: int) -> None: ...
    def locate(self, indices: I64, read: Callable[[I64], list[bytes | memoryview]]) -> Located: ...

def probe(
    values: Sequence[Any] | Located,
    first_hashes: U64,
    hashes: U64,
    lows: U32,
    highs: U32,
    first_id: int = ...,
    last_id: int = ...,
) -> tuple[I64, U32]: ...
def tally(
    values: Sequence[Any] | Located,
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
