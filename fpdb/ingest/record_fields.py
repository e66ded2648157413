"""What the fields of records mean: a name, a text, labels and more; and stretches of records, as a file has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from fpdb.ingest.files import InputDocument

PIECE = 1 << 20
"""Bytes of a stretch."""


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

    def source(self, record: Mapping[str, Any], at: str, size: int, kind: str) -> InputDocument:
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
        return InputDocument(self._name(record, at), None, text, size, kind_of_it, source, contact, labels, False, at)

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


@dataclass(frozen=True)
class RecordChunk:
    """Some records of a file, as they are there: a `Chunk`, but for what reads them. origin: what to call the file;
    first: the number of the first record, by which each is told."""

    content: bytes
    origin: str
    first: int
    fields: Fields
    kind: str
    input_bytes: int

    @property
    def content_bytes(self) -> int:
        """As a `Chunk`."""
        return len(self.content)


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
