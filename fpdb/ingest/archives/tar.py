"""Members of a tar, read forward only, a header at a time. `tarfile` makes sense of each header.

Its `TarFile` is not used: it reads extended headers of any size into memory, keeps all members, and has looped for ever
over sizes below zero.
"""

import io
import tarfile
from collections.abc import Iterator

from fpdb.ingest.archives.members import Member, MemberLabels
from fpdb.ingest.archives.meter import ArchiveError, ReadMeter
from fpdb.ingest.archives.streams import BUFFER, BoundedStream, buffered

BLOCK = tarfile.BLOCKSIZE

_NOT_FILES = {
    tarfile.SYMTYPE: "a symbolic link, not followed",
    tarfile.LNKTYPE: "a hard link, not followed",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
_PAX_HEADERS = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_LONGEST_SIZE = 20
_CUT_OFF = "cut off: it ends too early"


def is_tar(head: bytes) -> bool:
    """Return True if a file begins with the header of a tar, whose checksum is right."""
    try:
        _parse_header(head[:BLOCK])
    except ArchiveError:
        return False
    return True


def tar_members(file: io.BufferedReader, meter: ReadMeter) -> Iterator[Member]:
    """Yield the members as they come. Raises ArchiveError where the rest cannot be read, LimitExceeded."""
    labels = MemberLabels(meter.limits.name)
    pax: dict[str, str] = {}
    """Fields of extended headers, which describe the next member."""
    while (block := file.read(BLOCK)).strip(b"\0"):
        info = _parse_header(block)
        if info.type == tarfile.GNUTYPE_LONGNAME:
            pax.setdefault("path", _decode(_read_extended(file, info, meter).partition(b"\0")[0]))
        elif info.type in _PAX_HEADERS:
            pax |= _parse_pax(_read_extended(file, info, meter))
        elif info.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            _read_extended(file, info, meter)
        else:
            meter.count_member()
            size = _content_size(pax.get("size"), info)
            if info.type == tarfile.GNUTYPE_SPARSE and block[482]:
                _skip_sparse_map(file)
            content = BoundedStream(file, size)
            if not info.isdir():
                label = labels.label(pax.get("GNU.sparse.name", pax.get("path", info.name)))
                yield _member(label, info, content, is_sparse="GNU.sparse.major" in pax)
            _skip(file, content.left + -size % BLOCK)
            pax = {}
    while not file.seekable() and file.read(BUFFER):
        pass  # a decompressor knows only at the end that all of it was sound


def _member(label: str, info: tarfile.TarInfo, content: BoundedStream, *, is_sparse: bool) -> Member:
    if info.type in _NOT_FILES:
        return Member(label, None, _NOT_FILES[info.type])
    if is_sparse:
        return Member(label, None, _NOT_FILES[tarfile.GNUTYPE_SPARSE])
    return Member(label, buffered(content))


def _parse_header(block: bytes) -> tarfile.TarInfo:
    if len(block) < BLOCK:
        raise ArchiveError(_CUT_OFF)
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise ArchiveError(f"damaged: {error}") from error
    if info.size < 0:
        raise ArchiveError("damaged: a size below zero")
    return info


def _content_size(pax_size: str | None, info: tarfile.TarInfo) -> int:
    """Return how many bytes of content follow a header; for links and the like none, whatever it says."""
    if not (info.isreg() or info.type not in tarfile.SUPPORTED_TYPES):
        return 0
    if pax_size is None:
        return info.size
    if not pax_size.isdecimal() or len(pax_size) > _LONGEST_SIZE:
        raise ArchiveError("damaged: a size that is none")
    return int(pax_size)


def _read_extended(file: io.BufferedReader, info: tarfile.TarInfo, meter: ReadMeter) -> bytes:
    """Return the bytes of an extended header."""
    if info.size > meter.limits.header:
        raise ArchiveError(f"it has a header of {info.size:,} bytes; the limit is {meter.limits.header:,}")
    data = file.read(info.size + -info.size % BLOCK)
    if len(data) < info.size:
        raise ArchiveError(_CUT_OFF)
    return data[: info.size]


def _parse_pax(data: bytes) -> dict[str, str]:
    """Parse the records of a pax header: a length that counts itself, a space, `key=value` and a newline."""
    values = {}
    start = 0
    while start < len(data):
        digits, space, _ = data[start : start + 20].partition(b" ")
        end = start + (int(digits) if space and digits.isdigit() else 0)
        record = data[start + len(digits) + 1 : end]
        if not record.endswith(b"\n") or end > len(data):
            raise ArchiveError("damaged: an extended header that is none")
        key, _, value = record[:-1].partition(b"=")
        values[_decode(key)] = _decode(value)
        start = end
    return values


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _skip_sparse_map(file: io.BufferedReader) -> None:
    """Skip the further blocks that list where the content of a sparse file lies."""
    more = True
    while more:
        block = file.read(BLOCK)
        if len(block) < BLOCK:
            raise ArchiveError(_CUT_OFF)
        more = bool(block[504])


def _skip(file: io.BufferedReader, size: int) -> None:
    """Skip so many bytes, which must be there."""
    if size and file.seekable():
        try:
            file.seek(size - 1, 1)
        except (OSError, ValueError, OverflowError) as error:  # farther than a file may reach
            raise ArchiveError(_CUT_OFF) from error
        size = 1
    while size:
        count = len(file.read(min(size, BUFFER)))
        if not count:
            raise ArchiveError(_CUT_OFF)
        size -= count
