from collections.abc import Iterable
from typing import Any

from fpdb.arrays import U32, U64

def decode_postings(values: Iterable[Any], postings: int) -> tuple[U64, U32]: ...
def decode_positions(values: Iterable[Any], postings: int) -> U32: ...
