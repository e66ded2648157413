from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

POSTINGS_PER_BLOCK: int
BLOCK_BYTES: int

def encode_postings(hashes: U64, documents: U32, final: bool) -> tuple[U8, list[int], list[int]]: ...
def decode_postings(values: Iterable[Any], postings: int) -> tuple[U64, U32]: ...
def encode_positions(numbers: U32, final: bool) -> tuple[U8, list[int], list[int]]: ...
def decode_positions(values: Iterable[Any], postings: int) -> U32: ...
def probe(values: Sequence[Any], hashes: U64, lows: U32, highs: U32) -> tuple[U32, U32]: ...

class Stream:
    at: int
    left: int
    ended: bool
    def __init__(self) -> None: ...
    def refill(self, hashes: U64, documents: U32, numbers: U32) -> None: ...

def merge(
    streams: list[Stream], hashes: U64, documents: U32, numbers: U32, at: int, dead: U8, first: int
) -> tuple[int, int]: ...
def first_of_pair(hashes: U64, documents: U32) -> NDArray[np.bool_]: ...
