"""JSON Lines: a file is cut into chunks of whole lines, which are turned into documents by whoever fingerprints them.

A fault is told with its file and line; the rest goes on.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from fpdb import bounded_json
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded
from fpdb.ingest.files import InputDocument, Skipped, error_text, size_fault
from fpdb.ingest.input_files import InputFile
from fpdb.ingest.record_fields import RECORD_CHUNK_BYTES, Cuts, Fields, RecordChunk

ONE_A_LINE = "each line is one object, as `jq -c '.[]'` writes a list, and `jq -c .` one that goes over several lines"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What json.loads calls. orjson takes 0.34 of its time, a fortieth of a load's, but rounds whole numbers of more than 64
# bits, which may be names, and reads neither NaN nor lone surrogates.
_scan: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]


class LineChunk(RecordChunk):
    """Whole lines of JSON."""

    noun = "line"

    @property
    def encoding(self) -> str:
        """The encoding of the lines."""
        return self.fields.encoding or "utf-8"

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield a document, or what is skipped, for each line that is not blank."""
        for number, line in enumerate(self.content.split(b"\n"), self.first):
            if not line or line.isspace():
                continue
            location = f"{self.origin}:{number}"
            try:
                yield self.fields.document(_parse(line, self.encoding), location, len(line), self.kind)
            except ValueError as error:
                yield Skipped(location, str(error))

    def select(self, cuts: Sequence[Cuts | None]) -> bytes:
        """Return the lines that are left."""
        left, cuts_left = [], iter(cuts)
        for line in self.content.split(b"\n"):
            if not line or line.isspace():
                continue
            spans = next(cuts_left)
            if spans is not None:
                left.append(self._cut(line, spans) if spans else line)
        end = b"\n" if self.content.endswith(b"\n") else b""
        return b"\n".join(left) + (end if left else b"")

    def _cut(self, line: bytes, spans: Cuts) -> bytes:
        record = _parse(line, self.encoding)
        self.fields.cut(record, spans)
        separators = (", ", ": ") if b'": ' in line else (",", ":")
        try:
            return json.dumps(record, ensure_ascii=line.isascii(), separators=separators).encode(self.encoding)
        except UnicodeEncodeError:  # half a surrogate pair, or another character that was written as an escape
            return json.dumps(record, separators=separators).encode(self.encoding)


def read_lines(
    file: BinaryIO, origin: str, *, fields: Fields | None = None, kind: str = "text"
) -> Iterator[LineChunk | Skipped]:
    """Yield the lines of one open file, compressed or not. origin: how to call it.

    Raises MissingPackage; ValueError: in the encoding, lines do not end with the byte of a newline.
    """
    if fields is not None and fields.encoding is not None and "\n{".encode(fields.encoding) != b"\n{":
        raise ValueError(f"lines of {fields.encoding.upper()} are not read: make UTF-8 of it, as iconv does")
    lines = _Lines(origin, fields or Fields(), kind)
    try:
        opened = InputFile(file)
        while block := opened.read(RECORD_CHUNK_BYTES):
            yield from lines.take(block, opened)
    except (ArchiveError, LimitExceeded, OSError) as error:
        reason = f"not read any further: {error_text(error)}"
        yield Skipped(f"{origin}:{lines.number}", reason, requested=True)
        return
    if lines.rest:
        yield lines.chunk(bytes(lines.rest), opened)


class _Lines:
    """Cuts the blocks of a file at the ends of lines.

    number: Of the next line. rest: Its beginning, if it was read. is_lost: It is too large and was dropped.
    """

    def __init__(self, origin: str, fields: Fields, kind: str) -> None:
        self._origin, self._fields, self._kind = origin, fields, kind
        self.number, self.rest, self._is_lost = 1, bytearray(), False

    def take(self, block: bytes, opened: InputFile) -> Iterator[LineChunk | Skipped]:
        end = block.rfind(b"\n") + 1
        if self._is_lost and end:
            start = block.index(b"\n") + 1
            block, end, self._is_lost, self.number = block[start:], end - start, False, self.number + 1
        if end:
            whole = b"".join((self.rest, memoryview(block)[:end]))
            self.rest.clear()
            yield self.chunk(whole, opened)
            self.number += whole.count(b"\n")
        if not self._is_lost:
            self.rest += block[end:]
        if (fault := size_fault(len(self.rest))) is not None:
            yield Skipped(f"{self._origin}:{self.number}", fault)
            self.rest.clear()
            self._is_lost = True

    def chunk(self, content: bytes, opened: InputFile) -> LineChunk:
        if self.number == 1:
            content = content.removeprefix(_BYTE_ORDER_MARK)
        return LineChunk(content, self._origin, self.number, self._fields, self._kind, opened.take_count())


def _parse(line: bytes, encoding: str = "utf-8") -> Mapping[str, Any]:
    """Parse one line as an object. Raises ValueError."""
    try:
        text = line.decode(encoding)
        if len(line) > RECORD_CHUNK_BYTES:
            bounded_json.check_size(line)
        try:
            record, end = _scan(text, 0)
        except (StopIteration, ValueError):  # a value is missing somewhere, or a number is too long
            record, end = None, -1
        if end != len(text):  # there are blanks around it, or something is wrong, and this says what
            record = bounded_json.parse(text)
    except UnicodeDecodeError:
        raise ValueError(f"not {encoding.upper()}") from None
    except json.JSONDecodeError as error:
        if line.strip() in (b"[", b"{"):
            raise ValueError(f"not JSON, but a part of it: {ONE_A_LINE}") from None
        raise ValueError(f"not JSON: {error.msg.removesuffix(' at')} at character {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError(f"not an object, but a list: {ONE_A_LINE}" if isinstance(record, list) else "not an object")
    return record
