"""What sort of archive a file is, told by how it begins; and its members, whatever the sort.

`zipfile` and `tarfile` are imported when a file may be one: they take as long to start as all of fpdb's storage.
"""

import io
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fpdb.ingest.archives.limits import Meter, Refused
from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.streams import BUFFER, COMPRESSIONS, Unpacked, buffered

if TYPE_CHECKING:
    from zipfile import ZipInfo

ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""How a zip file begins: with a member, with the end of a list of none, as a part of several."""

HEAD: Final = 8192
"""Bytes of a stream that are looked at to tell what it is."""

_UNPACKED_NAMES: Final = {
    ".gz": "",
    ".tgz": ".tar",
    ".svgz": ".svg",
    ".bz2": "",
    ".tbz": ".tar",
    ".tbz2": ".tar",
    ".xz": "",
    ".txz": ".tar",
}

_PACKAGES: Final = frozenset({"mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF", "AndroidManifest.xml"})
_WHEEL: Final = ".dist-info/WHEEL"


@dataclass
class Archive:
    """An open archive. members: to be gone through once; Refused: the rest cannot be read, Exhausted."""

    members: Iterator[Member]
    count: int | None = None
    """How many members there are, where they are listed."""
    single: bool = False
    """It is a compressed file."""
    package: bool = False
    """By what is in it, it is one document, or a program, in the form of a zip file: docx, epub, jar and the like."""


def archive_form(head: bytes) -> str | None:
    """What a file that begins so is: zip, tar, gzip, bzip2, xz, or no archive. head: HEAD bytes, or all there are."""
    if head.startswith(ZIP):
        return "zip"
    for form, (mark, _) in COMPRESSIONS.items():
        if head.startswith(mark):
            return form
    from fpdb.ingest.archives.tar import is_tar

    return "tar" if is_tar(head) else None


def open_archive(stream: io.BufferedReader, form: str | None, name: str, meter: Meter) -> Archive:
    """Opens it where the stream stands, at its beginning.

    form: as `archive_form` says. name: of the file; a compressed file that is no tar has one member, named like it
    without what stands for the compression. Refused: it cannot be read.
    """
    if form is None:
        raise Refused("no archive that can be read")
    if form == "zip":
        from fpdb.ingest.archives.zip import is_folder, list_zip, zip_members

        infos = list_zip(stream, meter)
        files = sum(not is_folder(info) for info in infos)
        return Archive(zip_members(stream, infos, meter), files, package=_is_package(infos))
    from fpdb.ingest.archives.tar import is_tar, tar_members

    if form in COMPRESSIONS:
        mark, make = COMPRESSIONS[form]
        stream = buffered(Unpacked(stream, make, meter, mark))
        if not is_tar(stream.peek(HEAD)):
            meter.member()
            return Archive(iter([Member(_unpacked_name(name), stream)]), single=True)
    return Archive(tar_members(stream, meter))


def content_of(stream: io.BufferedReader, most: int, what: str) -> bytes:
    """The rest of a stream, in memory once. Refused: it has `most` bytes or more, or cannot be read; Exhausted."""
    content = io.BytesIO()
    while piece := stream.read(BUFFER):
        content.write(piece)
        if content.tell() >= most:
            raise Refused(f"{what} (the limit is {most / 1e9:.1f} GB)")
    return content.getvalue()


def _is_package(infos: "list[ZipInfo]") -> bool:
    return any(info.filename in _PACKAGES or info.filename.endswith(_WHEEL) for info in infos)


def _unpacked_name(name: str) -> str:
    stem, extension = posixpath.splitext(posixpath.basename(name))
    return stem + _UNPACKED_NAMES.get(extension.lower(), extension) or "unnamed"
