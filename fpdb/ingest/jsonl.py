"""Documents from records: a line of JSON Lines or a row of Parquet each, with fields for the name, the text and labels.

What is wrong with a record is said with its file, and its line or row; the rest goes on. Reading is left to whoever
fingerprints, see `sources.Chunk`: here a file is only cut into pieces. Knows nothing of fingerprints.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from fpdb.ingest.archives import Exhausted, Refused
from fpdb.ingest.files import InputDocument, Skipped, error_text, size_fault
from fpdb.ingest.input_files import Unpacking
from fpdb.ingest.record_fields import PIECE, Fields, RecordChunk

_scan: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]  # what json.loads calls


class LineChunk(RecordChunk):
    """Whole lines of JSON."""

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """As a `Chunk`."""
        for number, line in enumerate(self.content.split(b"\n"), self.first):
            if not line or line.isspace():
                continue
            at = f"{self.origin}:{number}"
            try:
                yield self.fields.source(_parsed(line), at, len(line), self.kind)
            except ValueError as error:
                yield Skipped(at, str(error))


def read_lines(
    file: BinaryIO, origin: str, *, fields: Fields | None = None, kind: str = "text"
) -> Iterator[LineChunk | Skipped]:
    """The lines of one open file, compressed or not. origin: what to call it. Raises MissingPackage."""
    fields = fields or Fields()
    number, rest, lost = 1, bytearray(), False
    try:
        opened = Unpacking(file)
        while block := opened.read(PIECE):
            end = block.rfind(b"\n") + 1
            if lost and end:  # of a line that was too large
                start = block.index(b"\n") + 1
                block, end, lost, number = block[start:], end - start, False, number + 1
            if end:
                whole = b"".join((rest, memoryview(block)[:end]))
                rest.clear()
                yield LineChunk(_begun(whole, number), origin, number, fields, kind, opened.passed())
                number += whole.count(b"\n")
            if not lost:
                rest += block[end:]
            if (wrong := size_fault(len(rest))) is not None:
                yield Skipped(f"{origin}:{number}", wrong)
                rest.clear()
                lost = True
    except (Refused, Exhausted, OSError) as error:
        yield Skipped(f"{origin}:{number}", f"not read any further: {error_text(error)}", requested=True)
        return
    if rest:
        yield LineChunk(_begun(rest, number), origin, number, fields, kind, opened.passed())


def _begun(content: bytes | bytearray, number: int) -> bytes:
    """The lines as bytes; the first of a file without a byte order mark."""
    return bytes(content).removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")


def _parsed(line: bytes) -> Mapping[str, Any]:
    """One line as an object. ValueError: it is none."""
    try:
        text = line.decode("utf-8")
        try:
            record, end = _scan(text, 0)
        except StopIteration:  # a value is missing somewhere
            record, end = None, -1
        if end != len(text):
            record = json.loads(text)  # there are blanks around it, or something is wrong, and this says what
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("not an object")
    return record
