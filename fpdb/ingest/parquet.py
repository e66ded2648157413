"""Parquet: a file is cut into chunks of rows, which are turned into documents by whoever fingerprints them.

The sandbox reads the file: a few kilobytes may stand for gigabytes, and no figure of the file is believed.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fpdb import limits
from fpdb.errors import MissingPackage, Unreadable
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import RECORD_CHUNK_BYTES, Cuts, Fields, RecordChunk
from fpdb.limits import FREE_EXPANSION, MAX_EXPANSION
from fpdb.readers.sandbox import OutOfMemory, Sandbox

MAX_ROWS = 1000
"""Rows of a chunk."""
_serials = itertools.count()
"""Numbers of readings, so that the sandbox begins each of them anew."""
_SANDBOX = Sandbox("pyarrow.parquet", "pyarrow.compute")


def check_packages() -> None:
    """Raise MissingPackage where Parquet cannot be read."""
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackage("pyarrow is needed for Parquet: pip install 'fpdb[parquet]'") from error


@dataclass(frozen=True)
class RowChunk(RecordChunk):
    """Rows of Parquet, as a stream of Arrow.

    metadata: Those of the file, with the types of its columns in Arrow. codecs: The compression of each column. Both
    are empty unless the rows are whole.
    """

    noun = "row"
    holds_all_fields = False
    metadata: dict[bytes, bytes]
    codecs: dict[str, str]

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield a document, or what is skipped, for each row."""
        table = self._table()
        wanted = self.fields.wanted()
        table = table.select(sorted({name for field in wanted if (name := column_of(field, table.schema.names))}))
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

    def select(self, cuts: Sequence[Cuts | None]) -> Any:
        """Return the rows that are left, as a table."""
        import pyarrow

        table = self._table()
        changed = {index: spans for index, spans in enumerate(cuts) if spans}
        if changed:
            name = column_of(self.fields.text_field, table.schema.names) or ""
            position = table.schema.get_field_index(name)
            values = table.column(position).to_pylist()
            for index, spans in changed.items():
                record = {name: values[index]}
                self.fields.cut(record, spans)
                values[index] = record[name]
            field = table.schema.field(position)
            table = table.set_column(position, field, [pyarrow.array(values, field.type)])
        return table.filter([spans is not None for spans in cuts])

    def _table(self) -> Any:
        import pyarrow

        with pyarrow.ipc.open_stream(self.content) as stream:
            return stream.read_all()


def read_rows(
    path: str, origin: str, fields: Fields, kind: str, *, whole: bool = False
) -> Iterator[RowChunk | Skipped]:
    """Yield the rows of a file, of the columns that are wanted or of all, and what cannot be read.

    Raises OSError, Unreadable; ValueError where a column is missing.
    """
    path = os.path.abspath(path)  # the sandbox stays in the folder that it was started in
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
    names, groups, metadata, codecs = _call("parquet_layout", path)
    if column_of(fields.text_field, names) is None:
        raise ValueError(f'no column "{fields.text_field}" (there is: {", ".join(names)})')
    if not whole:
        metadata, codecs = {}, {}  # which are for rows that are written again
    columns = names if whole else sorted({name for field in fields.wanted() if (name := column_of(field, names))})
    bytes_per_row = size / max(sum(rows for rows, _ in groups), 1)
    first, remaining = 1, max(FREE_EXPANSION, MAX_EXPANSION * size)
    for number, (count, group_bytes) in enumerate(groups):
        done = 0
        batch = max(min(RECORD_CHUNK_BYTES * count // max(group_bytes, 1), MAX_ROWS), 1)
        try:
            for rows, row_bytes, stream in _read_group(path, number, columns, batch):
                remaining -= row_bytes
                if remaining < 0:
                    reason = f"not read any further: it unpacks to more than {MAX_EXPANSION} times its size"
                    yield Skipped(f"{origin}:{first + done}", f"{reason}, like a zip bomb", requested=True)
                    return
                if stream:
                    input_bytes = round(bytes_per_row * rows)
                    yield RowChunk(stream, origin, first + done, fields, kind, input_bytes, metadata, codecs)
                else:
                    limit = limits.current().copied_bytes
                    reason = f"the row has {row_bytes:,} bytes; at most {limit:,} are read (see --max-memory)"
                    yield Skipped(f"{origin}:{first + done}", reason)
                done += rows
        except Unreadable as error:
            reason = f"rows up to {first + count - 1} cannot be read: {error}"
            yield Skipped(f"{origin}:{first + done}", reason, requested=True)
        first += count


def _read_group(path: str, number: int, columns: list[str], batch: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the rows of a row group, as the sandbox reads them. Raises Unreadable.

    Values that occur often are held as often, which is faster, as long as there is the memory.
    """
    options: dict[str, Any] = {"path": path, "group": number, "columns": columns, "batch": batch}
    options |= {"limit": RECORD_CHUNK_BYTES, "largest": limits.current().copied_bytes, "serial": next(_serials)}
    done, compact = 0, False
    while True:
        try:
            given = {**options, "skip": done, "compact": compact}
            while (rows := _call("parquet_rows", given)) is not None:
                yield rows
                done += rows[0]
            return
        except OutOfMemory:
            if compact:
                raise
            compact = True


def _call(function: str, argument: object) -> Any:
    with limits.timed_reading() as reading:
        return _SANDBOX.call(function, argument, reading=reading)


def column_of(field: str, names: list[str]) -> str | None:
    """Return the column that a field is in: the field itself, or what it is a field of."""
    while field not in names and "." in field:
        field = field.rpartition(".")[0]
    return field if field in names else None
