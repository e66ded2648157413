"""A document as callers see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fpdb.arrow_table import ToArrow, import_arrow, table_of
from fpdb.columns import DOCUMENT
from fpdb.errors import NoSuchDocument
from fpdb.storage import file_format
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Document:
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
        return {column.name: getattr(self, column.name) for column in DOCUMENT} | {
            "digest": None if self.digest is None else self.digest.hex(),
            "labels": dict(self.labels),
            "added": self.added.isoformat(timespec="seconds"),
        }


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
    return Document(
        name=file_format.name_text(record.name),
        kind=record.kind,
        boilerplate=document_id >= file_format.FIRST_BOILERPLATE,
        digest=record.digest,
        symbols=record.symbols,
        kgrams=record.kgrams,
        fingerprints=record.fingerprints,
        hashes=record.hashes,
        added=datetime.fromtimestamp(record.added, UTC),
        note=record.note,
        source=record.source,
        contact=record.contact,
        labels=record.labels,
        rotation=record.rotation,
        text_bytes=record.text,
    )


def find_document(snapshot: Snapshot, name: str) -> tuple[int, Record]:
    """Return the id and the record of the document of this name. Raises NoSuchDocument, BadName."""
    document_id = snapshot.catalogue.find(file_format.name_bytes(name))
    if document_id is None:
        raise NoSuchDocument(f"no document is named {name!r}")
    return document_id, snapshot.catalogue.record(document_id)
