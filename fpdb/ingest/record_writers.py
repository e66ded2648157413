"""Write records again as their file has them: without some, and with passages cut out of the text of others."""

import bz2
import gzip
import lzma
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

from fpdb.errors import MissingPackage
from fpdb.ingest.csv_rows import CsvChunk
from fpdb.ingest.record_fields import Cuts, RecordChunk
from fpdb.ingest.record_formats import RecordFormat

if TYPE_CHECKING:
    from fpdb.ingest.parquet import RowChunk

GROUP_ROWS: Final = 1 << 16
GROUP_BYTES: Final = 1 << 26
"""Rows and bytes of a row group of Parquet, at most."""


class RecordWriter(Protocol):
    """Writes the records of one file."""

    def write(self, chunk: RecordChunk, cuts: Sequence[Cuts | None]) -> None:
        """Write what is left of a chunk; cuts: for each record, see `RecordChunk.select`."""


@contextmanager
def record_writer(file: BinaryIO, record_format: RecordFormat, name: str) -> Iterator[RecordWriter]:
    """Open a writer of records, compressed as the name of the file says. Raises MissingPackage.

    The file is complete when the block ends.
    """
    if record_format == "parquet":
        parquet = _ParquetWriter(file)
        yield parquet
        parquet.close()
    else:
        with _compressed(file, name) as packed:
            yield _ByteWriter(packed)


class _ByteWriter:
    """Writes lines, or rows of CSV below their header."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._has_header = file, False

    def write(self, chunk: RecordChunk, cuts: Sequence[Cuts | None]) -> None:
        if isinstance(chunk, CsvChunk) and not self._has_header:
            self._file.write(chunk.head)
            self._has_header = True
        self._file.write(chunk.select(cuts))


class _ParquetWriter:
    """Writes tables in row groups of a good size, with the codecs, the metadata and so the types of the input."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None
        self._metadata: dict[bytes, bytes] = {}
        self._codecs: dict[str, str] = {}
        self._tables: list[Any] = []

    def write(self, chunk: RecordChunk, cuts: Sequence[Cuts | None]) -> None:
        rows = cast("RowChunk", chunk)
        self._metadata, self._codecs = rows.metadata, rows.codecs
        self._tables.append(chunk.select(cuts))
        if sum(map(len, self._tables)) >= GROUP_ROWS or sum(table.nbytes for table in self._tables) >= GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        if self._tables:
            self._flush()
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        import pyarrow
        from pyarrow import parquet

        table = pyarrow.concat_tables(self._tables)
        if self._writer is None:
            codecs = set(self._codecs.values())
            compression = codecs.pop() if len(codecs) == 1 else self._codecs
            # The schema of Arrow is among the metadata: it has types that chunks do not have, such as dictionaries.
            self._writer = parquet.ParquetWriter(self._file, table.schema, compression=compression, store_schema=False)
            self._writer.add_key_value_metadata(self._metadata)
        if len(table):
            self._writer.write_table(table)
        self._tables.clear()


@contextmanager
def _compressed(file: BinaryIO, name: str) -> Iterator[IO[bytes]]:
    """Open what compresses a file as its name says."""
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    elif name.endswith((".bz2", ".xz")):
        with (bz2 if name.endswith(".bz2") else lzma).open(file, "wb") as packed:
            yield cast("IO[bytes]", packed)
    elif name.endswith(".zst"):
        try:
            from zstandard import ZstdCompressor
        except ImportError as error:
            raise MissingPackage("zstandard is needed for zstd: pip install 'fpdb[texts]'") from error
        with ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield cast("IO[bytes]", packed)
    else:
        yield file
