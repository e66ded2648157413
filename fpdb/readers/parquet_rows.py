"""Read rows of Parquet, and cut them into portions that fit into memory.

`sandbox_worker` loads this file; it imports nothing of fpdb.
"""

from collections.abc import Iterator
from typing import Any

_READ_AHEAD = 1 << 20
"""Bytes of a column."""
_group: dict[str, Any] = {}
"""The row group that is being read."""

Portion = tuple[int, int, bytes | memoryview]
"""The number of rows, their bytes, and a stream of Arrow, which is empty where one row is too large."""


def read_layout(path: str) -> tuple[list[str], list[tuple[int, int]], dict[bytes, bytes], dict[str, str]]:
    """Return the columns of a file, the rows and the bytes of each row group, its metadata, and codecs by column.

    The metadata hold the schema of Arrow, if Arrow wrote the file; of codecs, those of the first row group are taken.
    """
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        columns = [group.column(index) for group in groups[:1] for index in range(group.num_columns)]
        codecs = {column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE") for column in columns}
        sizes = [(group.num_rows, group.total_byte_size) for group in groups]
        return file.schema_arrow.names, sizes, file.metadata.metadata or {}, codecs


def read_next(options: dict[str, Any]) -> Portion | None:
    """Return the next rows of a row group; None at its end. The first call with some options begins.

    options: path; group, its number; columns; batch, rows that are read at a time; skip, rows that are not wanted;
    compact, whether equal values are held once, as in the file; limit, bytes of rows that go together; largest, of one.
    Others only tell one reading from another.
    """
    if _group.get("options") != options:
        _group.update(options=options, rows=_read_group(options))
    portion: Portion | None = next(_group["rows"], None)
    return portion


def _read_group(options: dict[str, Any]) -> Iterator[Portion]:
    from pyarrow.parquet import ParquetFile

    columns, skip = options["columns"], options["skip"]
    # Without a buffer, all of a row group's columns would be read ahead.
    dictionaries = columns if options["compact"] else None
    with ParquetFile(options["path"], buffer_size=_READ_AHEAD, read_dictionary=dictionaries) as file:
        for rows in file.iter_batches(options["batch"], [options["group"]], columns, use_threads=False):
            yield from cut_rows(_without_views(rows.slice(skip)), options["limit"], options["largest"])
            skip = max(skip - len(rows), 0)


def _without_views(rows: Any) -> Any:
    """Return rows with plain strings in place of string views, which Arrow neither selects nor measures well."""
    import pyarrow

    fields = [field.with_type(_plain_type(field.type)) for field in rows.schema]
    schema = pyarrow.schema(fields, rows.schema.metadata)
    return rows if schema.equals(rows.schema) else rows.cast(schema)


def _plain_type(kind: Any) -> Any:
    """Return a type of Arrow with large strings in place of string views, also in lists, structures and maps."""
    import pyarrow
    from pyarrow import types

    def plain(field: Any) -> Any:
        return field.with_type(_plain_type(field.type))

    if types.is_string_view(kind):
        return pyarrow.large_string()
    if types.is_binary_view(kind):
        return pyarrow.large_binary()
    if types.is_struct(kind):
        return pyarrow.struct([plain(kind.field(index)) for index in range(kind.num_fields)])
    if types.is_list(kind):
        return pyarrow.list_(plain(kind.value_field))
    if types.is_large_list(kind):
        return pyarrow.large_list(plain(kind.value_field))
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(plain(kind.value_field), kind.list_size)
    if types.is_map(kind):
        return pyarrow.map_(plain(kind.key_field), plain(kind.item_field), kind.keys_sorted)
    return kind


def cut_rows(rows: Any, limit: int, largest: int) -> Iterator[Portion]:
    """Cut rows in halves until they fit."""
    size = sum(map(_column_bytes, rows.columns))
    if len(rows) > 1 and size > limit:
        half = len(rows) // 2
        yield from cut_rows(rows.slice(0, half), limit, largest)
        yield from cut_rows(rows.slice(half), limit, largest)
    elif len(rows):
        yield len(rows), size, _as_stream(rows) if size <= largest else b""


def _column_bytes(column: Any) -> int:
    """Return the bytes of a column's values; those that are held once count as often as they occur."""
    from pyarrow import compute

    if not hasattr(column, "dictionary"):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary)
    return compute.sum(compute.cast(lengths.take(column.indices), "int64")).as_py() or 0


def _as_stream(rows: Any) -> memoryview:
    import pyarrow

    columns = [column.dictionary_decode() if hasattr(column, "dictionary") else column for column in rows.columns]
    fields = [field.with_type(column.type) for field, column in zip(rows.schema, columns, strict=True)]
    decoded = pyarrow.RecordBatch.from_arrays(columns, schema=pyarrow.schema(fields, rows.schema.metadata))
    out = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(out, decoded.schema) as stream:
        stream.write_batch(decoded)
    return memoryview(out.getvalue())
