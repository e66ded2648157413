"""Cut rows of Arrow into portions that fit into memory.

`sandbox_worker` loads this file; it imports nothing of fpdb.
"""

from collections.abc import Iterator
from typing import Any


def cut_rows(rows: Any, limit: int, largest: int) -> Iterator[tuple[int, int, bytes | memoryview]]:
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
