"""The meaning of a record's fields - a name, a text, labels and more - and chunks of records as a file has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from fpdb.bounded_json import LongNumber
from fpdb.ingest.files import InputDocument

RECORD_CHUNK_BYTES = 1 << 20
_HINT = "; where it means something else, name the field of the text, which passes over it"


@dataclass(frozen=True)
class Fields:
    """Names of the fields of a record; a field in an object in a field is `meta.url`.

    Where none is given, records may also have the fields kind, source, contact and labels, an object of strings.

    name: Of the name; None for `name` or, without one, `id`. Where there is none of these, and for "-", the name is
        the file and the line or row.
    text: Of the text.
    labels: Of labels, which are called like the fields.
    """

    name: str | None = None
    text: str | None = None
    labels: tuple[str, ...] = ()

    @cached_property
    def are_default(self) -> bool:
        """True if none is given."""
        return self == Fields()

    @cached_property
    def text_field(self) -> str:
        """The field of the text."""
        return self.text or "text"

    def wanted(self) -> list[str]:
        """Return all fields that are read, if they are there."""
        name = ["name", "id"] if self.name is None else [self.name] if self.name != "-" else []
        optional = ["kind", "source", "contact", "labels"] if self.are_default else []
        return [*name, self.text_field, *self.labels, *optional]

    def document(self, record: Mapping[str, Any], location: str, size: int, kind: str) -> InputDocument:
        """Make a document of a record; location: its file and line or row. Raises ValueError if it is none."""
        text = _look_up(record, self.text_field)
        if not isinstance(text, str):
            fault = _missing(record, self.text_field) if text is None else f'"{self.text_field}" is not a string'
            raise ValueError(fault)
        source, contact, labels = None, None, None
        if self.are_default:
            own_kind, source, contact, labels = map(record.get, ("kind", "source", "contact", "labels"))
            if own_kind is not None or source is not None or contact is not None or labels is not None:
                _check_optional(record)
            kind = own_kind or kind
        elif self.labels:
            values = ((field, _label(field, _look_up(record, field))) for field in self.labels)
            labels = {field: value for field, value in values if value is not None}
        name = self._name(record, location)
        return InputDocument(name, None, text, size, kind, source, contact, labels, False, location)

    def _name(self, record: Mapping[str, Any], location: str) -> str:
        if self.name is None:
            name = record.get("name")
            field = "name"
            if name is None:
                name, field = record.get("id"), "id"
            if name is None:
                return location
        elif self.name == "-":
            return location
        else:
            field, name = self.name, _look_up(record, self.name)
            if name is None:
                raise ValueError(_missing(record, field))
        if isinstance(name, str):
            return name
        if isinstance(name, int) and not isinstance(name, bool):
            return str(name)
        if isinstance(name, LongNumber):
            raise ValueError(f'"{field}" is a number of too many digits')
        raise ValueError(f'"{field}" is neither a string nor a whole number')


@dataclass(frozen=True)
class RecordChunk:
    """Some records of a file in the file's own form: a `Chunk`, once a subclass reads its documents.

    origin: How to call the file. first: The number of the first record, by which each is told.
    """

    content: bytes
    origin: str
    first: int
    fields: Fields
    kind: str
    input_bytes: int

    @property
    def content_bytes(self) -> int:
        """Bytes of content that the chunk itself holds."""
        return len(self.content)


def _look_up(record: Mapping[str, Any], field: str) -> Any:
    """Return the value of a field, or of one of an object in a field; None where there is none."""
    if field in record or "." not in field:
        return record.get(field)
    first, rest = field.split(".", 1)
    inner = record.get(first)
    return _look_up(inner, rest) if isinstance(inner, dict) else None


def _missing(record: Mapping[str, Any], field: str) -> str:
    if field in record:
        return f'"{field}" is null'
    return f'no "{field}" (there is: {", ".join(map(str, record)) or "nothing"})'


def _label(field: str, value: Any) -> str | None:
    """Return a label's value as text; None for none. Raises ValueError."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | date):
        return str(value)
    if isinstance(value, LongNumber):
        raise ValueError(f'"{field}" is a number of too many digits')
    raise ValueError(f'"{field}" is no plain value, as a label is')


def _check_optional(record: Mapping[str, Any]) -> None:
    """Raise ValueError if an optional field is not what it should be."""
    for field in ("kind", "source", "contact"):
        if not isinstance(record.get(field), str | None):
            raise ValueError(f'"{field}" is not a string{_HINT}')
    labels = record.get("labels")
    if labels is not None and not (isinstance(labels, dict) and all(isinstance(x, str) for x in labels.values())):
        raise ValueError(f'"labels" is not an object of strings{_HINT}')
