"""CSV: a file is cut into chunks of whole rows, which are turned into documents by whoever fingerprints them.

The first row names the fields. Rows stay in the encoding of the file, and whole as they are there.
"""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar, Final, TextIO

from fpdb import limits
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded
from fpdb.ingest.files import InputDocument, Skipped, error_text
from fpdb.ingest.input_files import InputFile
from fpdb.ingest.record_fields import MISSING_FIELD, RECORD_CHUNK_BYTES, Cuts, Fields, RecordChunk
from fpdb.readers.encodings import MARKS, decode

DELIMITERS: Final = (",", ";", "\t")
"""Those that are told from the first line."""
LOSSLESS: Final = "surrogateescape"
"""The error handler that keeps bytes which the encoding lacks, so that they can be written again."""
_MARK: Final = "\ufeff"
_BEGINNING: Final = 1 << 20
"""Bytes that tell the encoding; they hold the first line."""
_FAULTS: Final = (ArchiveError, LimitExceeded, OSError, csv.Error, ValueError)


@dataclass(frozen=True)
class CsvChunk(RecordChunk):
    """Whole rows of CSV; a row is told by the line that it begins in.

    head: The row that names the fields. encoding: Of this row and of the content.
    """

    noun: ClassVar[str] = "row"
    head: bytes
    delimiter: str
    encoding: str

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield a document, or what is skipped, for each row that is not blank."""
        header = self.header()
        for number, row, cells in self.rows():
            location = f"{self.origin}:{number}"
            try:
                if cells:
                    yield self._document(header, row, cells, location)
            except ValueError as error:
                yield Skipped(location, str(error))

    def header(self) -> list[str]:
        """Return the names of the fields."""
        head = self.head.decode(self.encoding, LOSSLESS).removeprefix(_MARK)
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=self.delimiter), [])

    def rows(self) -> "RowReader":
        """Return the rows, blank ones included."""
        lines = io.StringIO(self.content.decode(self.encoding, LOSSLESS), newline="")
        return RowReader(lines, self.delimiter, self.first)

    def select(self, cuts: Sequence[Cuts | None]) -> bytes:
        """Return the rows that are left, without the header."""
        text_index = self.header().index(self.fields.text_field)
        left, cuts_left = [], iter(cuts)
        for _, row, cells in self.rows():
            spans = next(cuts_left) if cells else None
            if spans:
                record = {self.fields.text_field: cells[text_index]}
                self.fields.cut(record, spans)
                cells[text_index] = record[self.fields.text_field]
                left.append(self._write(cells) + row[len(row.rstrip("\r\n")) :])
            elif spans is not None:
                left.append(row)
        return "".join(left).encode(self.encoding, LOSSLESS)

    def _write(self, cells: list[str]) -> str:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=self.delimiter).writerow(cells)
        return out.getvalue().removesuffix("\r\n")

    def _document(self, header: list[str], row: str, cells: list[str], location: str) -> InputDocument:
        if len(cells) != len(header):
            raise ValueError(f"{len(cells)} cells, and the header has {len(header)}")
        if not row.isascii():
            try:
                row.encode()
            except UnicodeEncodeError:
                raise ValueError(f"not {self.encoding.upper()}") from None
        text = self.fields.text_field
        record = {name: cell if name == text else cell or None for name, cell in zip(header, cells, strict=True)}
        return self.fields.document(record, location, len(row), self.kind)


class RowReader:
    """Reads rows, and the lines that each consists of.

    number: That of the first line of the row that is read.
    """

    def __init__(self, lines: TextIO, delimiter: str, number: int = 1) -> None:
        """Begin with the first line, of this number."""
        self.number = number
        self._lines = lines
        self._taken: list[str] = []
        self._size = 0
        self._largest = limits.current().copied_bytes
        csv.field_size_limit(max(csv.field_size_limit(), self._largest))
        self._rows = csv.reader(self._take_lines(), delimiter=delimiter)

    def __iter__(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the number, the text and the cells of each row; no cells for a blank one.

        Raises ValueError, csv.Error.
        """
        for cells in self._rows:
            yield self.number, "".join(self._taken), cells
            self.number += len(self._taken)
            self._taken.clear()
            self._size = 0

    def _take_lines(self) -> Iterator[str]:
        while line := self._lines.readline(self._largest + 1):
            self._taken.append(line)
            self._size += len(line)
            if self._size > self._largest:
                raise ValueError(f"the row has more than {self._largest:,} characters; is a quote left open?")
            yield line
        if self._taken:  # only within quotes are more lines asked for
            raise ValueError("a quote is left open, to the end of the file")


