import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

def deal(hashes: U64, owners: U32, queries: int, boilerplate: U64, most: int) -> tuple[U64, U32, I64, I64, I64]: ...
def share(
    documents: U32,
    starts: I64,
    ends: I64,
    at: U32,
    bounds: I64,
    fewest: I64,
    left_out: U32,
    left_out_bounds: I64,
) -> tuple[U32, U32, I64]: ...
