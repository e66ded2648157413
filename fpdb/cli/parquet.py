"""Rows as a Parquet file, some thousands in memory at a time. Needs the extra `parquet`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final

from fpdb.errors import BadName, MissingPackage

GROUP: Final = 1 << 16
"""Rows of a row group."""

TYPES: Final[Mapping[type, str]] = {str: "string", int: "int64", float: "double", bool: "bool"}
"""The Arrow type of a column that holds such values. All may be null."""


def check_packages() -> None:
    """Raises MissingPackage."""
    _arrow()


def write_parquet(file: BinaryIO, columns: Mapping[str, type], rows: Iterable[Sequence[object]]) -> None:
    """Writes a file with these columns. Raises BadName where a text cannot be written as UTF-8, MissingPackage."""
    pa, pq = _arrow()
    schema = pa.schema([(name, pa.type_for_alias(TYPES[sort])) for name, sort in columns.items()])
    with pq.ParquetWriter(file, schema) as writer:
        for group in _groups(rows):
            arrays = [
                pa.array(_checked(values) if sort is str else values, schema.field(name).type)
                for (name, sort), values in zip(columns.items(), zip(*group, strict=True), strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema))


def _groups(rows: Iterable[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    each = iter(rows)
    while group := list(islice(each, GROUP)):
        yield group


def _checked(texts: Sequence[Any]) -> Sequence[Any]:
    """The texts; Parquet's are UTF-8, and some file names are not."""
    for text in texts:
        if text is not None and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise BadName(
                    f"the name {text!r} is not UTF-8, and Parquet holds no other text: use --format json or csv"
                ) from None
    return texts


def _arrow() -> tuple[Any, Any]:
    """pyarrow, and its module for Parquet. Raises MissingPackage."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackage("Parquet takes the package pyarrow: pip install 'fpdb[parquet]'") from None
    return pyarrow, parquet
