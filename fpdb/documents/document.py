"""A document as callers see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from fpdb.arrow_table import ToArrow, import_arrow, table_of
from fpdb.columns import DOCUMENT
from fpdb.errors import NoSuchDocument
from fpdb.storage import file_format
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot


class Document(NamedTuple):
    """A document in the catalogue."""

    name: str
    kind: str
    boilerplate: bool  # its fingerprints are discarded wherever they occur
    digest: bytes  # of its content
    symbols: int
    kgrams: int
    fingerprints: int
    hashes: int  # distinct ones
    added: datetime  # in UTC
    note: str  # how it was read
    source: str | None  # where it came from
    contact: str | None  # whom to ask about it
    labels: Mapping[str, str]
    rotation: int  # which subset of its search fingerprints is stored, if the scheme rotates
    text_bytes: int | None  # the length of its text, if that is kept

    @property
    def encoding(self) -> str | None:
        """The encoding that was given for its bytes; None if none was."""
        from fpdb.readers.encodings import given_encoding

        return given_encoding(self.note)

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb list --format json` prints it."""
        values = dict(zip(_COLUMNS, _values(self), strict=True))
        values["digest"] = self.digest.hex()
        values["labels"] = dict(self.labels)
        values["added"] = _time_text(self.added)
        return values


_COLUMNS: Final = [column.name for column in DOCUMENT]
_values: Final = attrgetter(*_COLUMNS)


class Documents(Iterator[Document], ToArrow):
    """Documents in order; they are those of one commit, and are read when the first is asked for."""

    def __init__(self, documents: Iterator[Document]) -> None:
        """Take what yields them."""
        self._documents = documents

    def __next__(self) -> Document:
        """Return the next document."""
        return next(self._documents)

    def to_arrow(self) -> Any:
        """Return the documents that are still to come as a table, see `ToArrow`; labels are a map."""
        arrow, documents = import_arrow(), list(self)
        columns = tuple(column for column in DOCUMENT if column.name not in ("digest", "labels", "added"))
        table = table_of(columns, documents)
        added = arrow.array([document.added for document in documents], arrow.timestamp("s", "UTC"))
        labels = [list(document.labels.items()) for document in documents]
        table = table.append_column("labels", arrow.array(labels, arrow.map_(arrow.string(), arrow.string())))
        table = table.append_column("digest", arrow.array([each.digest for each in documents], arrow.binary()))
        return table.append_column("added", added)


TextLookup = Callable[[Document], str | bytes | None]
"""Gives a document's content, or None."""


def document_of(document_id: int, record: Record) -> Document:
    """Return what the record of a document says."""
    return documents_of([document_id], [record])[0]


def documents_of(document_ids: Sequence[int], records: Sequence[Sequence[Any]]) -> list[Document]:
    """Return what the records of documents, of which there is one, say."""
    names, kinds, digests, symbols, kgrams, fingerprints, hashes, added, *rest = zip(*records, strict=True)
    boilerplate = map(file_format.FIRST_BOILERPLATE.__le__, document_ids)
    counts = symbols, kgrams, fingerprints, hashes
    columns = map(file_format.name_text, names), kinds, boilerplate, digests, *counts, map(_time, added), *rest
    return list(map(Document._make, zip(*columns, strict=True)))


@lru_cache(1 << 10)
def _time(added: int) -> datetime:
    return datetime.fromtimestamp(added, UTC)


@lru_cache(1 << 10)
def _time_text(added: datetime) -> str:
    return added.isoformat(timespec="seconds")


def find_document(snapshot: Snapshot, name: str) -> tuple[int, Record]:
    """Return the id and the record of the document of this name. Raises NoSuchDocument, BadName."""
    document_id = snapshot.catalogue.find(file_format.name_bytes(name))
    if document_id is None:
        raise NoSuchDocument(f"no document is named {name!r}")
    return document_id, snapshot.catalogue.record(document_id)
