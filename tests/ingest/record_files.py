"""Records, and files of them in every format."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.records import record_chunks

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


WORDS = [f"word{number * number}" for number in range(400)]


def text(seed: int, words: int = 60) -> str:
    return " ".join(WORDS[(seed * 31 + index * (seed + 7)) % 400] for index in range(words))


def lines_of(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def written(folder: Path, rows: list[dict[str, Any]], ending: str) -> str:
    path = folder / f"in{ending}"
    if ending == ".parquet":
        names = dict.fromkeys(name for row in rows for name in row)  # pyarrow goes by the first row
        table = pa.table({name: [row.get(name) for row in rows] for name in names})
        pq.write_table(table, path, row_group_size=7)
    else:
        path.write_bytes(PACKED[ending.removeprefix(".jsonl")](lines_of(rows)))
    return str(path)


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"id": f"d{number:03}", "text": text(number)} for number in range(count)]


def read_records(paths: Iterable[str], *arguments: Any, **options: Any) -> Iterator[InputDocument | Skipped]:
    """Yield the documents in files of records, in order; the arguments are those of `record_chunks`."""
    for chunk in record_chunks(paths, *arguments, **options):
        yield from [chunk] if isinstance(chunk, Skipped) else chunk.documents()
