"""Members of a zip file: `zipfile` reads the list of them, under limits; their bytes are unpacked by `streams`.

`zipfile` itself asks decompressors of bzip2 for as much as they give, and reads a list of any length.
"""

import bz2
import io
import stat
import zipfile
from collections.abc import Iterator

from fpdb.ingest.archives.limits import Meter, Refused
from fpdb.ingest.archives.members import NOT_FILES, Labels, Member
from fpdb.ingest.archives.streams import Checked, Part, Unpacked, buffered, deflate

_MEMBER = b"PK\x03\x04"
_ENTRY = b"PK\x01\x02"
_HEADER = 30
_ENCRYPTED = 0x41
_UTF8 = 0x800
_UNIX = 3


class _Guarded(io.BufferedIOBase):
    """The file, for `zipfile` to read the list of members from: not too long a list."""

    def __init__(self, file: io.BufferedReader, meter: Meter) -> None:
        self._file, self._meter = file, meter

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        most = self._meter.limits.directory
        size = -1 if size is None else size
        if size > most:
            raise Refused(f"its list of members has {size:,} bytes; the limit is {most:,}")
        data = self._file.read(most if size < 0 else size)
        if data.count(_ENTRY) > self._meter.members_left():
            raise Refused(f"it has more than {self._meter.limits.members:,} members; unpack it first")
        return data


def list_zip(file: io.BufferedReader, meter: Meter) -> list[zipfile.ZipInfo]:
    """What the zip file says of its members. Refused: it cannot be read, or has too many."""
    try:
        with zipfile.ZipFile(_Guarded(file, meter)) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError, OverflowError) as error:
        raise Refused(f"damaged: {error}") from error


def zip_members(file: io.BufferedReader, infos: list[zipfile.ZipInfo], meter: Meter) -> Iterator[Member]:
    """The members, in the order of the list. Exhausted."""
    labels = Labels(meter.limits.name)
    for info in infos:
        meter.member()
        if is_folder(info):
            continue
        label = labels.of(_name(info))
        try:
            yield Member(label, buffered(_open(file, info, meter)))
        except Refused as error:
            yield Member(label, None, str(error))


def is_folder(info: zipfile.ZipInfo) -> bool:
    """What its name says. `ZipInfo.is_dir` does not bear names that are empty."""
    return info.filename.endswith("/")


def _name(info: zipfile.ZipInfo) -> str:
    """The member's name. Many programs write UTF-8 without saying so: what can be UTF-8 is taken for it."""
    if info.flag_bits & _UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _open(file: io.BufferedReader, info: zipfile.ZipInfo, meter: Meter) -> io.RawIOBase:
    """The member's unpacked bytes. Refused: they cannot be had."""
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if stat.S_IFMT(mode) in NOT_FILES:
        raise Refused(NOT_FILES[stat.S_IFMT(mode)])
    if info.flag_bits & _ENCRYPTED:
        raise Refused("encrypted")
    try:
        file.seek(info.header_offset)
    except (OSError, ValueError, OverflowError) as error:
        raise Refused(f"damaged: {error}") from error
    header = file.read(_HEADER)
    if len(header) < _HEADER or header[:4] != _MEMBER:
        raise Refused("damaged: it is not where the archive says")
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    inner: io.RawIOBase
    if info.compress_type == zipfile.ZIP_STORED:
        inner = Part(file, info.compress_size, meter)
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        inner = Unpacked(buffered(Part(file, info.compress_size)), deflate, meter)
    elif info.compress_type == zipfile.ZIP_BZIP2:
        inner = Unpacked(buffered(Part(file, info.compress_size)), bz2.BZ2Decompressor, meter)
    else:
        raise Refused(f"compressed by a method that is not read (number {info.compress_type})")
    return Checked(inner, info.file_size, info.CRC)
