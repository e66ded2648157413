"""What a database has of a document that comes again: whatever is not stated of the document stays as it was."""

from typing import NamedTuple

from fpdb.fingerprint import AUTO, KINDS, Recipe
from fpdb.ingest.prepare import ReadDocument, check_texts
from fpdb.readers.encodings import ENCODED_KINDS, encoding_name, given_encoding
from fpdb.readers.kinds import BINARY_KINDS
from fpdb.storage.records import NO_LABELS, Record


class Traits(NamedTuple):
    """Properties that a document keeps, and that its fingerprints depend on, where they are not stated anew."""

    kind: str
    boilerplate: bool
    has_text: bool


class Existing(NamedTuple):
    """The document that has a name now, added by the batch or stored; document_id: None if it was added."""

    record: Record
    boilerplate: bool
    has_text: bool
    """Its text is kept."""
    document_id: int | None

    @property
    def traits(self) -> Traits:
        """The properties that its successor keeps."""
        return Traits(self.record.kind, self.boilerplate, self.has_text)

    def was_added_since(self, next_ids: tuple[int, int]) -> bool:
        """Return True if it was added by this batch, or since these were the `WriteBatch.next_ids`."""
        return self.document_id is None or self.document_id >= next_ids[self.boilerplate]


def complete(record: Record, existing: Existing | None) -> Record:
    """Fill in source, contact and labels that a new record does not state; an empty string takes one away.

    Raises BadLabel if these are too many together.
    """
    source, contact, labels = record.source, record.contact, record.labels
    if existing is None and source is None and contact is None and not labels:
        return record
    if existing is not None:
        old = existing.record
        source = old.source if source is None else source
        contact = old.contact if contact is None else contact
        labels = {**old.labels, **labels} if labels and old.labels else labels or old.labels
    if source == "" or contact == "" or "" in labels.values():
        source, contact = source or None, contact or None
        labels = {key: value for key, value in labels.items() if value or key not in record.labels} or NO_LABELS
    if source is record.source and contact is record.contact and labels is record.labels:
        return record
    check_texts(record.kind, source, contact, labels)
    return record._replace(source=source, contact=contact, labels=labels)


def applied_encoding(encoding: str | None, kind: str, document: ReadDocument, existing: Existing | None) -> str | None:
    """Return the encoding in which a document of this kind is read: the stated one, else that of the same content.

    Raises Unreadable: there is no such encoding.
    """
    if kind not in ENCODED_KINDS or isinstance(document.content, str):
        return None
    if encoding is None and existing is not None and existing.record.digest == document.digest:
        return given_encoding(existing.record.note)
    return None if encoding is None else encoding_name(encoding)


def is_described_by(record: Record, document: ReadDocument) -> bool:
    """Return True if a stored record has the content of a document, and all that is stated of it, kind aside."""
    description = document.description
    source, labels = description.source, description.labels
    if document.digest != record.digest:
        return False
    if source is not None and source != record.source:
        from fpdb.ingest.redact_url import redact_url

        if redact_url(source) != (record.source or ""):
            return False
    if description.contact is not None and description.contact != (record.contact or ""):
        return False
    return not labels or all(record.labels.get(key, "") == value for key, value in labels.items())


def resolve_kind(recipe: Recipe, kind: str, document: ReadDocument, existing: Existing | None) -> str:
    """Return the kind of a document: the stated one, else for "auto" the one that it had, else the detected one.

    What is told by its bytes, such as PDF, is not read as another kind because its predecessor was.
    """
    if kind != AUTO:
        return kind
    detected = recipe.resolve_kind(AUTO, document.content, document.description.name)
    if existing is None or existing.record.kind not in KINDS:
        return detected
    return existing.record.kind if BINARY_KINDS.isdisjoint((existing.record.kind, detected)) else detected
