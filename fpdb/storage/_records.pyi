from typing import Any

from fpdb.arrays import I64, U8

def check_shape(group: bytes, rows: int, longest: int, labels: int) -> None: ...
def describe(
    group: bytes, rows: int, places: list[int], longest: int, names: list[bytes], counts: list[int]
) -> None: ...
def pack_group(
    names: list[bytes], digests: U8, counts: I64, shared: tuple[bytes, bytes], labels: list[bytes]
) -> bytes: ...
def read_columns(
    group: bytes,
    rows: int,
    limits: tuple[int, int, int, int],
    keys: list[str],
    columns: tuple[list[bytes], list[str], list[Any]],
    counts: I64,
    digests: U8,
) -> list[int]: ...
def narrow_sizes(wide: bytes | memoryview) -> bytes | None: ...
def widen_sizes(narrow: bytes | memoryview) -> bytes: ...
