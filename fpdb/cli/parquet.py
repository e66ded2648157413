"""Write rows as Parquet, a row group in memory at a time. Needs the extra `parquet`."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final

from fpdb.columns import Columns
from fpdb.errors import BadName, MissingPackage

ROW_GROUP: Final = 1 << 16
ARROW_TYPES: Final = {str: "string", int: "int64", float: "double", bool: "bool"}


def check_packages() -> None:
    """Raise MissingPackage if pyarrow is not installed."""
    _import_arrow()


def write_parquet(file: BinaryIO, columns: Columns, rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a Parquet file; every column may hold null.

    Raises:
        BadName: A text cannot be written as UTF-8.
        MissingPackage: pyarrow is not installed.
    """
    pa, pq = _import_arrow()
    schema = pa.schema([(column.name, pa.type_for_alias(ARROW_TYPES[column.type])) for column in columns])
    rows = iter(rows)
    with pq.ParquetWriter(file, schema) as writer:
        while group := list(islice(rows, ROW_GROUP)):
            arrays = [
                pa.array(_check_utf8(values) if column.type is str else values, field.type)
                for column, field, values in zip(columns, schema, zip(*group, strict=True), strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema))


def _check_utf8(texts: Sequence[Any]) -> Sequence[Any]:
    for text in texts:
        if text is not None and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise BadName(
                    f"the name {text!r} is not UTF-8, and Parquet holds no other text: use --format json or csv"
                ) from None
    return texts


def _import_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackage("Parquet takes the package pyarrow: pip install 'fpdb[parquet]'") from None
    return pyarrow, parquet
