"""Files of records: which there are, and their bytes, unpacked."""

import glob
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO, Literal, cast

from fpdb.errors import MissingPackage
from fpdb.ingest.archives import COMPRESSIONS, LIMITS, Meter, Unpacked, buffered
from fpdb.ingest.files import DatabaseFiles, Skipped, document_name, error_text

RecordFormat = Literal["jsonl", "parquet"]

_PACKED = ("", ".gz", ".bz2", ".xz", ".zst")
ENDINGS: dict[RecordFormat, tuple[str, ...]] = {
    # A plain .json is seldom one of lines.
    "jsonl": (*(kind + packed for kind in (".jsonl", ".ndjson") for packed in _PACKED), ".json.gz", ".json.zst"),
    "parquet": (".parquet",),
}
"""Names of the files that are read in a folder."""

_HEAD = 8
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_PIECE = 512
"""Packed bytes that are given to zstd at a time: they unpack to some 16 MB at most, which are held."""
_ZSTD_WINDOW = 1 << 27
"""What zstd may take: as much as its exclude program takes unless told otherwise."""
_LIMITS = replace(LIMITS, unpacked=1 << 62)
"""Of archives, but any size: nothing of it is held."""


def find_input_files(
    paths: Iterable[str], record_format: RecordFormat, exclude: DatabaseFiles | None = None
) -> Iterator[str | Skipped]:
    """The files that are meant, in order, and what is passed over: files as they are, those in folders by their
    `ENDINGS`, sorted by path, and patterns. Links to files are followed, links to folders are not; `-` stays."""
    for path in paths:
        if path == "-":
            yield path
            continue
        found = _found(path, record_format)
        if not found:
            what = f"no file in it ends with {', '.join(ENDINGS[record_format][:2])} or the like"
            yield Skipped(document_name(path), what, requested=True)
        for one in found:
            try:
                inside = exclude is not None and exclude.contains(one, os.stat(one))
            except (OSError, ValueError) as error:
                yield Skipped(document_name(one), error_text(error), requested=True)
            else:
                yield Skipped(document_name(one), "the database itself", requested=True) if inside else one


def input_files_size(
    paths: Iterable[str], record_format: RecordFormat, exclude: DatabaseFiles | None = None
) -> int | None:
    """Bytes of all these files, as they are; None with standard input among them."""
    total = 0
    for path in find_input_files(paths, record_format, exclude):
        if path == "-":
            return None
        if isinstance(path, str):
            total += os.path.getsize(path)
    return total


def _found(path: str, record_format: RecordFormat) -> list[str]:
    if os.path.isdir(path):
        inside = [os.path.join(place, name) for place, _, names in os.walk(path) for name in names]
        return sorted(one for one in inside if one.endswith(ENDINGS[record_format]) and os.path.isfile(one))
    if glob.has_magic(path) and not os.path.lexists(path):
        return sorted(one for one in glob.glob(path, recursive=True) if os.path.isfile(one)) or [path]
    return [path]


class Unpacking:
    """A file's bytes, unpacked where it is compressed by gzip, bzip2, xz or zstd, which its beginning tells."""

    def __init__(self, file: BinaryIO) -> None:
        """Raises MissingPackage, OSError."""
        packed = file if isinstance(file, io.BufferedReader) else buffered(cast("io.RawIOBase", file))
        self._packed = _Counted(packed)
        head = packed.peek(_HEAD)
        self._unpacked: Unpacked | None = None
        for mark, make in (*COMPRESSIONS.values(), (_ZSTD, _Unzstd)):
            if head.startswith(mark):
                self._unpacked = Unpacked(self._packed, make, Meter(1 << 50, _LIMITS), mark)

    def read(self, most: int) -> bytes:
        """The next bytes; none at the end. Raises Refused or Exhausted where it is damaged, OSError; what comes before
        is read first."""
        if self._unpacked is None:
            return self._packed.read(most)
        room = bytearray(most)
        return bytes(memoryview(room)[: self._unpacked.readinto(room)])

    def passed(self) -> int:
        """How many bytes of the file were read since this was asked last."""
        count, self._packed.count = self._packed.count, 0
        return count


class _Unzstd:
    """zstd's decompressor, used as those of `bz2` and `lzma`."""

    def __init__(self) -> None:
        """Raises MissingPackage."""
        try:
            from zstandard import ZstdDecompressor
        except ImportError as error:
            raise MissingPackage("zstandard is needed for zstd: pip install 'fpdb[texts]'") from error
        self._inner = ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self._packed = self._found = b""

    @property
    def eof(self) -> bool:
        """As of `bz2`."""
        return self._inner.eof and not self._found

    @property
    def needs_input(self) -> bool:
        """As of `bz2`."""
        return not self._packed and not self._found

    @property
    def unused_data(self) -> bytes:
        """As of `bz2`."""
        return self._inner.unused_data + self._packed

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """As of `bz2`; raises ValueError."""
        from zstandard import ZstdError

        self._packed += data
        while not self._found and self._packed and not self._inner.eof:
            piece, self._packed = self._packed[:_ZSTD_PIECE], self._packed[_ZSTD_PIECE:]
            try:
                self._found = self._inner.decompress(piece)
            except ZstdError as error:
                raise ValueError(str(error)) from error
        found, self._found = self._found[:max_length], self._found[max_length:]
        return found


class _Counted(io.BufferedIOBase):
    """A stream that counts what is read."""

    def __init__(self, inner: io.BufferedReader) -> None:
        self._inner = inner
        self.count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """As of the stream."""
        found = self._inner.read(size)
        self.count += len(found)
        return found
