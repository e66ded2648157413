"""Documents as callers see them, and where their contents are had from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fpdb.columns import DOCUMENT
from fpdb.storage import file_format
from fpdb.storage.environment.files import BESIDE
from fpdb.storage.records import Record

if TYPE_CHECKING:
    from fpdb.regions.sources import Sources


@dataclass(frozen=True, slots=True)
class Document:
    """A document in the catalogue.

    digest: of its content. symbols, kgrams, fingerprints: how many it has. hashes: distinct hashes among the
    fingerprints. added: when, in UTC. note: how it was read. rotation: which subset of its search fingerprints is
    stored, where the scheme rotates. text_bytes: how long its text is, where it is kept.
    """

    name: str
    kind: str
    boilerplate: bool
    digest: bytes
    symbols: int
    kgrams: int
    fingerprints: int
    hashes: int
    added: datetime
    note: str
    source: str | None
    contact: str | None
    labels: Mapping[str, str]
    rotation: int
    text_bytes: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb list --format json` prints it."""
        return {column.name: getattr(self, column.name) for column in DOCUMENT} | {
            "digest": None if self.digest is None else self.digest.hex(),
            "labels": dict(self.labels),
            "added": self.added.isoformat(timespec="seconds"),
        }


def document_of(number: int, record: Record) -> Document:
    """What the record of a document says."""
    return Document(
        name=record.name.decode("utf-8", "surrogateescape"),
        kind=record.kind,
        boilerplate=number >= file_format.FIRST_BOILERPLATE,
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


def sources_of(paths: Iterable[str], texts: Callable[[Document], str | bytes | None] | None = None) -> Sources:
    """Where contents of the documents of databases are had from: what the caller gives, if he gives them."""
    from fpdb.regions.originals import identify
    from fpdb.regions.sources import Sources

    own = identify([os.path.realpath(path) + suffix for path in paths for suffix in ("", *BESIDE)])
    return Sources(own, None if texts is None else lambda number, record: texts(document_of(number, record)))
