"""Parquet: a file is cut into chunks of rows, which are turned into documents by whoever fingerprints them."""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from fpdb.errors import MissingPackage
from fpdb.ingest.files import InputDocument, Skipped, error_text
from fpdb.ingest.record_fields import RECORD_CHUNK_BYTES, Fields, RecordChunk

if TYPE_CHECKING:
    from pyarrow import RecordBatch

MAX_ROWS = 1000
"""Rows of a chunk."""
_BUFFER = 1 << 20
"""Bytes of a column that are read ahead; without it, all of its row group would be."""


def check_packages() -> None:
    """Raise MissingPackage where Parquet cannot be read."""
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackage("pyarrow is needed for Parquet: pip install 'fpdb[parquet]'") from error


class RowChunk(RecordChunk):
    """Rows of Parquet, as a stream of Arrow."""

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield a document, or what is skipped, for each row."""
        import pyarrow

        with pyarrow.ipc.open_stream(self.content) as stream:
            table = stream.read_all()
        try:
            records = table.to_pylist()
        except ValueError:  # of one row, such as a string that is not UTF-8
            records = [None] * len(table)
        for index, record in enumerate(records):
            location = f"{self.origin}:{self.first + index}"
            try:
                if record is None:
                    (record,) = table.slice(index, 1).to_pylist()
                yield self.fields.document(record, location, 0, self.kind)
            except UnicodeDecodeError:
                yield Skipped(location, "not UTF-8")
            except ValueError as error:
                yield Skipped(location, str(error))


def read_rows(path: str, origin: str, fields: Fields, kind: str) -> Iterator[RowChunk | Skipped]:
    """Yield the rows of a file, of the columns that are wanted, and which row groups cannot be read.

    Raises OSError, ValueError where the file is no Parquet.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path, buffer_size=_BUFFER) as file:
        names = file.schema_arrow.names
        if column_of(fields.text_field, names) is None:
            raise ValueError(f'no column "{fields.text_field}" (there is: {", ".join(names)})')
        columns = sorted({column for field in fields.wanted() if (column := column_of(field, names)) is not None})
        bytes_per_row = os.path.getsize(path) / max(file.metadata.num_rows, 1)
        first = 1
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            end = first + group.num_rows
            limit = max(min(RECORD_CHUNK_BYTES * group.num_rows // max(group.total_byte_size, 1), MAX_ROWS), 1)
            try:
                for batch in file.iter_batches(limit, [number], columns, use_threads=False):
                    yield RowChunk(_as_stream(batch), origin, first, fields, kind, round(bytes_per_row * len(batch)))
                    first += len(batch)
            except (ArrowException, OSError) as error:
                reason = f"rows up to {end - 1} cannot be read: {error_text(error)}"
                yield Skipped(f"{origin}:{first}", reason, requested=True)
            first = end


def _as_stream(batch: "RecordBatch") -> bytes:
    import pyarrow

    out = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    content: bytes = out.getvalue().to_pybytes()
    return content


def column_of(field: str, names: list[str]) -> str | None:
    """Return the column that a field is in: the field itself, or what it is a field of."""
    while field not in names and "." in field:
        field = field.rpartition(".")[0]
    return field if field in names else None
