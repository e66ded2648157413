import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

PAGE: int

def ranks_of(documents: U32, pages: U32, table: U32) -> U32: ...
def lists(hashes: U64, ranks: U32) -> U32: ...
def survey(members: U32, max_df: int, rows: int, weights: F64, sizes: U32, paired: U32, totals: F64) -> None: ...
def keep(
    members: U32,
    max_df: int,
    a_start: int,
    a_end: int,
    b_start: int,
    b_end: int,
    kept: U32,
    frequencies: U32,
    at: int,
) -> int: ...
def index(members: U32, start: int, end: int) -> tuple[I64, U32]: ...

class Counter:
    a: U32
    b: U32
    shared: U32
    weight: F64
    def __init__(self, documents: int, room: int, weighted: bool) -> None: ...
    def count(
        self,
        members: U32,
        frequencies: U32,
        weights: F64,
        offsets: I64,
        places: U32,
        first: int,
        row: int,
        end: int,
        b_start: int,
        b_end: int,
        fewest: int,
        sizes: F64,
        least: float,
        of_both: bool,
        owners: U32,
    ) -> tuple[int, int]: ...
