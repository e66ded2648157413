"""What a database has of a document that comes again: whatever is not stated of the document stays as it was."""

from typing import Final, Literal, NamedTuple, Self

from fpdb.errors import BadName, ContentChanged
from fpdb.fingerprint import AUTO, KINDS, Recipe, content_digest
from fpdb.ingest.files import InputDocument
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, check_texts, describe, prepare, purpose_of
from fpdb.readers.encodings import ENCODED_KINDS, encoding_name, given_encoding, note_given
from fpdb.readers.kinds import BINARY_KINDS
from fpdb.storage import file_format
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.records import NO_LABELS, Record

Status = Literal["added", "replaced", "updated", "unchanged"]
CHANGED: Final = ("added", "replaced")


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

    @classmethod
    def stored(cls, document_id: int, record: Record, *, text_is_pending: bool = False) -> Self:
        """Return a stored document; text_is_pending: its text is to be kept from now on."""
        has_text = record.text is not None or text_is_pending
        return cls(record, document_id >= file_format.FIRST_BOILERPLATE, has_text, document_id)

    @property
    def traits(self) -> Traits:
        """The properties that its successor keeps."""
        return Traits(self.record.kind, self.boilerplate, self.has_text)

    def was_added_since(self, next_ids: tuple[int, int]) -> bool:
        """Return True if it was added by this batch, or since these were the `WriteBatch.next_ids`."""
        return self.document_id is None or self.document_id >= next_ids[self.boilerplate]


class Stated(NamedTuple):
    """Properties as a caller states them of a document; None for what stays as it was."""

    kind: str  # or "auto"
    boilerplate: bool | None
    keep_text: bool | None
    encoding: str | None


class Revision(NamedTuple):
    """The outcome for a document that is added, perhaps again."""

    status: Status
    record: Record  # as far as it is known without fingerprints
    boilerplate: bool
    keep_text: bool
    encoding: str | None


def revise(recipe: Recipe, document: ReadDocument, stated: Stated, existing: Existing | None) -> Revision:
    """Return what a document becomes in the place of the existing one of its name.

    Raises BadName, BadLabel, UnknownKind; Unreadable: there is no such encoding.
    """
    kind = resolve_kind(recipe, stated.kind, document, existing)
    encoding = applied_encoding(stated.encoding, kind, document, existing)
    note = "" if encoding is None else note_given("", encoding)
    record = complete(describe(document.description, kind, document.digest, note=note), existing)
    if existing is None:
        return Revision("added", record, bool(stated.boilerplate), bool(stated.keep_text), encoding)
    boilerplate = existing.boilerplate if stated.boilerplate is None else stated.boilerplate
    keep_text = existing.has_text if stated.keep_text is None else stated.keep_text
    is_dropped = existing.has_text and not keep_text
    status = "replaced" if is_dropped else classify(record, boilerplate, existing)
    return Revision(status, record, boilerplate, keep_text, encoding)


def classify(record: Record, boilerplate: bool, existing: Existing) -> Status:
    """Compare a new record with the existing document of its name."""
    old = existing.record
    if given_encoding(record.note) not in (None, given_encoding(old.note)):
        return "replaced"
    if (old.kind, old.digest, existing.boilerplate) != (record.kind, record.digest, boilerplate):
        return "replaced"
    if (old.source, old.contact, old.labels) != (record.source, record.contact, record.labels):
        return "updated"
    return "unchanged"


def described_as(record: Record, other: Record) -> Record:
    """Return a record with what is said of the document in another one."""
    return record._replace(source=other.source, contact=other.contact, labels=other.labels)


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


def changes_nothing(recipe: Recipe, document: ReadDocument, stated: Stated, existing: Existing) -> bool:
    """Return True if adding a document in the place of the existing one is known to change nothing."""
    record = existing.record
    return (
        stated.boilerplate in (None, existing.boilerplate)
        and stated.keep_text in (None, existing.has_text)
        and _is_described_by(record, document)
        and applied_encoding(stated.encoding, record.kind, document, existing) == given_encoding(record.note)
        and resolve_kind(recipe, stated.kind, document, existing) == record.kind
    )


def _is_described_by(record: Record, document: ReadDocument) -> bool:
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


def name_key(name: str) -> bytes | None:
    """Return a name as stored; None for one that no document can have."""
    try:
        return file_format.name_bytes(name)
    except BadName:
        return None


def rotated(recipe: Recipe, existing: Existing, content: str | bytes, rotation: int) -> PreparedDocument:
    """Return a document of the same content with another subset of its fingerprints.

    Raises ContentChanged: it is another content; BadRecipe: the scheme does not rotate.
    """
    record, digest = existing.record, content_digest(content)
    name = file_format.name_text(record.name)
    if digest != record.digest:
        raise ContentChanged(f"{name!r} is another text than the one that was added; add it anew")
    description = InputDocument(
        name, kind=record.kind, source=record.source, contact=record.contact, labels=record.labels
    )
    options = PrepareOptions(purpose_of(existing.boilerplate), rotation=rotation, encoding=given_encoding(record.note))
    document = prepare(recipe, ReadDocument(description, content, digest), record.kind, options)
    return document._replace(record=document.record._replace(added=record.added))
