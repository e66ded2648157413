"""Contents of stored documents: the text that was kept, else the source file; else why there is none.

A caller who knows better where the contents are may give them instead.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from fpdb.errors import ContentChanged, MissingPackage, UnknownKind, Unreadable
from fpdb.fingerprint import Fingerprints, Recipe, content_digest
from fpdb.ingest.archives.member_lookup import MemberCache
from fpdb.readers.encodings import given_encoding
from fpdb.regions.line_index import LineIndex
from fpdb.regions.originals import UnreadState, is_gone, read_original
from fpdb.regions.source_roots import SourceRoots
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.records import Record

SourceState = Literal["same", "changed", UnreadState]
"""A document's content: as it was added; changed; its file is gone; it came from no file and was not kept; its path is
not below a root, so that it is not looked at; it cannot be read for another reason."""

REASONS: Final[Mapping[SourceState, str]] = {
    "changed": "the source has changed since it was added",
    "gone": "the source is gone, and the text was not kept",
    "not_kept": "it did not come from a file here, and the text was not kept",
    "outside": "the source is not below a folder that you named: give --sources DIR, or fpdb.open(..., sources=[DIR])",
    "unavailable": "the source cannot be read",
}


class Content(NamedTuple):
    """A document's content, or None unless the state is "same"."""

    state: SourceState
    content: str | bytes | None = None


class Sources:
    """Find the contents of documents."""

    def __init__(
        self,
        roots_of: Callable[[IndexReader, int], SourceRoots],
        given: Callable[[int, Record], str | bytes | None] | None = None,
    ) -> None:
        """Look for contents where they were kept or came from, or ask the caller for them.

        Args:
            roots_of: Returns the roots below which the source of a document may be read, by the document's id.
            given: Returns the content of a document, by id and record, or None; consulted instead of all else.
        """
        self._roots_of = roots_of
        self._given = given
        self._cache = MemberCache()

    def find(self, reader: IndexReader, document_id: int, record: Record) -> Content:
        """Return a document's content, if it is the same as was added.

        Raises:
            Corrupt: The kept text is damaged.
            MissingPackage: The kept text cannot be unpacked.
        """
        if self._given is not None:
            return _verified(self._given(document_id, record), record)
        text = reader.texts.read(document_id, record)
        if text is not None:
            return Content("same", text)
        content = read_original(record.source, self._roots_of(reader, document_id), self._cache)
        return _verified(content, record) if isinstance(content, bytes) else Content(content)

    def is_gone(self, reader: IndexReader, document_id: int, record: Record) -> bool:
        """Return True if the file that a document came from is gone, see `is_gone`."""
        return is_gone(record.source, self._roots_of(reader, document_id))

    def read(self, reader: IndexReader, document_id: int, record: Record) -> str | bytes:
        """Return a document's content as `find` does, or raise Unreadable or ContentChanged, which say why not."""
        state, content = self.find(reader, document_id, record)
        if content is not None:
            return content
        raise (ContentChanged if state == "changed" else Unreadable)(REASONS[state])


def _verified(content: str | bytes | None, record: Record) -> Content:
    if content is None:
        return Content("unavailable")
    return Content("same", content) if content_digest(content) == record.digest else Content("changed")


class Contents(NamedTuple):
    """The means to read documents again: the recipe by which they were fingerprinted, and where their contents are."""

    recipe: Recipe
    sources: Sources


class Original(NamedTuple):
    """A document's fingerprints, and its text with their symbols."""

    fingerprints: Fingerprints
    text: LineIndex

    @classmethod
    def of(cls, fingerprints: Fingerprints) -> "Original":
        """Return the original of fingerprints. Raises ValueError if they came without their symbols."""
        if fingerprints.source is None:
            raise ValueError("the fingerprints came without the document's symbols")
        return cls(fingerprints, LineIndex(fingerprints.source))


class SourceDocument(NamedTuple):
    """A document that was read again, or None unless the state is "same"."""

    state: SourceState
    original: Original | None = None


def read_document(reader: IndexReader, recipe: Recipe, document_id: int, sources: Sources) -> SourceDocument:
    """Read a stored document and fingerprint it as it was when it was added. Raises Corrupt, MissingPackage."""
    record = reader.catalogue.record(document_id)
    try:
        recipe.rule_for(record.kind)
    except UnknownKind:
        return SourceDocument("unavailable")
    state, content = sources.find(reader, document_id, record)
    if content is None:
        return SourceDocument(state)
    encoding = given_encoding(record.note)
    try:
        for name in (record.name.decode("utf-8", "surrogateescape"), record.source, None):  # may tell the language
            fingerprints = recipe.fingerprint(content, record.kind, purpose="search", name=name, encoding=encoding)
            if fingerprints.symbols == record.symbols:
                return SourceDocument("same", Original.of(fingerprints))
    except (Unreadable, MissingPackage):
        pass
    return SourceDocument("unavailable")  # or a reader of today reads it otherwise
