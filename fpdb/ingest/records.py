"""Documents from files of records, whatever their format: a line of JSON Lines, or a row of CSV or Parquet each.

A file is only cut into chunks here; whoever fingerprints the documents reads them out of a chunk, see `files.Chunk`.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, islice

from fpdb.errors import Unreadable
from fpdb.ingest import csv_rows, jsonl, parquet
from fpdb.ingest.chunks import Chunk
from fpdb.ingest.files import DatabaseFiles, InputDocument, Skipped, document_name, error_text
from fpdb.ingest.input_files import find_input_files
from fpdb.ingest.path_filter import PathFilter
from fpdb.ingest.record_fields import FIRST_RECORDS, MISSING_FIELD, Fields, RecordChunk
from fpdb.ingest.record_formats import RecordFormat


def record_chunks(
    paths: Iterable[str],
    record_format: RecordFormat = "jsonl",
    *,
    fields: Fields | None = None,
    kind: str = "text",
    exclude: DatabaseFiles | None = None,
    path_filter: PathFilter | None = None,
) -> Iterator[Chunk | Skipped]:
    """Yield the records of files in chunks, which `load` and `answers` read in several processes.

    Args:
        paths: Files, folders of them, or patterns such as `data/*.jsonl.gz`; `-` is standard input.
        record_format: JSON Lines and CSV may be compressed by gzip, bzip2, xz or zstd.
        fields: Which fields of a record hold what.
        kind: The kind of records that do not say theirs.
        exclude: The database's own files, which are skipped.
        path_filter: What is passed over in folders.

    Raises:
        MissingPackage: A package that reads the format is not installed.
    """
    fields = fields or Fields()
    if record_format == "parquet":
        parquet.check_packages()
        if "-" in paths:
            raise ValueError("Parquet is not read from standard input")
    for path in find_input_files(paths, record_format, exclude, path_filter):
        if isinstance(path, Skipped):
            yield path
            continue
        try:
            yield from read_file(path, record_format, fields, kind)
        except (OSError, ValueError, Unreadable) as error:
            yield Skipped(_origin(path), error_text(error), requested=True)


def _origin(path: str) -> str:
    return "standard input" if path == "-" else document_name(path)


def read_file(
    path: str, record_format: RecordFormat, fields: Fields, kind: str = "text", *, whole: bool = False
) -> Iterator[RecordChunk | Skipped]:
    """Yield the records of one file in chunks, with all fields if they are wanted whole.

    Raises OSError, ValueError, Unreadable.
    """
    if record_format == "parquet":
        yield from _check_first(parquet.read_rows(path, _origin(path), fields, kind, whole=whole))
        return
    with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        read = csv_rows.read_rows if record_format == "csv" else jsonl.read_lines
        yield from _check_first(read(file, _origin(path), fields=fields, kind=kind))


def _check_first(chunks: Iterator[RecordChunk | Skipped]) -> Iterator[RecordChunk | Skipped]:
    """Yield the chunks of a file, unless its first records all have one fault. Raises ValueError, which tells it."""
    ahead: list[RecordChunk | Skipped] = []
    first: list[InputDocument | Skipped] = []
    while len(first) < FIRST_RECORDS and (chunk := next(chunks, None)) is not None:
        ahead.append(chunk)
        if isinstance(chunk, Skipped):
            break
        first += islice(chunk.documents(), FIRST_RECORDS - len(first))
        reasons = [record.reason for record in first if isinstance(record, Skipped)]
        faults = {reason.partition(MISSING_FIELD)[0] for reason in reasons}
        if len(reasons) == FIRST_RECORDS and len(faults) == 1:
            raise ValueError(f"none of its first {FIRST_RECORDS} {chunk.noun}s is a document: {reasons[0]}")
    yield from chain(ahead, chunks)
