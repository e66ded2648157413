import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

def sort(hashes: U64, documents: U32, numbers: U32) -> None: ...

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
