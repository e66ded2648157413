"""Office documents, Word's (docx) and OpenDocument's (odt): the text of the body and the notes.

There is no plain source: offsets count characters of the text that was taken out, a line a paragraph.
"""

from collections.abc import Mapping
from typing import NamedTuple

from fpdb.readers.folding import fold
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import open_archive, parse_member

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_CHOICE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"


class Form(NamedTuple):
    """Where a format keeps its text. Elements are named as `xml` reports them.

    parts: members that are read; the first must be there. within: elements whose text counts. without: elements that
    do not count, nor what is in them: deleted text, comments, fallbacks. breaks: what empty or ended elements mean.
    """

    what: str
    parts: tuple[str, ...]
    within: frozenset[str]
    without: frozenset[str]
    breaks: Mapping[str, str]


DOCX = Form(
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
ODT = Form(
    "an OpenDocument text (odt)",
    ("content.xml",),
    frozenset({f"{_TEXT} p", f"{_TEXT} h"}),
    frozenset({f"{_TEXT} tracked-changes", f"{_OFFICE} annotation"}),
    {f"{_TEXT} p": "\n", f"{_TEXT} h": "\n", f"{_TEXT} line-break": "\n", f"{_TEXT} tab": "\t", f"{_TEXT} s": " "},
)


def read_docx(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a Word document's text. Unreadable: not one, or damaged, or too large."""
    return fold(take_text(content, DOCX), "docx; offsets in the text taken out", alphabet)


def read_odt(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of an OpenDocument text. Unreadable: not one, or damaged, or too large."""
    return fold(take_text(content, ODT), "odt; offsets in the text taken out", alphabet)


def take_text(content: bytes | str, form: Form) -> str:
    """The text of all parts, one after the other. Else Unreadable."""
    found: list[str] = []
    inside = outside = 0

    def start(element: str) -> None:
        nonlocal inside, outside
        inside += element in form.within
        outside += element in form.without

    def end(element: str) -> None:
        nonlocal inside, outside
        inside -= element in form.within
        outside -= element in form.without
        if element in form.breaks and not outside:
            found.append(form.breaks[element])

    def text(data: str) -> None:
        if inside and not outside:
            found.append(data)

    with open_archive(content, form.what) as archive:
        there = set(archive.namelist())
        for number, part in enumerate(form.parts):
            if number == 0 or part in there:
                parse_member(archive, part, start, end, text)
    return "".join(found)
