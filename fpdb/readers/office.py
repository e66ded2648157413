"""Read office documents with their notes: Word (docx), PowerPoint (pptx), and OpenDocument (odt, odp, ods).

Offsets are indices into the extracted text, which has a line for each paragraph, or for each row of a sheet.
"""

import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from fpdb.limits import Reading, timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.relationships import find_related, list_referred
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import XmlHandlers, has_member, open_archive, parse_member

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_DRAWINGS = (
    "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/main",
)
_CHOICE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_DRAW = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"


class OfficeFormat(NamedTuple):
    """The places in which a format keeps its text. Elements have their names of `xml.parse_xml`.

    members: those of the archive that are read; the first is mandatory. text_elements: those whose text counts.
    ignored_elements: deleted text, comments, fallbacks. breaks: text that the end of an element stands for. part: what
    the document's parts are called. part_elements: those that begin a part, and the attribute that names it.
    page_breaks: those by which a program that lays the document out notes that a page ends.
    """

    what: str
    members: tuple[str, ...]
    text_elements: frozenset[str]
    ignored_elements: frozenset[str]
    breaks: Mapping[str, str]
    part: str = ""
    part_elements: Mapping[str, str] = {}
    page_breaks: frozenset[str] = frozenset()


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
    "page",
    # Not breaks of the author's (br): behind each of these that Word lays out, it notes one of its own.
    page_breaks=frozenset(f"{space} lastRenderedPageBreak" for space in (_WORD, _STRICT)),
)
PPTX = OfficeFormat(
    "a PowerPoint presentation (pptx)",
    ("ppt/presentation.xml",),
    frozenset(f"{space} t" for space in _DRAWINGS),
    frozenset({f"{_CHOICE} Fallback", *(f"{space} fld" for space in _DRAWINGS)}),  # fields: numbers of slides, dates
    {f"{space} {element}": "\n" for space in _DRAWINGS for element in ("p", "br")},
    "slide",
)
ODT = OfficeFormat(
    "an OpenDocument text (odt)",
    ("content.xml",),
    frozenset({f"{_TEXT} p", f"{_TEXT} h"}),
    frozenset({f"{_TEXT} tracked-changes", f"{_OFFICE} annotation"}),
    {f"{_TEXT} p": "\n", f"{_TEXT} h": "\n", f"{_TEXT} line-break": "\n", f"{_TEXT} tab": "\t", f"{_TEXT} s": " "},
)
ODP = ODT._replace(what="an OpenDocument presentation (odp)", part="slide", part_elements={f"{_DRAW} page": ""})
ODS = ODT._replace(
    what="an OpenDocument spreadsheet (ods)",
    breaks={
        **dict.fromkeys(ODT.breaks, " "),
        **{f"{_TABLE} {cell}": "\t" for cell in ("table-cell", "covered-table-cell")},
        f"{_TABLE} table-row": "\n",
    },
    part="sheet",
    part_elements={f"{_TABLE} table": f"{_TABLE} name"},
)


def _read(
    kind: str,
    office_format: OfficeFormat,
    content: bytes | str,
    alphabet: str = "characters",
    _name: str | None = None,
    version: int = READER_VERSION,
) -> Symbols:
    """Return the symbols of a document of a kind; Unreadable if it is none, damaged or too large."""
    return extract_text(content, office_format).fold(kind, alphabet, version)


read_docx = partial(_read, "docx", DOCX)
read_odt = partial(_read, "odt", ODT)
read_odp = partial(_read, "odp", ODP)
read_ods = partial(_read, "ods", ODS)


def read_pptx(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a presentation; Unreadable if it is none, damaged or too large."""
    with timed_reading() as reading, open_archive(content, PPTX.what) as archive:
        text = ExtractedText(reading, PPTX.part)
        for slide, _ in list_referred(archive, PPTX.members[0], "sldId", reading):
            text.begin_part()
            take_text(archive, slide, PPTX, text, reading)
            for relationship in find_related(archive, slide, reading).values():
                if relationship.type == "notesSlide" and has_member(archive, relationship.member):
                    take_text(archive, relationship.member, PPTX, text, reading)
    return text.fold("pptx", alphabet, version)


def extract_text(content: bytes | str, office_format: OfficeFormat) -> ExtractedText:
    """Return the text of all members in order; Unreadable as above."""
    with timed_reading() as reading, open_archive(content, office_format.what) as archive:
        text = ExtractedText(reading, office_format.part)
        present = set(archive.namelist())
        body, *notes = office_format.members
        take_text(archive, body, office_format, text, reading)
        for member in filter(present.__contains__, notes):
            start = text.size
            take_text(archive, member, office_format._replace(page_breaks=frozenset()), text, reading)
            text.take_notes(start, PurePosixPath(member).stem)
    return text


def take_text(
    archive: zipfile.ZipFile, member: str, office_format: OfficeFormat, text: ExtractedText, reading: Reading
) -> None:
    """Append the text of a member of a document; Unreadable as above."""
    text_depth = ignored_depth = 0

    def start(element: str, attributes: Mapping[str, str]) -> None:
        nonlocal text_depth, ignored_depth
        text_depth += element in office_format.text_elements
        ignored_depth += element in office_format.ignored_elements
        if element in office_format.part_elements and not ignored_depth:
            text.begin_part(attributes.get(office_format.part_elements[element], ""))
        if element in office_format.page_breaks and not ignored_depth:
            text.break_page()

    def end(element: str) -> None:
        nonlocal text_depth, ignored_depth
        text_depth -= element in office_format.text_elements
        ignored_depth -= element in office_format.ignored_elements
        if element in office_format.breaks and not ignored_depth:
            text.write(office_format.breaks[element])

    def add_text(piece: str) -> None:
        if text_depth and not ignored_depth:
            text.write(piece)

    parse_member(archive, member, XmlHandlers(start, end, add_text), reading)
