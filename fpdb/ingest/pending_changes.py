"""PendingChanges: the changes of a batch until they are committed, over the snapshot with which it began."""

from __future__ import annotations

from collections.abc import Collection
from operator import itemgetter

from fpdb.ingest.existing import Existing, Status, described_as
from fpdb.storage.commit import Change
from fpdb.storage.document_columns import DocumentColumns, PreparedDocument
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.texts import KeptText


class PendingChanges:
    """Changes by the names of documents, and what is stored under names that have none.

    Attributes:
        postings: The number of postings of the documents that are added, repeated ones included.
        text_bytes: The size of the kept texts that are added, compressed.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        """Begin without changes."""
        self._snapshot = snapshot
        self._catalogue = snapshot.catalogue
        self._documents: dict[bytes, PreparedDocument] = {}
        self._columns: list[DocumentColumns] = []
        """New documents, which join the others when one of them is asked for."""
        self._updates: dict[bytes, Record] = {}
        self._removals: set[bytes] = set()
        self._texts: dict[bytes, KeptText] = {}
        """Of documents that are stored already."""
        self._stored_ids: dict[bytes, int | None] = {}
        """Of the names that were looked up last; the snapshot does not change."""
        self.postings = 0
        self.text_bytes = 0

    def look_up(self, keys: Collection[bytes]) -> None:
        """Find the documents of names that are asked for next: faster than one by one."""
        self._stored_ids = {**dict.fromkeys(keys), **self._catalogue.find_all(keys)}

    def existing(self, key: bytes) -> Existing | None:
        """Return the document that has this name now; None if there is none."""
        pending = self._added.get(key)
        if pending is not None:
            return Existing(pending.record, pending.boilerplate, pending.text is not None, None)
        document_id = self._stored_id(key)
        if document_id is None:
            return None
        record = self._updates.get(key) or self._catalogue.record(document_id)
        return Existing.stored(document_id, record, text_is_pending=key in self._texts)

    def untouched(self, keys: Collection[bytes]) -> dict[bytes, Existing]:
        """Return the stored documents that have these names, and no changes; records are read in stored order."""
        ids = self._catalogue.find_all(set(keys) - self.touched())
        in_order = sorted(ids.items(), key=itemgetter(1))
        return {key: Existing.stored(number, self._catalogue.record(number)) for key, number in in_order}

    def text(self, existing: Existing) -> KeptText | None:
        """Return the kept text of a document."""
        key = existing.record.name
        if existing.document_id is None:
            return self._added[key].text
        return self._texts.get(key) or self._snapshot.texts.kept(existing.document_id, existing.record)

    def touched(self) -> set[bytes]:
        """Return the names that have changes."""
        names = (columns.names for columns in self._columns)
        return self._removals.union(self._documents, self._updates, self._texts, *names)

    def present(self, keys: Collection[bytes]) -> set[bytes]:
        """Return those of the names that a document has now."""
        stored = self._catalogue.find_all(keys).keys() - self._removals
        return stored | (self._added.keys() & keys)

    def store(self, document: PreparedDocument, existing: Existing | None) -> None:
        """Add a document in the place of the one that has its name, if there is one."""
        key = document.record.name
        if existing is not None:
            self._forget(key)
        self._added[key] = document
        self.postings += len(document.hashes)
        if document.text is not None:
            self.text_bytes += len(document.text.packed)

    def store_columns(self, columns: DocumentColumns) -> None:
        """Add documents of names that are neither stored nor touched."""
        self._columns.append(columns)
        self.postings += int(columns.offsets[-1] - columns.offsets[0])

    def remove(self, key: bytes) -> bool:
        """Remove a document; return False if there is none of this name."""
        stored = self._stored_id(key)
        if stored is None and key not in self._added:
            return False
        self._forget(key)
        if stored is not None:
            self._removals.add(key)
        return True

    def update(self, existing: Existing, status: Status, record: Record, text: KeptText | None) -> Status:
        """Bring a document of the same content up to date: its description, and its text where that is missing."""
        key = record.name
        if status == "updated":
            described = described_as(existing.record, record)
            if existing.document_id is None:
                self._added[key] = self._added[key]._replace(record=described)
            else:
                self._updates[key] = described
        if text is None or existing.has_text:
            return status
        if existing.document_id is None:
            self._added[key] = self._added[key]._replace(text=text)
        else:
            self._texts[key] = text
        self.text_bytes += len(text.packed)
        return "updated"

    def change(self) -> Change:
        """Return all changes as one."""
        return Change(
            list(self._documents.values()),
            list(self._updates.values()),
            list(self._removals - self._documents.keys()),
            self._texts,
            columns=self._columns,
        )

    @property
    def _added(self) -> dict[bytes, PreparedDocument]:
        """The documents that are added, by name."""
        for columns in self._columns:
            self._documents.update((document.record.name, document) for document in columns.documents())
        self._columns.clear()
        return self._documents

    def _stored_id(self, key: bytes) -> int | None:
        if key in self._removals:
            return None
        if key not in self._stored_ids:
            self.look_up([key])
        return self._stored_ids[key]

    def _forget(self, key: bytes) -> None:
        """Drop the changes of a document."""
        pending = self._added.pop(key, None)
        text = self._texts.pop(key, None)
        if pending is not None:
            self.postings -= len(pending.hashes)
            text = pending.text
        if text is not None:
            self.text_bytes -= len(text.packed)
        self._updates.pop(key, None)
