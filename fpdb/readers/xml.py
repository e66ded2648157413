"""XML as office documents have it, hardened: no document type, so no entities; limits on size.

Knows nothing of what the elements mean.
"""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from xml.parsers import expat

from fpdb.errors import Unreadable

LARGEST_PART = 1 << 28
"""Bytes that a part of a document may inflate to: a book has a few million."""
ALWAYS = 1 << 26
"""So many in any case, and beyond them only RATIO times its packed size: XML of documents packs 20 times."""
RATIO = 250
DEEPEST = 1000
LONGEST = 1 << 21
"""Bytes of a tag, or of whatever else the parser reads anew with each chunk until it is complete."""
_CHUNK = 1 << 16
_PACKINGS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}
"""What the formats allow (ISO/IEC 29500-2, ODF 1.2 part 3). Of others `zipfile` passes errors on as they come, and one
may ask for gigabytes."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""What `zipfile` raises of archives and members that are damaged, encrypted, or packed in a way that it does not know;
it documents the first one."""


def open_archive(content: bytes | str, what: str) -> zipfile.ZipFile:
    """The archive that a document is; Unreadable if it is none."""
    if isinstance(content, str):
        raise Unreadable(f"{what} is bytes, not a string")
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGE as error:
        raise Unreadable(f"not {what}: {error}") from error


def parse_member(
    archive: zipfile.ZipFile,
    name: str,
    start: Callable[[str], object],
    end: Callable[[str], object],
    text: Callable[[str], object],
) -> None:
    """Parse a member and report the start and end of elements (by "namespace name") and text. Else Unreadable."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def go_in(element: str, _: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Unreadable(f"{name}: elements are nested more than {DEEPEST} deep")
        start(element)

    def go_out(element: str) -> None:
        nonlocal depth
        depth -= 1
        end(element)

    def refuse(*_: object) -> None:
        raise Unreadable(f"{name}: has a document type, which office documents do not have; refused")

    parser.StartElementHandler = go_in
    parser.EndElementHandler = go_out
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        fed = 0
        for chunk in inflate(archive, name):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > LONGEST:
                raise Unreadable(f"{name}: a tag, comment or the like has more than {LONGEST} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Unreadable(f"{name}: not well-formed XML: {error}") from error


def inflate(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A member in pieces; Unreadable if it is none, or cannot be read, or is too large."""
    try:
        info = archive.getinfo(name)
        if info.compress_type not in _PACKINGS:
            raise Unreadable(f"{name}: is neither {' nor '.join(_PACKINGS.values())}, as members of documents are")
        most = min(LARGEST_PART, max(ALWAYS, RATIO * info.compress_size))
        if info.file_size > most:
            raise Unreadable(f"{name}: inflates to {info.file_size} bytes; at most {most} are read")
        with archive.open(info) as member:
            left = most
            while chunk := member.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise Unreadable(f"{name}: inflates to more than {most} bytes")
                yield chunk
    except KeyError as error:
        raise Unreadable(f"has no {name}") from error
    except _DAMAGE as error:
        raise Unreadable(f"{name}: {error}") from error
