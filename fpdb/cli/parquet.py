"""Write rows as Parquet, a row group in memory at a time. Needs the extra `parquet`."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import BinaryIO, Final

from fpdb.arrow_table import batch_of, import_arrow, schema_of
from fpdb.columns import Columns

ROW_GROUP: Final = 1 << 16


def check_packages() -> None:
    """Raise MissingPackage if pyarrow is not installed."""
    import_arrow("Parquet")


def write_parquet(file: BinaryIO, columns: Columns, rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a Parquet file; every column may hold null.

    Raises:
        BadName: A text cannot be written as UTF-8.
        MissingPackage: pyarrow is not installed.
    """
    check_packages()
    from pyarrow import parquet

    schema, rows = schema_of(columns), iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(rows, ROW_GROUP)):
            writer.write_batch(batch_of(schema, group))
