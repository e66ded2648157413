from fpdb.arrays import U8, U32, U64

class Stream:
    ended: bool
    def __init__(self) -> None: ...
    def refill(self, hashes: U64, documents: U32, positions: U32) -> None: ...

def merge(
    streams: list[Stream], output: tuple[U64, U32, U32], filled: int, dead: U8, first_id: int
) -> tuple[int, int]: ...