def read_rows(file: BinaryIO, origin: str, *, fields: Fields, kind: str) -> Iterator[CsvChunk | Skipped]:
    """Yield the rows of one open file, compressed or not. origin: how to call it.

    Raises MissingPackage, OSError; ValueError: there is no header, or it does not name the column of the text.
    """
    try:
        opened = InputFile(file)
        beginning = opened.read(_BEGINNING)
        encoding = _without_mark(fields.encoding, beginning) if fields.encoding else _detect_encoding(beginning)
        mark = next((mark for mark, _ in MARKS if beginning.startswith(mark)), b"")
        bytes_left = io.BufferedReader(_Bytes(beginning[len(mark) :], opened))
        lines = io.TextIOWrapper(bytes_left, encoding, LOSSLESS, newline="")
        delimiter = fields.delimiter or _detect_delimiter(beginning[len(mark) :].decode(encoding, "replace"))
        reader = RowReader(lines, delimiter)
        rows = iter(reader)
        _, head, _ = next(rows, (1, "", []))
    except _FAULTS as error:
        raise ValueError(error_text(error)) from error
    if head:
        head_bytes = mark + head.encode(encoding, LOSSLESS)
        form = CsvChunk(b"", origin, 1, fields, kind, 0, head_bytes, delimiter, encoding)
        _check_header(form.header(), fields)
        yield from _cut(rows, reader, form, opened)


def _cut(
    rows: Iterator[tuple[int, str, list[str]]], reader: RowReader, form: CsvChunk, opened: InputFile
) -> Iterator[CsvChunk | Skipped]:
    """Yield chunks of rows; form: a chunk without them."""
    content: list[str] = []
    size, fault = 0, ""
    is_over = False
    while not is_over:
        try:
            number, row, _ = next(rows, (reader.number, "", []))
        except _FAULTS as error:
            number, row, fault = reader.number, "", error_text(error)
        is_over = not row
        if not content:
            form = replace(form, first=number)
        content.append(row)
        size += len(row)
        if size >= RECORD_CHUNK_BYTES or (is_over and size):
            packed = "".join(content).encode(form.encoding, LOSSLESS)
            yield replace(form, content=packed, input_bytes=opened.take_count())
            content, size = [], 0
    if fault:
        yield Skipped(f"{form.origin}:{reader.number}", f"not read any further: {fault}", requested=True)


def _check_header(header: list[str], fields: Fields) -> None:
    """Raise ValueError if the header names no column of the text, or one that is read twice."""
    twice = [name for name in fields.wanted() if header.count(name) > 1]
    if twice:
        raise ValueError(f'the header names "{twice[0]}" {header.count(twice[0])} times')
    if fields.text_field not in header:
        raise ValueError(f'no column "{fields.text_field}"{MISSING_FIELD}{", ".join(header)})')


def _detect_encoding(beginning: bytes) -> str:
    """Return the encoding that the beginning of a file tells."""
    whole_lines = beginning[: beginning.rfind(b"\n") + 1] or beginning  # no character is cut off
    return decode(whole_lines)[1].split()[0].rstrip(",")


def _without_mark(encoding: str, beginning: bytes) -> str:
    """Return an encoding that writes no byte order mark, with the byte order of the file's mark."""
    name = codecs.lookup(encoding).name
    if name in ("utf-16", "utf-32"):
        mark = codecs.BOM_UTF16_BE if name == "utf-16" else codecs.BOM_UTF32_BE
        return f"{name}-{'be' if beginning.startswith(mark) else 'le'}"
    return "utf-8" if name == "utf-8-sig" else name


def _detect_delimiter(text: str) -> str:
    """Return the delimiter that cuts the first line into the most cells."""
    line = io.StringIO(text, newline="").readline().rstrip("\r\n")
    return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([line], delimiter=delimiter), [])))


class _Bytes(io.RawIOBase):
    """The bytes of a file, of which the beginning was read already."""

    def __init__(self, beginning: bytes, rest: InputFile) -> None:
        self._ahead, self._rest = beginning, rest

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any, /) -> int:
        target = memoryview(room)
        if not self._ahead:
            self._ahead = self._rest.read(len(target))
        part, self._ahead = self._ahead[: len(target)], self._ahead[len(target) :]
        target[: len(part)] = part
        return len(part)
