"""Documents from records: a line of JSON Lines or a row of Parquet each, with fields for the name, the text and labels.

What is wrong with a record is said with its file, and its line or row; the rest goes on. Reading is left to whoever
fingerprints, see `sources.Piece`: here a file is only cut into pieces. Knows nothing of fingerprints.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, BinaryIO

from fpdb.archives import Exhausted, Refused
from fpdb.load.dumps import Form, Unpacking, dumps
from fpdb.load.sources import Own, Piece, Skipped, Source, name_of, reason_of, too_large

PIECE = 1 << 20
"""Bytes of a piece."""
_scan: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]  # what json.loads calls


@dataclass(frozen=True)
class Fields:
    """Which fields of a record hold what.

    name: of the name; None for `name` or, without one, `id`; "-" for none: then it is the file and the line or row, as
    it is where there is none of these. text: of the text. labels: of labels, which are called like the fields. A field
    in an object in a field is `meta.url`.

    Where none is given, records may also have the fields kind, source, contact and labels, an object of strings.
    """

    name: str | None = None
    text: str | None = None
    labels: tuple[str, ...] = ()

    @cached_property
    def plain(self) -> bool:
        """Whether none is given."""
        return self == Fields()

    @cached_property
    def of_text(self) -> str:
        """The field of the text."""
        return self.text or "text"

    def wanted(self) -> list[str]:
        """All fields that are read, where they are there."""
        name = ["name", "id"] if self.name is None else [self.name] if self.name != "-" else []
        more = ["kind", "source", "contact", "labels"] if self.plain else []
        return [*name, self.of_text, *self.labels, *more]

    def source(self, record: Mapping[str, Any], at: str, size: int, kind: str) -> Source:
        """The record as a document. ValueError: what is wrong with it."""
        text = _look(record, self.of_text)
        if not isinstance(text, str):
            raise ValueError(_missing(record, self.of_text) if text is None else f'"{self.of_text}" is not a string')
        kind_of_it, source, contact, labels = kind, None, None, None
        if self.plain:
            said, source, contact, labels = map(record.get, ("kind", "source", "contact", "labels"))
            if said is not None or source is not None or contact is not None or labels is not None:
                _check_optional(record)
            kind_of_it = said or kind
        elif self.labels:
            found = ((field, _plain(field, _look(record, field))) for field in self.labels)
            labels = {field: value for field, value in found if value is not None}
        return Source(self._name(record, at), None, text, size, kind_of_it, source, contact, labels, False, at)

    def _name(self, record: Mapping[str, Any], at: str) -> str:
        if self.name is None:
            name = record.get("name")
            field = "name"
            if name is None:
                name, field = record.get("id"), "id"
            if name is None:
                return at
        elif self.name == "-":
            return at
        else:
            field, name = self.name, _look(record, self.name)
            if name is None:
                raise ValueError(_missing(record, field))
        if isinstance(name, str):
            return name
        if isinstance(name, int) and not isinstance(name, bool):
            return str(name)
        raise ValueError(f'"{field}" is neither a string nor a whole number')


def records(
    paths: Iterable[str],
    form: Form = "jsonl",
    *,
    fields: Fields | None = None,
    kind: str = "text",
    own: Own | None = None,
) -> Iterator[Source | Skipped]:
    """The documents in files of records, in order, as `pieces` takes them."""
    for piece in pieces(paths, form, fields=fields, kind=kind, own=own):
        yield from [piece] if isinstance(piece, Skipped) else piece.sources()


def pieces(
    paths: Iterable[str],
    form: Form = "jsonl",
    *,
    fields: Fields | None = None,
    kind: str = "text",
    own: Own | None = None,
) -> Iterator[Piece | Skipped]:
    """The same in pieces, to be given to `load` or `answers`, which read them in several processes.

    paths: files, folders of them, patterns such as `data/*.jsonl.gz`; `-` is standard input. JSON Lines may be
    compressed by gzip, bzip2, xz or zstd. form: "jsonl" or "parquet". kind: of records that do not say theirs. own: the
    database's files, which are passed over. Raises MissingPackage.
    """
    fields = fields or Fields()
    if form == "parquet":
        from fpdb.load.parquet import check_packages, rows

        check_packages()
        if "-" in paths:
            raise ValueError("Parquet is not read from standard input")
    for path in dumps(paths, form, own):
        if isinstance(path, Skipped):
            yield path
            continue
        try:
            if path == "-":
                yield from lines(sys.stdin.buffer, "standard input", fields=fields, kind=kind)
            elif form == "parquet":
                yield from rows(path, name_of(path), fields, kind)
            else:
                with open(path, "rb") as file:
                    yield from lines(file, name_of(path), fields=fields, kind=kind)
        except (OSError, ValueError) as error:
            yield Skipped(name_of(path), reason_of(error), asked=True)


@dataclass(frozen=True)
class Stretch:
    """Some records of a file, as they are there: a `Piece`, but for what reads them. origin: what to call the file;
    first: the number of the first record, by which each is told."""

    content: bytes
    origin: str
    first: int
    fields: Fields
    kind: str
    passed: int

    @property
    def held(self) -> int:
        """As a `Piece`."""
        return len(self.content)


class Lines(Stretch):
    """Whole lines of JSON."""

    def sources(self) -> Iterator[Source | Skipped]:
        """As a `Piece`."""
        for number, line in enumerate(self.content.split(b"\n"), self.first):
            if not line or line.isspace():
                continue
            at = f"{self.origin}:{number}"
            try:
                yield self.fields.source(_parsed(line), at, len(line), self.kind)
            except ValueError as error:
                yield Skipped(at, str(error))


def lines(
    file: BinaryIO, origin: str, *, fields: Fields | None = None, kind: str = "text"
) -> Iterator[Lines | Skipped]:
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
                yield Lines(_begun(whole, number), origin, number, fields, kind, opened.passed())
                number += whole.count(b"\n")
            if not lost:
                rest += block[end:]
            if (wrong := too_large(len(rest))) is not None:
                yield Skipped(f"{origin}:{number}", wrong)
                rest.clear()
                lost = True
    except (Refused, Exhausted, OSError) as error:
        yield Skipped(f"{origin}:{number}", f"not read any further: {reason_of(error)}", asked=True)
        return
    if rest:
        yield Lines(_begun(rest, number), origin, number, fields, kind, opened.passed())


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


def _look(record: Mapping[str, Any], field: str) -> Any:
    """What is in a field, or in one of an object in a field; None where there is none."""
    if field in record or "." not in field:
        return record.get(field)
    first, rest = field.split(".", 1)
    inner = record.get(first)
    return _look(inner, rest) if isinstance(inner, dict) else None


def _missing(record: Mapping[str, Any], field: str) -> str:
    """What to say of a field that is not there, or null."""
    if field in record:
        return f'"{field}" is null'
    return f'no "{field}" (there is: {", ".join(map(str, record)) or "nothing"})'


def _plain(field: str, value: Any) -> str | None:
    """A label's value as text; None for none. ValueError: it is no plain value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | date):
        return str(value)
    raise ValueError(f'"{field}" is no plain value, as a label is')


def _check_optional(record: Mapping[str, Any]) -> None:
    """ValueError: a field that may be there is not what it should be."""
    if_other = "; where it means something else, name the field of the text, which passes over it"
    for field in ("kind", "source", "contact"):
        if not isinstance(record.get(field), str | None):
            raise ValueError(f'"{field}" is not a string{if_other}')
    labels = record.get("labels")
    if labels is not None and not (isinstance(labels, dict) and all(isinstance(one, str) for one in labels.values())):
        raise ValueError(f'"labels" is not an object of strings{if_other}')
