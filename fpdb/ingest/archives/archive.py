"""The form of an archive, told by how it begins; and its members, whatever the form.

`zipfile` and `tarfile` are imported when a file may be one: they take as long to start as all of fpdb's storage.
"""

import io
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.meter import ArchiveError, ReadMeter
from fpdb.ingest.archives.streams import BUFFER, COMPRESSIONS, UnpackedStream, buffered

if TYPE_CHECKING:
    from zipfile import ZipInfo

ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""First bytes of zip files: with a member, with the end of an empty list, or as a part of several files."""

HEAD: Final = 8192
"""Bytes of a stream that are looked at to tell what it is."""

_UNPACKED_EXTENSIONS: Final = {
    ".gz": "",
    ".tgz": ".tar",
    ".svgz": ".svg",
    ".bz2": "",
    ".tbz": ".tar",
    ".tbz2": ".tar",
    ".xz": "",
    ".txz": ".tar",
}

_PACKAGE_MEMBERS: Final = frozenset({"mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF", "AndroidManifest.xml"})
_WHEEL: Final = ".dist-info/WHEEL"


@dataclass
class Archive:
    """An open archive.

    members: To be iterated once; raises ArchiveError where the rest cannot be read, LimitExceeded.
    count: How many members there are, where they are listed.
    single: It is one compressed file.
    package: By its members it is one document, or a program, in the form of a zip file: docx, epub, jar and the like.
    """

    members: Iterator[Member]
    count: int | None = None
    single: bool = False
    package: bool = False


def detect_form(head: bytes) -> str | None:
    """Return the form of a file that begins so: zip, tar, gzip, bzip2, xz, mbox; None for no archive.

    head: HEAD bytes, or all there are.
    """
    if head.startswith(ZIP):
        return "zip"
    for form, (mark, _) in COMPRESSIONS.items():
        if head.startswith(mark):
            return form
    from fpdb.ingest.archives.mbox import is_mbox
    from fpdb.ingest.archives.tar import is_tar

    return "tar" if is_tar(head) else "mbox" if is_mbox(head) else None


def open_archive(stream: io.BufferedReader, form: str | None, name: str, meter: ReadMeter) -> Archive:
    """Open an archive where the stream stands, at its beginning; form: of `detect_form`. Raises ArchiveError.

    name: Of the file; a compressed file that is no tar has one member, named like it without the extension that stands
    for the compression.
    """
    if form is None:
        raise ArchiveError("no archive that can be read")
    if form == "zip":
        from fpdb.ingest.archives.zip import is_folder, list_zip, zip_members

        infos = list_zip(stream, meter)
        count = sum(not is_folder(info) for info in infos)
        return Archive(zip_members(stream, infos, meter), count, package=_is_package(infos))
    if form == "mbox":
        from fpdb.ingest.archives.mbox import mbox_members

        return Archive(mbox_members(stream, meter))
    from fpdb.ingest.archives.tar import is_tar, tar_members

    if form in COMPRESSIONS:
        mark, decompressor = COMPRESSIONS[form]
        stream = buffered(UnpackedStream(stream, decompressor, meter, mark))
        if not is_tar(stream.peek(HEAD)):
            meter.count_member()
            return Archive(iter([Member(_unpacked_name(name), stream)]), single=True)
    return Archive(tar_members(stream, meter))


def read_stream(stream: io.BufferedReader, limit: int, what: str) -> bytes:
    """Return the rest of a stream, in memory once.

    Raises ArchiveError if it has `limit` bytes or more, or cannot be read; LimitExceeded.
    """
    content = io.BytesIO()
    while part := stream.read(BUFFER):
        content.write(part)
        if content.tell() >= limit:
            raise ArchiveError(f"{what} (the limit is {limit / 1e9:.1f} GB)")
    return content.getvalue()


def _is_package(infos: "list[ZipInfo]") -> bool:
    return any(info.filename in _PACKAGE_MEMBERS or info.filename.endswith(_WHEEL) for info in infos)


def _unpacked_name(name: str) -> str:
    stem, extension = posixpath.splitext(posixpath.basename(name))
    return stem + _UNPACKED_EXTENSIONS.get(extension.lower(), extension) or "unnamed"
