"""Rows of Parquet files as pieces: cut here, and turned into documents by whoever fingerprints them."""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from fpdb.errors import MissingPackage
from fpdb.ingest.files import InputDocument, Skipped, error_text
from fpdb.ingest.record_fields import PIECE, Fields, RecordChunk

if TYPE_CHECKING:
    from pyarrow import RecordBatch

ROWS = 1000
"""Rows that are read at once; a piece has no more."""
_BUFFER = 1 << 20
"""Of a column that is being read; or else all of its row group would be."""


def check_packages() -> None:
    """Raises MissingPackage where Parquet cannot be read."""
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackage("pyarrow is needed for Parquet: pip install 'fpdb[parquet]'") from error


class RowChunk(RecordChunk):
    """Rows of Parquet, as a stream of Arrow."""

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """As a `Chunk`."""
        import pyarrow

        with pyarrow.ipc.open_stream(self.content) as stream:
            table = stream.read_all()
        try:
            records = table.to_pylist()
        except ValueError:  # of one row, such as a string that is not UTF-8
            records = [None] * len(table)
        for index, record in enumerate(records):
            at = f"{self.origin}:{self.first + index}"
            try:
                if record is None:
                    (record,) = table.slice(index, 1).to_pylist()
                yield self.fields.source(record, at, 0, self.kind)
            except UnicodeDecodeError:
                yield Skipped(at, "not UTF-8")
            except ValueError as error:
                yield Skipped(at, str(error))


def read_rows(path: str, origin: str, fields: Fields, kind: str) -> Iterator[RowChunk | Skipped]:
    """The rows of a file, of the columns that are wanted. What cannot be read of a row group is said.

    Raises OSError, ValueError where the file is none.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path, buffer_size=_BUFFER) as file:
        there = file.schema_arrow.names
        if column_of(fields.of_text, there) is None:
            raise ValueError(f'no column "{fields.of_text}" (there is: {", ".join(there)})')
        columns = {column for field in fields.wanted() if (column := column_of(field, there)) is not None}
        a_row = os.path.getsize(path) / max(file.metadata.num_rows, 1)
        first = 1
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            end = first + group.num_rows
            most = max(min(PIECE * group.num_rows // max(group.total_byte_size, 1), ROWS), 1)
            try:
                for batch in file.iter_batches(most, [number], sorted(columns), use_threads=False):
                    yield RowChunk(_packed(batch), origin, first, fields, kind, round(a_row * len(batch)))
                    first += len(batch)
            except (ArrowException, OSError) as error:
                yield Skipped(
                    f"{origin}:{first}", f"rows up to {end - 1} cannot be read: {error_text(error)}", requested=True
                )
            first = end


def _packed(batch: "RecordBatch") -> bytes:
    """The rows as a stream of Arrow."""
    import pyarrow

    out = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    packed: bytes = out.getvalue().to_pybytes()
    return packed


def column_of(field: str, there: list[str]) -> str | None:
    """The column that a field is in: the field itself, or what it is a field of."""
    while field not in there and "." in field:
        field = field.rpartition(".")[0]
    return field if field in there else None
