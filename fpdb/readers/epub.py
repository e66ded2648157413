"""Read books (EPUB 2 and 3): the text of the chapters, in the order in which they are read, each named by its heading.

Chapters are web pages, and are read as these are. Offsets are indices into the extracted text.
"""

import posixpath
import re
import zipfile
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from fpdb.errors import Unreadable
from fpdb.limits import MAX_OFFICE_MEMBERS, Reading, timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.html import decode_page, extract_lines
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import XmlHandlers, has_member, inflate, open_archive, parse_member

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_PAGES: Final = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_BODY: Final = re.compile(r"<body[\s>]", re.IGNORECASE)
_HEADING: Final = re.compile(r"<h[1-6][\s>]", re.IGNORECASE)
_END_OF_HEADING: Final = re.compile(r"</h[1-6]\s*>", re.IGNORECASE)
LONGEST_HEADING: Final = 2000
"""Characters of the source of a heading, with its tags."""


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a book; Unreadable if it is none, damaged, encrypted or too large."""
    hidden = 0
    with timed_reading() as reading, open_archive(content, "a book (epub)") as archive:
        text = ExtractedText(reading, "chapter")
        encrypted = _list_encrypted(archive, reading)
        for member in _list_chapters(archive, reading):
            if member in encrypted:
                raise Unreadable("the book is encrypted (DRM): use a copy without it, in epub, PDF or text")
            source, _ = decode_page(b"".join(inflate(archive, member)))
            body = _BODY.search(source)
            source = source[body.start() :] if body else source
            lines, count = extract_lines(source, version)
            hidden += count
            text.begin_part(_heading(source))
            text.write(lines)
    symbols = text.fold("epub", alphabet, version)
    symbols.hidden = hidden
    return symbols


def _list_chapters(archive: zipfile.ZipFile, reading: Reading) -> list[str]:
    """Return the members that are chapters, in the order of the spine."""
    packages: list[str] = []
    pages: dict[str, str] = {}
    chapters: dict[str, None] = {}

    def start(element: str, attributes: Mapping[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        if tag == "rootfile":
            packages.append(attributes.get("full-path", ""))
        elif tag == "item" and attributes.get("media-type") in _PAGES:
            pages[attributes.get("id", "")] = _resolve(packages[0], attributes.get("href", ""))
        elif tag == "itemref" and attributes.get("idref") in pages:
            chapters[pages[attributes["idref"]]] = None
        if max(len(packages), len(pages)) > MAX_OFFICE_MEMBERS:
            raise Unreadable(f"the book lists more than {MAX_OFFICE_MEMBERS:,} members")

    handlers = XmlHandlers(start, _ignore, _ignore)
    parse_member(archive, _CONTAINER, handlers, reading)
    if not packages:
        raise Unreadable("not a book (epub): it has no package")
    parse_member(archive, packages[0], handlers, reading)
    return [chapter for chapter in chapters if has_member(archive, chapter)]


def _list_encrypted(archive: zipfile.ZipFile, reading: Reading) -> set[str]:
    """Return the members that are encrypted, fonts among them."""
    encrypted: set[str] = set()

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element.endswith(" CipherReference") and len(encrypted) < MAX_OFFICE_MEMBERS:
            encrypted.add(_resolve("", attributes.get("URI", "")))

    if has_member(archive, _ENCRYPTION):
        parse_member(archive, _ENCRYPTION, XmlHandlers(start, _ignore, _ignore), reading)
    return encrypted


def _resolve(package: str, reference: str) -> str:
    """Return the member that a reference in a package stands for."""
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(package), path)).lstrip("/")


def _heading(source: str) -> str:
    """Return the text of the first heading of a page; "" if there is none."""
    start = _HEADING.search(source)
    end = start and _END_OF_HEADING.search(source, start.end(), start.end() + LONGEST_HEADING)
    return extract_lines(source[start.start() : end.end()])[0] if start and end else ""


def _ignore(*_: object) -> None:
    pass
