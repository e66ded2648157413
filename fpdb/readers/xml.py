"""Parse XML of documents safely: no document types, so no entities; limits on size."""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from fpdb.errors import Unreadable
from fpdb.limits import (
    FREE_EXPANSION,
    MAX_EXPANSION,
    MAX_OFFICE_DEPTH,
    MAX_OFFICE_MEMBERS,
    MAX_OFFICE_PART,
    MAX_OFFICE_TOKEN,
    Reading,
)

CHUNK = 1 << 16
_ENTRY = b"PK\x01\x02"
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"
_PACKINGS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}
"""Those that the formats allow (ISO/IEC 29500-2, ODF 1.2 part 3). `zipfile` does not wrap the errors of others, and
one of them may allocate gigabytes."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""Errors of `zipfile` for archives and members that are damaged, encrypted, or packed in an unknown way; only the first
is documented."""


def open_archive(content: bytes | str, what: str) -> zipfile.ZipFile:
    """Open the zip archive that a document is; Unreadable, with `what` it should be, if it is none."""
    if isinstance(content, str):
        raise Unreadable(f"{what} is bytes, not a string")
    if content.startswith(_COMPOUND_FILE) and "EncryptedPackage".encode("utf-16-le") in content:
        raise Unreadable("encrypted with a password: save the document without one")
    if content.count(_ENTRY) > MAX_OFFICE_MEMBERS:
        raise Unreadable(f"not {what}: it has more than {MAX_OFFICE_MEMBERS:,} members")
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGE as error:
        raise Unreadable(f"not {what}: {error}") from error


def has_member(archive: zipfile.ZipFile, name: str) -> bool:
    """Return True if an archive has a member of this name."""
    try:
        archive.getinfo(name)
    except KeyError:
        return False
    return True


class XmlHandlers(NamedTuple):
    """Functions that are called with what a document has, in order.

    start: with the name of an element, "namespace name", and its attributes. end: with its name. text: with a piece of
    text.
    """

    start: Callable[[str, Mapping[str, str]], object]
    end: Callable[[str], object]
    text: Callable[[str], object]


def parse_member(archive: zipfile.ZipFile, name: str, handlers: XmlHandlers, reading: Reading) -> None:
    """Parse a member of an archive; Unreadable if there is none, or it is damaged, refused or too large."""
    parse_xml(inflate(archive, name), name, handlers, reading)


def parse_xml(chunks: Iterable[bytes], name: str, handlers: XmlHandlers, reading: Reading) -> None:
    """Parse XML that comes in chunks; name: what errors call it. Raises Unreadable as `parse_member` does."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start_element(element: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_OFFICE_DEPTH:
            raise Unreadable(f"{name}: elements are nested more than {MAX_OFFICE_DEPTH} deep")
        handlers.start(element, attributes)

    def end_element(element: str) -> None:
        nonlocal depth
        depth -= 1
        handlers.end(element)

    def refuse(*_: object) -> None:
        raise Unreadable(f"{name}: has a document type, which such documents do not have; refused")

    parser.StartElementHandler = start_element
    parser.EndElementHandler = end_element
    parser.CharacterDataHandler = handlers.text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    _feed(parser, chunks, name, reading)


def _feed(parser: expat.XMLParserType, chunks: Iterable[bytes], name: str, reading: Reading) -> None:
    try:
        fed = 0
        for chunk in chunks:
            reading.check_time()
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > MAX_OFFICE_TOKEN:
                raise Unreadable(f"{name}: a tag, comment or the like has more than {MAX_OFFICE_TOKEN} bytes")
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two: of encodings
        raise Unreadable(f"{name}: not well-formed XML: {error}") from error


def inflate(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield a member in chunks; Unreadable if there is none, or it is damaged or too large."""
    try:
        info = archive.getinfo(name)
        if info.compress_type not in _PACKINGS:
            raise Unreadable(f"{name}: is neither {' nor '.join(_PACKINGS.values())}, as members of documents are")
        limit = min(MAX_OFFICE_PART, max(FREE_EXPANSION, MAX_EXPANSION * info.compress_size))
        if info.file_size > limit:
            raise Unreadable(f"{name}: inflates to {info.file_size} bytes; at most {limit} are read")
        with archive.open(info) as member:
            remaining = limit
            while chunk := member.read(CHUNK):
                remaining -= len(chunk)
                if remaining < 0:
                    raise Unreadable(f"{name}: inflates to more than {limit} bytes")
                yield chunk
    except KeyError as error:
        raise Unreadable(f"has no {name}") from error
    except _DAMAGE as error:
        raise Unreadable(f"{name}: {error}") from error
