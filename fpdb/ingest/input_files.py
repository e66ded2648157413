"""Files of records: which there are, and their bytes, unpacked."""

import glob
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO, cast

from fpdb.errors import MissingPackage
from fpdb.ingest.archives.meter import ReadMeter
from fpdb.ingest.archives.streams import COMPRESSIONS, UnpackedStream, buffered
from fpdb.ingest.files import DatabaseFiles, Skipped, document_name, error_text
from fpdb.ingest.path_filter import PathFilter
from fpdb.ingest.record_formats import EXTENSIONS, RecordFormat
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS, ZSTD_WINDOW

_HEAD = 8
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_READ = 512
"""Packed bytes that are given to zstd at a time: they unpack to some 16 MB at most, which are held."""
_LIMITS = replace(DEFAULT_ARCHIVE_LIMITS, unpacked=1 << 62)
"""Those of archives, but for the size: nothing of a file is held."""


def find_input_files(
    paths: Iterable[str],
    record_format: RecordFormat,
    exclude: DatabaseFiles | None = None,
    path_filter: PathFilter | None = None,
) -> Iterator[str | Skipped]:
    """Yield the paths of the files that are meant, in order, and what is skipped.

    Files are taken as they are, those in folders by their `EXTENSIONS`, sorted by path; patterns are expanded. Links to
    files are followed, links to folders are not; `-` stays. path_filter: What is passed over in folders.
    """
    path_filter = path_filter or PathFilter()
    for path in paths:
        if path == "-":
            yield path
            continue
        files = _expand(path, record_format, path_filter)
        if not files:
            reason = f"no file in it ends with {', '.join(EXTENSIONS[record_format][:2])} or the like"
            yield Skipped(document_name(path), reason, requested=True)
        for file in files:
            try:
                is_excluded = exclude is not None and exclude.contains(file, os.stat(file))
            except (OSError, ValueError) as error:
                yield Skipped(document_name(file), error_text(error), requested=True)
            else:
                yield Skipped(document_name(file), "the database itself", requested=True) if is_excluded else file


def input_files_size(
    paths: Iterable[str],
    record_format: RecordFormat,
    exclude: DatabaseFiles | None = None,
    path_filter: PathFilter | None = None,
) -> int | None:
    """Return the bytes of all these files as they are; None with standard input among them."""
    total = 0
    for path in find_input_files(paths, record_format, exclude, path_filter):
        if path == "-":
            return None
        if isinstance(path, str):
            total += os.path.getsize(path)
    return total


def _expand(path: str, record_format: RecordFormat, path_filter: PathFilter) -> list[str]:
    """Return the files that a path means; none for a folder without files of records."""
    if os.path.isdir(path):
        files = []
        for folder, folders, names in os.walk(path):
            inside = "" if folder == path else os.path.relpath(folder, path) + "/"
            folders[:] = [name for name in folders if path_filter.takes_folder(inside + name)]
            for name in names:
                file, relative = os.path.join(folder, name), inside + name
                if not file.endswith(EXTENSIONS[record_format]) or not os.path.isfile(file):
                    continue
                if path_filter.takes_container(relative) and path_filter.takes_file(relative):
                    files.append(file)
        return sorted(files)
    if glob.has_magic(path) and not os.path.lexists(path):
        return sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file)) or [path]
    return [path]


class InputFile:
    """The bytes of a file, unpacked where it is compressed by gzip, bzip2, xz or zstd, which its beginning tells."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin where the file stands. Raises MissingPackage, OSError."""
        packed = file if isinstance(file, io.BufferedReader) else buffered(cast("io.RawIOBase", file))
        self._packed = _CountedStream(packed)
        head = packed.peek(_HEAD)
        self._unpacked: UnpackedStream | None = None
        for mark, make_decompressor in (*COMPRESSIONS.values(), (_ZSTD, _ZstdDecompressor)):
            if head.startswith(mark):
                self._unpacked = UnpackedStream(self._packed, make_decompressor, ReadMeter(1 << 50, _LIMITS), mark)

    def read(self, limit: int) -> bytes:
        """Return the next bytes; none at the end.

        Raises ArchiveError or LimitExceeded where the file is damaged, after all bytes before; OSError.
        """
        if self._unpacked is None:
            return self._packed.read(limit)
        room = bytearray(limit)
        return bytes(memoryview(room)[: self._unpacked.readinto(room)])

    def take_count(self) -> int:
        """Return how many bytes of the file were read since the last call."""
        count, self._packed.count = self._packed.count, 0
        return count


class _ZstdDecompressor:
    """zstd's decompressor with the interface of `bz2`'s."""

    def __init__(self) -> None:
        try:
            from zstandard import ZstdDecompressor
        except ImportError as error:
            raise MissingPackage("zstandard is needed for zstd: pip install 'fpdb[texts]'") from error
        self._inner = ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
        self._packed = self._unpacked = b""

    @property
    def eof(self) -> bool:
        return self._inner.eof and not self._unpacked

    @property
    def needs_input(self) -> bool:
        return not self._packed and not self._unpacked

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data + self._packed

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        from zstandard import ZstdError

        self._packed += data
        while not self._unpacked and self._packed and not self._inner.eof:
            part, self._packed = self._packed[:_ZSTD_READ], self._packed[_ZSTD_READ:]
            try:
                self._unpacked = self._inner.decompress(part)
            except ZstdError as error:
                raise ValueError(str(error)) from error
        unpacked, self._unpacked = self._unpacked[:max_length], self._unpacked[max_length:]
        return unpacked


class _CountedStream(io.BufferedIOBase):
    """A stream that counts the bytes that are read."""

    def __init__(self, inner: io.BufferedReader) -> None:
        self._inner = inner
        self.count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = self._inner.read(size)
        self.count += len(data)
        return data
