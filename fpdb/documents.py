"""Documents as callers see them, and where their contents are read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import translate
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgpack
import numpy as np

from fpdb.arrow_table import ToArrow, import_arrow, table_of
from fpdb.columns import DOCUMENT
from fpdb.errors import NoSuchDocument
from fpdb.storage import file_format
from fpdb.storage.environment.files import BESIDE
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot

if TYPE_CHECKING:
    from fpdb.regions.sources import Sources


BATCH: Final = 1 << 12  # documents that are looked for together


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


def list_documents(snapshot: Snapshot, glob: str | None) -> Iterator[Document]:
    """Return all documents by name, boilerplate included, or those whose names match a shell pattern.

    The iterator needs no snapshot any more.
    """
    from fpdb.spool import Pieces, spool_pieces  # a query needs it not

    ids = np.fromiter((document_id for _, document_id in _entries(snapshot, glob)), np.uint32)
    ordered = np.sort(ids)
    # Records that are neighbours by number are stored together, so they are read in this order; by name, each is apart.
    records = map(snapshot.catalogue.record, ordered.tolist())

    def read(pieces: Pieces) -> Iterator[Document]:
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            for document_id, place in zip(some.tolist(), np.searchsorted(ordered, some).tolist(), strict=True):
                values = msgpack.unpackb(pieces[place], unicode_errors="surrogateescape")
                yield document_of(document_id, Record(*values))

    return spool_pieces((msgpack.packb(record, unicode_errors="surrogateescape") for record in records), read)


def list_names(snapshot: Snapshot, glob: str | None) -> Iterator[str]:
    """Return the names of `list_documents`, of which no record is read unless the name is very long."""
    from fpdb.spool import spool

    return map(file_format.name_text, spool((name for name, _ in _entries(snapshot, glob)), bytes, bytes))


def _entries(snapshot: Snapshot, glob: str | None) -> Iterator[tuple[bytes, int]]:
    """Return the names that match a shell pattern, or all, in order, with the ids of their documents."""
    entries = snapshot.catalogue.names_after(literal_prefix(glob or "*"))
    if glob is None:
        return entries
    matches = re.compile(translate(glob)).match
    return (entry for entry in entries if matches(file_format.name_text(entry[0])))


def literal_prefix(glob: str) -> bytes:
    """Return what every name that matches the pattern begins with."""
    wildcard = re.search(r"[*?\[]", glob)
    literal = glob[: wildcard.start() if wildcard else None]
    try:
        return literal.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:  # no name has that character
        return literal[: error.start].encode("utf-8", "surrogateescape")


def names_of_boilerplate_only(snapshot: Snapshot) -> list[str]:
    """Return the names, sorted, of the ordinary documents whose hashes are all boilerplate."""
    document_ids = snapshot.catalogue.live_ids()
    document_ids = document_ids[document_ids < file_format.FIRST_BOILERPLATE]
    sizes = snapshot.catalogue.sizes(document_ids)
    discarded = document_ids[(sizes["hashes"] > 0) & (sizes["hashes"] == sizes["boilerplate"])]
    names = sorted(snapshot.catalogue.record(document_id).name for document_id in discarded.tolist())
    return list(map(file_format.name_text, names))


class SourceAccess(NamedTuple):
    """The files below which the sources of a database's documents may be read.

    Attributes:
        path: The database.
        roots: Absolute paths, or None for those that the user's folder remembers for the database.
    """

    path: str
    roots: tuple[str, ...] | None


def source_roots(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the absolute paths of roots, see `spellings`. Raises ValueError."""
    from fpdb.regions.source_roots import spellings

    return spellings(paths)


def pass_on_roots(file_id: bytes, to: bytes) -> None:
    """Remember for a file the paths that are remembered for another one, whose documents it has; both by their ids."""
    from fpdb.regions.remembered_roots import remember, remembered

    remember(to, remembered(file_id))


def sources_of(
    databases: Sequence[SourceAccess],
    texts: TextLookup | None = None,
    database_of: Callable[[int], int] = lambda _: 0,
) -> Sources:
    """Return what reads the contents of the documents of databases: through `texts`, if it is given.

    database_of: tells by the id of a document the index of its database.
    """
    from fpdb.regions.remembered_roots import remembered
    from fpdb.regions.source_roots import SourceRoots, identify
    from fpdb.regions.sources import Sources

    own = identify([access.path + suffix for access in databases for suffix in ("", *BESIDE)])

    @cache
    def roots_of(index: int, file_id: bytes) -> SourceRoots:
        roots = databases[index].roots
        return SourceRoots(remembered(file_id) if roots is None else roots, own)

    given = None if texts is None else lambda number, record: texts(document_of(number, record))
    return Sources(lambda reader, number: roots_of(database_of(number), reader.file_id(number)), given)
