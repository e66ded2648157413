"""Members of a zip file: `zipfile` reads the list of them, under limits; their bytes are unpacked by `streams`.

`zipfile` itself asks decompressors of bzip2 for as much as they give, and reads a list of any length.
"""

import bz2
import io
import stat
import zipfile
from collections.abc import Iterator

from fpdb.ingest.archives.members import NOT_FILES, Member, MemberLabels
from fpdb.ingest.archives.meter import ArchiveError, ReadMeter
from fpdb.ingest.archives.streams import BoundedStream, ChecksummedStream, UnpackedStream, buffered, deflate

_MEMBER = b"PK\x03\x04"
_ENTRY = b"PK\x01\x02"
_HEADER = 30
_ENCRYPTED = 0x41
_UTF8 = 0x800
_UNIX = 3
_DECOMPRESSORS = {zipfile.ZIP_DEFLATED: deflate, zipfile.ZIP_BZIP2: bz2.BZ2Decompressor}


class _GuardedFile(io.BufferedIOBase):
    """The file from which `zipfile` reads the list of members: not too long a list."""

    def __init__(self, file: io.BufferedReader, meter: ReadMeter) -> None:
        self._file, self._meter = file, meter

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        limit = self._meter.limits.directory
        size = -1 if size is None else size
        if size > limit:
            raise ArchiveError(f"its list of members has {size:,} bytes; the limit is {limit:,}")
        data = self._file.read(limit if size < 0 else size)
        if data.count(_ENTRY) > self._meter.members_left():
            raise ArchiveError(f"it has more than {self._meter.limits.members:,} members; unpack it first")
        return data


def list_zip(file: io.BufferedReader, meter: ReadMeter) -> list[zipfile.ZipInfo]:
    """Return what the zip file says of its members. Raises ArchiveError."""
    try:
        with zipfile.ZipFile(_GuardedFile(file, meter)) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError, OverflowError) as error:
        raise ArchiveError(f"damaged: {error}") from error


def zip_members(file: io.BufferedReader, infos: list[zipfile.ZipInfo], meter: ReadMeter) -> Iterator[Member]:
    """Yield the members, in the order of the list. Raises LimitExceeded."""
    labels = MemberLabels(meter.limits.name)
    overlapping = _find_overlapping(infos)
    for index, info in enumerate(infos):
        meter.count_member()
        if is_folder(info):
            continue
        label = labels.label(_member_name(info))
        try:
            if index in overlapping:
                raise ArchiveError("it shares bytes with another member, like a zip bomb")
            yield Member(label, buffered(_open_member(file, info, meter)))
        except ArchiveError as error:
            yield Member(label, None, str(error))


def _find_overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Return the indices of members whose packed bytes belong to another member too.

    A local header has `_HEADER` bytes or more, so members that lie one after the other never count.
    """
    overlapping: set[int] = set()
    end, last = 0, -1
    for index in sorted(range(len(infos)), key=lambda index: infos[index].header_offset):
        start = infos[index].header_offset
        if start < end:
            overlapping |= {last, index}
        if start + _HEADER + infos[index].compress_size > end:
            end, last = start + _HEADER + infos[index].compress_size, index
    return overlapping


def is_folder(info: zipfile.ZipInfo) -> bool:
    """Return True if the name is a folder's. `ZipInfo.is_dir` fails on empty names."""
    return info.filename.endswith("/")


def _member_name(info: zipfile.ZipInfo) -> str:
    """Return the member's name. Many programs write UTF-8 without saying so: what can be UTF-8 is taken for it."""
    if info.flag_bits & _UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _open_member(file: io.BufferedReader, info: zipfile.ZipInfo, meter: ReadMeter) -> io.RawIOBase:
    """Return the member's unpacked bytes. Raises ArchiveError."""
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if stat.S_IFMT(mode) in NOT_FILES:
        raise ArchiveError(NOT_FILES[stat.S_IFMT(mode)])
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveError("encrypted")
    try:
        file.seek(info.header_offset)
    except (OSError, ValueError, OverflowError) as error:
        raise ArchiveError(f"damaged: {error}") from error
    header = file.read(_HEADER)
    if len(header) < _HEADER or header[:4] != _MEMBER:
        raise ArchiveError("damaged: it is not where the archive says")
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    inner: io.RawIOBase
    if info.compress_type == zipfile.ZIP_STORED:
        inner = BoundedStream(file, info.compress_size, meter)
    elif info.compress_type in _DECOMPRESSORS:
        packed = buffered(BoundedStream(file, info.compress_size))
        inner = UnpackedStream(packed, _DECOMPRESSORS[info.compress_type], meter)
    else:
        raise ArchiveError(f"compressed by a method that is not read (number {info.compress_type})")
    return ChecksummedStream(inner, info.file_size, info.CRC)
