"""The meaning of a record's fields - a name, a text, labels and more - and chunks of records as a file has them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from fpdb.bounded_json import LongNumber
from fpdb.ingest.files import InputDocument, Skipped

RECORD_CHUNK_BYTES = 1 << 20
FIRST_RECORDS = 10
"""If so many have one fault, the fields have other names, or the file has another format."""
PART_SEPARATOR = "\n"
"""Stands between the texts of a field that has several."""
Cuts = Sequence[tuple[int, int]]
"""Characters [start, end) of a text, ascending, none overlapping another one."""
MISSING_FIELD = " (there is: "
"""Stands between a fault and the fields that there are, which may differ from record to record."""
_HINT = "; where it means something else, name the field of the text, which passes over it"


@dataclass(frozen=True)
class Fields:
    """Names of the fields of a record; a field in an object in a field is `meta.url`.

    In a list, a number stands for the element of this index, from 0, and `*` for all elements: `messages.*.content`.

    Where none is given, records may also have the fields kind, source, contact and labels, an object of strings.

    name: Of the name; None for `name` or, without one, `id`. Where there is none of these, and for "-", the name is
        the file and the line or row.
    text: Of the text. Several strings, in a list or by a `*`, are joined by PART_SEPARATOR.
    labels: Of labels, which are called like the fields.
    delimiter: Of the cells of CSV; None to tell it from the first line.
    encoding: Of JSON Lines and CSV; None for UTF-8, and for what CSV looks like.
    """

    name: str | None = None
    text: str | None = None
    labels: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None

    @cached_property
    def are_default(self) -> bool:
        """True if no field is named."""
        return self.name is self.text is None and not self.labels

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
        text = record.get(self.text_field)
        if not isinstance(text, str):
            text = PART_SEPARATOR.join(holder[key] for holder, key in self._text_places(record))
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

    def cut(self, record: Mapping[str, Any], spans: Cuts) -> None:
        """Cut characters of the text out of the record. Raises ValueError if it is no document."""
        start = 0
        for holder, key in self._text_places(record):
            text = holder[key]
            kept, done = [], 0
            for span_start, span_end in spans:
                kept.append(text[done : max(span_start - start, done)])
                done = max(min(span_end - start, len(text)), done)
            holder[key] = "".join((*kept, text[done:]))
            start += len(text) + len(PART_SEPARATOR)

    def _text_places(self, record: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Return the objects and lists that hold the strings of the text, and the key or index of each.

        Raises ValueError if the field is missing, or holds anything else.
        """
        places, is_found, is_null = [], False, False
        for holder, key in _places(record, self.text_field):
            value, is_found = holder[key], True
            if isinstance(value, list):
                places += [(value, index) for index, part in enumerate(value) if part is not None]
            elif value is None:
                is_null = True
            else:
                places.append((holder, key))
        if not all(isinstance(holder[key], str) for holder, key in places):
            raise ValueError(f'"{self.text_field}" is not a string')
        if not is_found:
            raise ValueError(_missing(record, self.text_field))
        if is_null and not places:
            raise ValueError(f'"{self.text_field}" is null')
        return places

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
class RecordChunk(ABC):
    """Some records of a file in the file's own form: a `Chunk`, once a subclass reads its documents.

    origin: How to call the file. first: The number of the first record, by which each is told. noun: How to call one.
    holds_all_fields: Its records have all fields that they have in the file, not only those that are read.
    """

    noun: ClassVar[str] = "record"
    holds_all_fields: ClassVar[bool] = True
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

    @abstractmethod
    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield a document, or what is skipped, for each record."""

    def missing_labels(self) -> Iterator[str]:
        """Yield that none of the first records has a field for a label, for each such field."""
        first = list(islice(self.documents(), FIRST_RECORDS)) if self.fields.labels else []
        for label in self.fields.labels:
            as_name = replace(self, fields=replace(self.fields, name=label, labels=()))  # each record must have a name
            faults = [
                named.reason if isinstance(named, Skipped) else ""
                for record, named in zip(first, as_name.documents(), strict=False)
                if isinstance(record, InputDocument)
            ]
            if faults and all(MISSING_FIELD in fault for fault in faults):
                fault = faults[0] if self.holds_all_fields else faults[0].partition(MISSING_FIELD)[0]
                yield f"{fault} in its first {self.noun}s, for --label-field"

    @abstractmethod
    def select(self, cuts: Sequence[Cuts | None]) -> Any:
        """Return what is left of the records, in the form of the file: bytes, or a table of Arrow.

        cuts: For each that `documents` yields, what to cut out of its text, see `Fields.cut`; nothing to leave it just
        as it is, None to leave it out.
        """


def _places(value: Any, field: str) -> Iterator[tuple[Any, Any]]:
    """Yield the object or list that holds each value of a field, and the value's key or index in it."""
    if isinstance(value, Mapping):
        if field in value:
            yield value, field
            return
        first, dot, rest = field.partition(".")
        if dot and first in value:
            yield from _places(value[first], rest)
    elif isinstance(value, list):
        first, dot, rest = field.partition(".")
        for index in _indices(value, first):
            if dot:
                yield from _places(value[index], rest)
            else:
                yield value, index


def _indices(values: list[Any], part: str) -> range:
    """Return the indices of the elements that a part of a field's name stands for."""
    if part == "*":
        return range(len(values))
    index = int(part) if part.isdecimal() and len(part) < 10 else len(values)
    return range(index, index + 1) if index < len(values) else range(0)


def _look_up(record: Mapping[str, Any], field: str) -> Any:
    """Return the value of a field, a list of them if its name has a `*`; None where there is none."""
    if field in record:
        return record[field]
    values = [holder[key] for holder, key in _places(record, field)]
    return values if "*" in field.split(".") and values else values[0] if values else None


def _missing(record: Mapping[str, Any], field: str) -> str:
    """Return why a field has no value, with the fields that there are beside the part of its name that is missing."""
    if field in record:
        return f'"{field}" is null'
    parts, values, prefix = field.split("."), [record], ""
    while len(parts) > 1:
        inner = [holder[key] for value in values for holder, key in _places(value, parts[0])]
        inner = [value for value in inner if isinstance(value, Mapping | list)]
        if not inner:
            break
        values, prefix = inner, f"{prefix}{parts.pop(0)}."
    keys = dict.fromkeys(key for value in values for key in (value if isinstance(value, Mapping) else ["*"]))
    return f'no "{field}"{MISSING_FIELD}{", ".join(f"{prefix}{key}" for key in keys) or "nothing"})'


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
