"""WriteBatch: changes to a database that become one commit, each compared with what is stored when it comes in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import get_args

from fpdb.checked_calls import checked
from fpdb.errors import ContentChanged, Error, NoSuchDocument
from fpdb.fingerprint import Recipe, content_digest
from fpdb.ingest.document_frequencies import document_frequencies
from fpdb.ingest.existing import (
    CHANGED,
    Existing,
    Stated,
    Status,
    changes_nothing,
    classify,
    complete,
    described_as,
    name_key,
    revise,
    rotated,
)
from fpdb.ingest.files import InputDocument
from fpdb.ingest.hash_columns import HashColumns, Strings
from fpdb.ingest.pending_changes import PendingChanges
from fpdb.ingest.prepare import Integers, PrepareOptions, ReadDocument, prepare, prepare_hashes, purpose_of
from fpdb.options import Rarity
from fpdb.storage import file_format
from fpdb.storage.commit import Change
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.texts import check_packages, pack


class WriteBatch:
    """Changes that become one commit; made by `Database.batch`.

    It sees the database as it was when the batch began, and its own changes. It keeps them in memory, and needs about
    60 bytes a posting while it commits.
    """

    def __init__(self, recipe: Recipe, snapshot: Snapshot) -> None:
        """Begin without changes; the snapshot must stay open until `end` has been called."""
        self._recipe = recipe
        self._snapshot = snapshot
        self._catalogue = snapshot.catalogue
        self._changes: PendingChanges | None = PendingChanges(snapshot)

    @property
    def postings(self) -> int:
        """The number of postings of the documents that are added, repeated ones included."""
        return self._pending.postings

    @property
    def text_bytes(self) -> int:
        """The size of the kept texts that are added, compressed."""
        return self._pending.text_bytes

    def put(self, document: PreparedDocument, *, as_is: bool = False, drop_text: bool = False) -> Status:
        """Add a document, or replace the one of its name.

        If the content is stored already, only bring its description up to date, and keep its text if none was kept.

        Args:
            document: Made with this database's recipe.
            as_is: The record is all that is known of the document: nothing of an existing one stays, and one that
                stores another rotation of its fingerprints is replaced. Else source, contact and labels stay that
                the record does not state; an empty string takes one away.
            drop_text: Replace a document whose text is kept, if the new one has none.

        Raises:
            ContentChanged: Record and text are of different contents.
            BadLabel: The labels are too many, together with those that stay.
        """
        record, text = document.record, document.text
        if text is not None and text.digest != record.digest:
            name = file_format.name_text(record.name)
            raise ContentChanged(f"the text given to be kept for {name!r} is not what its digest stands for")
        existing = self._pending.existing(record.name)
        if not as_is and (completed := complete(record, existing)) is not record:
            document, record = document._replace(record=completed), completed
        if existing is None:
            self._pending.store(document, None)
            return "added"
        status = classify(record, document.boilerplate, existing)
        is_outdated = (as_is and existing.record.rotation != record.rotation) or (
            drop_text and text is None and existing.has_text
        )
        if status == "replaced" or is_outdated:
            self._pending.store(document, existing)
            return "replaced"
        return self._pending.update(existing, status, record, text)

    @checked
    def add(  # noqa: PLR0913 (independent options, of which a call names a few)
        self,
        name: str,
        content: str | bytes,
        *,
        kind: str = "auto",
        rarity: Rarity = "document",
        boilerplate: bool | None = None,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
        keep_text: bool | None = None,
        encoding: str | None = None,
        if_absent: bool = False,
    ) -> Status:
        """Add a document, or replace the one of this name; what is not stated, or None, stays as it was.

        Args:
            name: The document's name.
            content: Its content; a string counts as its UTF-8.
            kind: One of `fingerprint.KINDS`; by default the one that the document has, else what name and content say.
            rarity: What the scheme koala takes for rare: k-grams whose beginnings are few in the document, or which few
                documents of the database hold (Heintze 1996, section 6.1); other schemes take no notice.
            boilerplate: Discard all of the document's k-grams wherever they occur.
            source: Where it came from, a path or URL, which is stored without credentials; "" for nowhere.
            contact: Whom to ask about it; "" for nobody.
            labels: Any strings, by name, beside the labels that the document has; "" takes a label away.
            keep_text: Also keep the content, compressed, as `Database.text` gives it back.
            encoding: See `Recipe.fingerprint`; by default the one that the same content had.
            if_absent: Leave a document of this name as it is, "unchanged", whatever it holds.

        Raises:
            BadName, BadLabel: What is said of the document cannot be stored.
            UnknownKind, Unreadable, MissingPackage, MissingKey: The content cannot be fingerprinted or kept.
        """
        description = InputDocument(name, source=source, contact=contact, labels=labels)
        document = ReadDocument(description, content, content_digest(content))
        existing = self._pending.existing(file_format.name_bytes(name))
        if existing is not None and if_absent:
            return "unchanged"
        revision = revise(self._recipe, document, Stated(kind, boilerplate, keep_text, encoding), existing)
        if revision.keep_text:
            check_packages()
        if existing is not None and revision.status not in CHANGED:
            text = pack(content) if revision.keep_text and not existing.has_text else None
            return self._pending.update(existing, revision.status, revision.record, text)
        frequencies = document_frequencies(self._snapshot) if rarity == "corpus" else None
        options = PrepareOptions(
            purpose_of(revision.boilerplate), revision.keep_text, frequencies, encoding=revision.encoding
        )
        prepared = prepare(self._recipe, document, revision.record.kind, options)
        self._pending.store(prepared._replace(record=described_as(prepared.record, revision.record)), existing)
        return revision.status

    @checked
    def add_fingerprints(  # noqa: PLR0913 (independent options, of which a call names a few)
        self,
        name: str,
        hashes: Integers,
        positions: Integers | None = None,
        *,
        kind: str | None = None,
        digest: bytes | None = None,
        boilerplate: bool | None = None,
        source: str | None = None,
        contact: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Status:
        """Add a document of the caller's own hashes, or replace the one of this name; see `add` and `prepare_hashes`.

        hashes: Any uint64, shape (n,), in any order, repeats allowed. positions: From 0 to 2**32 - 2, shape (n,).
        kind: Any word, by default "hashes". digest: 16 bytes that stand for the content, by default a digest of the
        arrays. Raises BadName, BadLabel, BadFingerprints.
        """
        existing = self._pending.existing(file_format.name_bytes(name))
        if boilerplate is None:
            boilerplate = existing is not None and existing.boilerplate
        if kind is None:
            kind = "hashes" if existing is None else existing.record.kind
        description = InputDocument(name, None, None, 0, kind, source, contact, labels)
        return self.put(prepare_hashes(description, hashes, positions, digest=digest, boilerplate=boilerplate))

    @checked
    def add_columns(  # noqa: PLR0913 (independent columns, of which a call names a few)
        self,
        names: Strings,
        offsets: Integers,
        hashes: Integers,
        positions: Integers | None = None,
        labels: Mapping[str, Strings] | None = None,
        *,
        kind: str | None = None,
        boilerplate: bool | None = None,
    ) -> dict[Status, int]:
        """Add many documents of the caller's own hashes, as `add_fingerprints` does one by one, only faster.

        Columns are arrays of NumPy, Arrow, pandas or Polars, or lists.

        Args:
            names: The documents' names, shape (documents,).
            offsets: The index of each document's first hash, ascending, and the index behind the last one's hashes;
                shape (documents + 1,).
            hashes: uint64, those of one document after the other's, shape (n,).
            positions: Of the hashes, shape (n,).
            labels: The values of each label, by its key, shape (documents,); None for a document that has it not.
            kind: What is said of all of them, by default "hashes"; see `add_fingerprints`.
            boilerplate: See `add`.

        Returns:
            The number of documents of each status.

        Raises:
            BadName, BadLabel, BadFingerprints: A column is wrong.
        """
        return self.put_columns(HashColumns.of(names, offsets, hashes, positions, labels), kind, boilerplate)

    def put_columns(self, columns: HashColumns, kind: str | None, boilerplate: bool | None) -> dict[Status, int]:
        """Add documents, see `add_columns`; the arrays must not change before the commit."""
        keys = file_format.names_bytes(columns.names)
        are_different = 0 < len(keys) == len(set(keys))
        if are_different and self._pending.touched().isdisjoint(keys) and not self._catalogue.find_all(keys):
            self._pending.store_columns(columns.in_columns(keys, kind or "hashes", boilerplate=bool(boilerplate)))
            return {"added": len(keys), "replaced": 0, "updated": 0, "unchanged": 0}
        counts = Counter(
            self.add_fingerprints(name, hashes, positions, kind=kind, boilerplate=boilerplate, labels=labels)
            for name, hashes, positions, labels in columns.rows()
        )
        return {status: counts[status] for status in get_args(Status)}

    @checked
    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Store another subset of a document's search fingerprints.

        So nobody can tell for long which passages are stored (Heintze 1996, section 3.3). Searching does not change.

        Args:
            name: The document's name.
            content: Its content; whether the text is kept does not change.
            rotation: The number of the subset, by default the next one.

        Returns:
            The number of the subset.

        Raises:
            NoSuchDocument, ContentChanged: There is no document of this name and content.
            BadRecipe: The scheme does not rotate.
        """
        existing = self._pending.existing(file_format.name_bytes(name))
        if existing is None:
            raise NoSuchDocument(f"no document is named {name!r}")
        rotation = existing.record.rotation + 1 if rotation is None else rotation
        document = rotated(self._recipe, existing, content, rotation)
        self._pending.store(document._replace(text=self._pending.text(existing)), existing)
        return rotation

    @checked
    def remove(self, name: str) -> None:
        """Remove a document. Raises NoSuchDocument."""
        if not self._pending.remove(file_format.name_bytes(name)):
            raise NoSuchDocument(f"no document is named {name!r}")

    def match_stored(
        self,
        documents: Sequence[ReadDocument],
        *,
        boilerplate: bool | None = None,
        keep_text: bool | None = None,
        encoding: str | None = None,
    ) -> list[tuple[Existing | None, bool]]:
        """Return for each document the existing one of its name, and True if adding it is known to change nothing.

        Documents that this batch has changed itself count as not known, and so do names that no document can have.
        Nothing is fingerprinted. Records are read in stored order.
        """
        keys = [name_key(document.description.name) for document in documents]
        touched = self._pending.touched()
        stored = self._pending.untouched({key for key in keys if key is not None})
        matches: list[tuple[Existing | None, bool]] = []
        for document, key in zip(documents, keys, strict=True):
            existing = None if key is None else stored.get(key)
            if existing is None:
                matches.append((self._pending.existing(key) if key is not None and key in touched else None, False))
                continue
            stated = Stated(document.description.kind, boilerplate, keep_text, encoding)
            matches.append((existing, changes_nothing(self._recipe, document, stated, existing)))
        return matches

    def present(self, names: Iterable[str]) -> set[str]:
        """Return those of the names that a document has now."""
        keys = {name: key for name in names if (key := name_key(name)) is not None}
        present = self._pending.present(set(keys.values()))
        return {name for name, key in keys.items() if key in present}

    @property
    def next_ids(self) -> tuple[int, int]:
        """The ids of the next document, and of the next boilerplate document, when the batch began."""
        return self._snapshot.state.next_document, self._snapshot.state.next_boilerplate

    @property
    def is_empty_database(self) -> bool:
        """True if nothing was stored when the batch began."""
        state = self._snapshot.state
        return not (state.documents or state.boilerplate_documents)

    def look_up(self, keys: Collection[bytes]) -> None:
        """Find the documents of names that are asked for next: faster than one by one."""
        self._pending.look_up(keys)

    def existing(self, key: bytes) -> Existing | None:
        """Return the document that has this name now; None if there is none."""
        return self._pending.existing(key)

    def change(self) -> Change:
        """Return all changes as one."""
        return self._pending.change()

    def end(self) -> Change:
        """Return all changes as one; the batch takes no more of them."""
        change, self._changes = self.change(), None
        return change

    @property
    def _pending(self) -> PendingChanges:
        if self._changes is None:
            raise Error("the block of this batch has ended: make the changes in it, or in another batch")
        return self._changes
