"""Members of a tar, read forward only, a header at a time. `tarfile` makes sense of each header.

Its `TarFile` is not used: it reads extended headers of any size into memory, keeps all members, and has looped for ever
over sizes below zero.
"""

import io
import tarfile
from collections.abc import Iterator

from fpdb.ingest.archives.limits import Meter, Refused
from fpdb.ingest.archives.members import Labels, Member
from fpdb.ingest.archives.streams import BUFFER, Part, buffered

BLOCK = tarfile.BLOCKSIZE

_OTHERS = {
    tarfile.SYMTYPE: "a symbolic link, not followed",
    tarfile.LNKTYPE: "a hard link, not followed",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
_OF_NEXT = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)


def is_tar(head: bytes) -> bool:
    """Whether this is the beginning of a tar: a header with the right checksum."""
    try:
        _header(head[:BLOCK])
    except Refused:
        return False
    return True


def tar_members(file: io.BufferedReader, meter: Meter) -> Iterator[Member]:
    """The members as they come. Refused: the rest cannot be read; Exhausted."""
    labels = Labels(meter.limits.name)
    said: dict[str, str] = {}
    """Of the next member."""
    while (block := file.read(BLOCK)).strip(b"\0"):
        info = _header(block)
        if info.type == tarfile.GNUTYPE_LONGNAME:
            said.setdefault("path", _text(_extended(file, info, meter).partition(b"\0")[0]))
        elif info.type in _OF_NEXT:
            said |= _records(_extended(file, info, meter))
        elif info.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            _extended(file, info, meter)
        else:
            meter.member()
            size = _size(said.get("size"), info)
            if info.type == tarfile.GNUTYPE_SPARSE and block[482]:
                _pass_sparse(file)
            part = Part(file, size)
            if not info.isdir():
                yield _member(
                    labels.of(said.get("GNU.sparse.name", said.get("path", info.name))),
                    info,
                    part,
                    sparse="GNU.sparse.major" in said,
                )
            _pass(file, part.left + -size % BLOCK)
            said = {}
    while not file.seekable() and file.read(BUFFER):
        pass  # what unpacks it knows but at the end that all of it was sound


def _member(label: str, info: tarfile.TarInfo, part: Part, *, sparse: bool) -> Member:
    if info.type in _OTHERS:
        return Member(label, None, _OTHERS[info.type])
    if sparse:
        return Member(label, None, _OTHERS[tarfile.GNUTYPE_SPARSE])
    return Member(label, buffered(part))


def _header(block: bytes) -> tarfile.TarInfo:
    if len(block) < BLOCK:
        raise Refused("cut off: it ends too early")
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise Refused(f"damaged: {error}") from error
    if info.size < 0:
        raise Refused("damaged: a size below zero")
    return info


def _size(said: str | None, info: tarfile.TarInfo) -> int:
    """How many bytes of content follow; of links and the like, none, whatever is said."""
    if not (info.isreg() or info.type not in tarfile.SUPPORTED_TYPES):
        return 0
    if said is None:
        return info.size
    if not said.isdecimal() or len(said) > 20:
        raise Refused("damaged: a size that is none")
    return int(said)


def _extended(file: io.BufferedReader, info: tarfile.TarInfo, meter: Meter) -> bytes:
    """The bytes of an extended header."""
    if info.size > meter.limits.header:
        raise Refused(f"it has a header of {info.size:,} bytes; the limit is {meter.limits.header:,}")
    data = file.read(info.size + -info.size % BLOCK)
    if len(data) < info.size:
        raise Refused("cut off: it ends too early")
    return data[: info.size]


def _records(data: bytes) -> dict[str, str]:
    """The records of a pax header: a length that counts itself, a space, `key=value` and a newline."""
    found = {}
    at = 0
    while at < len(data):
        digits, space, _ = data[at : at + 20].partition(b" ")
        end = at + (int(digits) if space and digits.isdigit() else 0)
        record = data[at + len(digits) + 1 : end]
        if not record.endswith(b"\n") or end > len(data):
            raise Refused("damaged: an extended header that is none")
        key, _, value = record[:-1].partition(b"=")
        found[_text(key)] = _text(value)
        at = end
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _pass_sparse(file: io.BufferedReader) -> None:
    """Goes behind the further blocks that list where the content of a sparse file lies."""
    more = True
    while more:
        block = file.read(BLOCK)
        if len(block) < BLOCK:
            raise Refused("cut off: it ends too early")
        more = bool(block[504])


def _pass(file: io.BufferedReader, size: int) -> None:
    """Goes on by so many bytes; they must be there."""
    if size and file.seekable():
        try:
            file.seek(size - 1, 1)
        except (OSError, ValueError, OverflowError) as error:  # farther than a file may reach
            raise Refused("cut off: it ends too early") from error
        size = 1
    while size:
        passed = len(file.read(min(size, BUFFER)))
        if not passed:
            raise Refused("cut off: it ends too early")
        size -= passed
