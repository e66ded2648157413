"""StoredDocuments: what a `Database` says of the documents in it, by their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

import numpy as np

from fpdb.arrays import U32, U64
from fpdb.checked_calls import checked_methods
from fpdb.documents.document import Document, Documents, document_of, find_document
from fpdb.documents.listing import list_documents, list_names, names_of_boilerplate_only
from fpdb.documents.source_access import SourceAccess, sources_of
from fpdb.errors import BadName
from fpdb.storage import file_format
from fpdb.storage.snapshot import Snapshot

T = TypeVar("T")


@checked_methods
class StoredDocuments(ABC):
    """The documents of an open database; sources: the files below which the files that they came from are read."""

    sources: SourceAccess

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Open the latest commit to read from."""

    def __contains__(self, name: object) -> bool:
        """Return True if there is a document of this name, boilerplate included."""
        try:
            return isinstance(name, str) and self.digest(name) is not None
        except BadName:
            return False

    def document(self, name: str) -> Document:
        """Return a document. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            return document_of(*find_document(snapshot, name))

    def text(self, name: str) -> bytes | None:
        """Return the bytes of a document's content, a string's as UTF-8, if it was kept. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            return snapshot.texts.read_bytes(*find_document(snapshot, name))

    def original(self, name: str) -> str | bytes:
        """Return a document's content as it was added: the kept text, else what is in the file that is its source.

        Raises NoSuchDocument; ContentChanged: the file holds another content; Unreadable: it cannot be read, and why.
        """
        with self.snapshot() as snapshot:
            return sources_of([self.sources]).read(snapshot, *find_document(snapshot, name))

    def fingerprints(self, name: str) -> tuple[U64, U32 | None]:
        """Return the hashes that are stored of a document, and their positions; both shape (n,), sorted by position.

        Positions are None if none is stored; 2**32 - 1 stands for one that is missing. Reads all of the document's run.
        Raises NoSuchDocument.
        """
        from fpdb.storage.posting_scan import scan_documents

        with self.snapshot() as snapshot:
            document_id, _ = find_document(snapshot, name)
            ((_, hashes, encoded),) = scan_documents(snapshot, np.array([document_id], np.uint32))
        if not encoded.any():
            return hashes, None
        positions = encoded - np.uint32(1)
        order = np.lexsort((hashes, positions))
        return hashes[order], positions[order]

    def boilerplate_in(self, name: str) -> int:
        """Return how many of a document's distinct hashes are boilerplate. Raises NoSuchDocument."""
        with self.snapshot() as snapshot:
            document_id, _ = find_document(snapshot, name)
            return int(snapshot.catalogue.sizes(np.array([document_id], np.uint32))["boilerplate"][0])

    def only_boilerplate(self) -> list[str]:
        """Return the names, sorted, of the documents that match nothing since all of their hashes are boilerplate."""
        with self.snapshot() as snapshot:
            return names_of_boilerplate_only(snapshot)

    def documents(self, glob: str | None = None) -> Documents:
        """Yield all documents by name, boilerplate included, or those whose names match a shell pattern (* ? []).

        They are those of the commit that is the newest when the first is asked for; all are read then.
        """
        return Documents(iterate(self.snapshot, lambda snapshot: list_documents(snapshot, glob)))

    def names(self, glob: str | None = None) -> Iterator[str]:
        """Yield the names of what `documents` yields, many times as fast."""
        return iterate(self.snapshot, lambda snapshot: list_names(snapshot, glob))

    def digest(self, name: str) -> bytes | None:
        """Return the digest of a document's content, or None if there is no such document."""
        with self.snapshot() as snapshot:
            document_id = snapshot.catalogue.find(file_format.name_bytes(name))
            return None if document_id is None else snapshot.catalogue.record(document_id).digest


def iterate(
    open_snapshot: Callable[[], AbstractContextManager[Snapshot]], results: Callable[[Snapshot], Iterator[T]]
) -> Iterator[T]:
    """Iterate over results of the commit that is the newest when the first is asked for.

    They need no snapshot once they are there. The caller may take his time, and while a snapshot is open, no page
    that commits free can be used again.
    """
    with open_snapshot() as snapshot:
        taken = results(snapshot)
    yield from taken
