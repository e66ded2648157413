"""List documents and their names, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from typing import TYPE_CHECKING, Final

import msgpack
import numpy as np

from fpdb.documents.document import Document, document_of, documents_of
from fpdb.storage import file_format
from fpdb.storage.snapshot import Snapshot

if TYPE_CHECKING:
    from fpdb.regions.sources import Sources

BATCH: Final = 1 << 12  # documents that are looked for together


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
        unpacker = msgpack.Unpacker(unicode_errors="surrogateescape", max_buffer_size=0)
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            unpacker.feed(b"".join(map(pieces.__getitem__, np.searchsorted(ordered, some).tolist())))
            yield from documents_of(some.tolist(), list(unpacker))

    return spool_pieces(map(msgpack.Packer(unicode_errors="surrogateescape").pack, records), read)


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


def list_gone(snapshot: Snapshot, sources: Sources) -> list[Document]:
    """Return the documents, by name, whose files are gone from the folders that are read."""
    gone = [
        document_of(document_id, record)
        for document_id, record in snapshot.catalogue.all_records()
        if sources.is_gone(snapshot, document_id, record)
    ]
    return sorted(gone, key=lambda document: file_format.name_bytes(document.name))
