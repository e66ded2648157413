"""Read FictionBook 2 (fb2): the text of the bodies; chapters are the outermost sections, and all notes are one.

Offsets are indices into the extracted text, which has a line for each paragraph.
"""

from collections.abc import Mapping

from fpdb.limits import timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import CHUNK, XmlHandlers, parse_xml

_LINES = frozenset(["p", "v", "subtitle", "text-author", "td", "th"])


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a book; Unreadable if it is none, damaged or too large."""
    encoded = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    with timed_reading() as reading:
        book = _Book(ExtractedText(reading, "chapter"))
        chunks = (encoded[start : start + CHUNK] for start in range(0, len(encoded), CHUNK))
        parse_xml(chunks, "the book", XmlHandlers(book.start, book.end, book.add_text), reading)
    return book.text.fold("fb2", alphabet, version)


class _Book:
    """Takes the text of a book."""

    def __init__(self, text: ExtractedText) -> None:
        self.text = text
        self._bodies = self._sections = self._titles = self._lines = 0
        self._has_notes = False

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        self._bodies += tag == "body"
        self._sections += tag == "section"
        self._titles += tag == "title"
        self._lines += tag in _LINES
        if tag == "body":
            self._has_notes = "name" in attributes
        if tag == ("body" if self._has_notes else "section") and self._bodies and self._sections < 2:
            self.text.begin_part(attributes.get("name", ""))

    def end(self, element: str) -> None:
        tag = element.rpartition(" ")[2]
        self._bodies -= tag == "body"
        self._sections -= tag == "section"
        self._titles -= tag == "title"
        self._lines -= tag in _LINES
        if self._bodies and tag in _LINES:
            self.text.write("\n")

    def add_text(self, piece: str) -> None:
        if self._bodies and self._lines:
            self.text.write(piece)
            if self._titles and self._sections == 1 and not self._has_notes:
                self.text.name_part(piece)
