"""Read office documents, Word (docx) and OpenDocument (odt): the text of the body and the notes.

Offsets are indices into the extracted text, which has a line for each paragraph.
"""

import io
from collections.abc import Mapping
from typing import NamedTuple

from fpdb.errors import Unreadable
from fpdb.limits import timed_reading
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import open_archive, parse_member

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_CHOICE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"


class OfficeFormat(NamedTuple):
    """The places in which a format keeps its text. Elements have their names of `xml.parse_member`.

    parts: members that are read; the first is mandatory. text_elements: those whose text counts. ignored_elements:
    deleted text, comments, fallbacks. breaks: text that the end of an element stands for.
    """

    what: str
    parts: tuple[str, ...]
    text_elements: frozenset[str]
    ignored_elements: frozenset[str]
    breaks: Mapping[str, str]


DOCX = OfficeFormat(
    "a Word document (docx)",
    ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml"),
    frozenset({f"{_WORD} t", f"{_STRICT} t"}),
    frozenset({f"{_CHOICE} Fallback"}),
    {
        f"{space} {element}": text
        for space in (_WORD, _STRICT)
        for element, text in {"p": "\n", "br": "\n", "cr": "\n", "tab": "\t"}.items()
    },
)
ODT = OfficeFormat(
    "an OpenDocument text (odt)",
    ("content.xml",),
    frozenset({f"{_TEXT} p", f"{_TEXT} h"}),
    frozenset({f"{_TEXT} tracked-changes", f"{_OFFICE} annotation"}),
    {f"{_TEXT} p": "\n", f"{_TEXT} h": "\n", f"{_TEXT} line-break": "\n", f"{_TEXT} tab": "\t", f"{_TEXT} s": " "},
)


def read_docx(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a Word document; Unreadable if it is none, damaged or too large."""
    return fold(extract_text(content, DOCX), "docx; offsets in the text taken out", alphabet, version)


def read_odt(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of an OpenDocument text; Unreadable if it is none, damaged or too large."""
    return fold(extract_text(content, ODT), "odt; offsets in the text taken out", alphabet, version)


def extract_text(content: bytes | str, office_format: OfficeFormat) -> str:
    """Return the text of all parts in order; Unreadable as above."""
    pieces = io.StringIO()
    text_depth = ignored_depth = 0

    def start(element: str) -> None:
        nonlocal text_depth, ignored_depth
        text_depth += element in office_format.text_elements
        ignored_depth += element in office_format.ignored_elements

    def end(element: str) -> None:
        nonlocal text_depth, ignored_depth
        text_depth -= element in office_format.text_elements
        ignored_depth -= element in office_format.ignored_elements
        if element in office_format.breaks and not ignored_depth:
            pieces.write(office_format.breaks[element])

    def add_text(text: str) -> None:
        if text_depth and not ignored_depth:
            pieces.write(text)
            if pieces.tell() > reading.limits.copied_bytes:
                raise Unreadable(f"its text takes too much memory: {reading.limits.memory_fault()}")

    with timed_reading() as reading, open_archive(content, office_format.what) as archive:
        members = set(archive.namelist())
        for number, part in enumerate(office_format.parts):
            if number == 0 or part in members:
                parse_member(archive, part, start, end, add_text, reading)
    return pieces.getvalue()
