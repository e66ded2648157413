"""Read workbooks of Excel (xlsx): the values of the cells, sheet by sheet and row by row.

Offsets are indices into the extracted text, which has a line for each row, with a tab behind each cell.
"""

import io
import zipfile
from collections.abc import Mapping

from fpdb.errors import Unreadable
from fpdb.limits import Reading, timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.relationships import find_related, list_referred
from fpdb.readers.symbols import Symbols
from fpdb.readers.xml import XmlHandlers, has_member, open_archive, parse_member

_WORKBOOK = "xl/workbook.xml"
_STRING_BYTES = 100
"""Bytes that a string takes beside its characters."""
_NO_TEXT = ("b", "e")
"""Types of cells that hold truth values and errors."""


def read_xlsx(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a workbook; Unreadable if it is none, damaged or too large."""
    with timed_reading() as reading, open_archive(content, "an Excel workbook (xlsx)") as archive:
        text = ExtractedText(reading, "sheet")
        strings: list[str] = []
        for relationship in find_related(archive, _WORKBOOK, reading).values():
            if relationship.type == "sharedStrings" and has_member(archive, relationship.member):
                strings = _read_strings(archive, relationship.member, reading)
        for sheet, attributes in list_referred(archive, _WORKBOOK, "sheet", reading):
            text.begin_part(attributes.get("name", ""))
            _Sheet(text, strings).take(archive, sheet, reading)
    return text.fold("xlsx", alphabet, version)


def _read_strings(archive: zipfile.ZipFile, member: str, reading: Reading) -> list[str]:
    """Return the strings that cells refer to by number; how they are pronounced does not count."""
    strings: list[str] = []
    pieces: list[str] = []
    spoken = size = 0
    in_text = False

    def start(element: str, _: Mapping[str, str]) -> None:
        nonlocal spoken, in_text
        tag = element.rpartition(" ")[2]
        spoken += tag == "rPh"
        in_text = tag == "t" and not spoken

    def end(element: str) -> None:
        nonlocal spoken, in_text, size
        tag = element.rpartition(" ")[2]
        spoken -= tag == "rPh"
        in_text = False
        if tag == "si":
            strings.append("".join(pieces))
            pieces.clear()
            count(0)

    def add_text(piece: str) -> None:
        if in_text:
            pieces.append(piece)
            count(4 * len(piece))

    def count(taken: int) -> None:
        nonlocal size
        size += _STRING_BYTES + taken
        if size > reading.limits.memory // 2:
            raise Unreadable(f"its strings take too much memory: {reading.limits.memory_fault()}")

    parse_member(archive, member, XmlHandlers(start, end, add_text), reading)
    return strings


class _Sheet:
    """Takes the text of a sheet."""

    def __init__(self, text: ExtractedText, strings: list[str]) -> None:
        self._text, self._strings = text, strings
        self._type = ""
        self._in_value = False
        self._value = io.StringIO()

    def take(self, archive: zipfile.ZipFile, member: str, reading: Reading) -> None:
        parse_member(archive, member, XmlHandlers(self._start, self._end, self._add), reading)

    def _start(self, element: str, attributes: Mapping[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        if tag == "c":
            self._type = attributes.get("t", "n")
            self._value = io.StringIO()
        self._in_value = tag in ("v", "t")

    def _end(self, element: str) -> None:
        tag = element.rpartition(" ")[2]
        self._in_value = False
        if tag == "c":
            self._text.write(self._cell(self._value.getvalue()) + "\t")
        elif tag == "row":
            self._text.write("\n")

    def _add(self, piece: str) -> None:
        if self._in_value:
            self._value.write(piece)

    def _cell(self, value: str) -> str:
        """Return the text of a cell by its value."""
        if self._type in _NO_TEXT:
            return ""
        if self._type != "s":
            return " ".join(value.split())
        index = int(value) if value.isdecimal() and len(value) < 10 else -1
        return " ".join(self._strings[index].split()) if 0 <= index < len(self._strings) else ""
