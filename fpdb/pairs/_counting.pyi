from fpdb.arrays import F64, U32, U64

PAGE: int

def ranks_of(document_ids: U32, pages: U32, table: U32) -> U32: ...
def posting_lists(hashes: U64, ranks: U32) -> U32: ...

class Frequencies:
    def __init__(self, owners: U32, cap_owners: bool = False) -> None: ...

class Survey:
    sizes: U32
    paired: U32
    totals: F64
    common: int
    common_sizes: U32
    common_totals: F64
    signatures: U64
    def __init__(self, documents: int, new: int, max_df: int, weights: F64, frequencies: Frequencies) -> None: ...
    def add(self, members: U32) -> None: ...

class PanelLists:
    def __init__(
        self, panel: tuple[int, int, int, int], room: int, max_df: int, weighted: bool, frequencies: Frequencies
    ) -> None: ...
    def add(self, lists: U32) -> None: ...
    def finish(self) -> None: ...

class Counter:
    a: U32
    b: U32
    shared: U32
    weight: F64
    def __init__(self, room: int, weights: F64, sizes: F64, owners: U32, sets: U32, of_union: bool) -> None: ...
    def count(self, lists: PanelLists, row: int, end: int, min_shared: int, min_ratio: float) -> tuple[int, int]: ...
