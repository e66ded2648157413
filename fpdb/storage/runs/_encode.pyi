from fpdb.arrays import U8, U32, U64

POSTINGS_PER_BLOCK: int
BLOCK_BYTES: int

def encode_postings(hashes: U64, documents: U32, final: bool) -> tuple[U8, list[int], list[int]]: ...
def encode_positions(positions: U32, final: bool) -> tuple[U8, list[int], list[int]]: ...
