from fpdb.arrays import I64, U8, U32, U64

class SymbolSequence:
    length: int
    def __init__(self, symbols: U32, hashes: U64, starts: I64, barred: U8, places: I64) -> None: ...

def tile(a: SymbolSequence, b: SymbolSequence, width: int, slack: int, repeats: bool) -> I64: ...
