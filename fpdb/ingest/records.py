"""Documents from files of records, whatever their format: a line of JSON Lines or a row of Parquet each.

A file is only cut into chunks here; whoever fingerprints the documents reads them out of a chunk, see `files.Chunk`.
"""

import sys
from collections.abc import Iterable, Iterator

from fpdb.errors import Unreadable
from fpdb.ingest import jsonl, parquet
from fpdb.ingest.chunks import Chunk
from fpdb.ingest.files import DatabaseFiles, InputDocument, Skipped, document_name, error_text
from fpdb.ingest.input_files import RecordFormat, find_input_files
from fpdb.ingest.path_filter import PathFilter
from fpdb.ingest.record_fields import Fields


def read_records(
    paths: Iterable[str],
    record_format: RecordFormat = "jsonl",
    *,
    fields: Fields | None = None,
    kind: str = "text",
    exclude: DatabaseFiles | None = None,
) -> Iterator[InputDocument | Skipped]:
    """Yield the documents in files of records, in order; the arguments are those of `record_chunks`."""
    for chunk in record_chunks(paths, record_format, fields=fields, kind=kind, exclude=exclude):
        yield from [chunk] if isinstance(chunk, Skipped) else chunk.documents()


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
        record_format: JSON Lines may be compressed by gzip, bzip2, xz or zstd.
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
            if path == "-":
                yield from jsonl.read_lines(sys.stdin.buffer, "standard input", fields=fields, kind=kind)
            elif record_format == "parquet":
                yield from parquet.read_rows(path, document_name(path), fields, kind)
            else:
                with open(path, "rb") as file:
                    yield from jsonl.read_lines(file, document_name(path), fields=fields, kind=kind)
        except (OSError, ValueError, Unreadable) as error:
            yield Skipped(document_name(path), error_text(error), requested=True)
