from fpdb.arrays import U32, U64
from fpdb.storage.id_set import IdSet

class Stream:
    ended: bool
    def refill(self, hashes: U64, documents: U32, positions: U32) -> None: ...

def merge(streams: list[Stream], output: tuple[U64, U32, U32], filled: int, live: IdSet | None) -> tuple[int, int]: ...
