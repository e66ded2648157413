from fpdb.arrays import I64, U32, U64

def partition_hashes(
    hashes: U64, owners: U32, queries: int, boilerplate: U64, smallest: int
) -> tuple[U64, U32, I64, I64, I64]: ...
def count_shared(
    posting_lists: tuple[U32, I64, I64], query_hashes: tuple[U32, I64], minimums: I64, omitted: tuple[U32, I64]
) -> tuple[U32, U32, I64]: ...
