"""Prepare the documents of a chunk, in whichever process: known ones are left out, short texts go together."""

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from fpdb.errors import Unreadable
from fpdb.fingerprint import AUTO, SHORT_TEXT, Frequencies, Recipe, content_digest
from fpdb.ingest.batch import WriteBatch
from fpdb.ingest.existing import Existing, Traits, applied_encoding, resolve_kind
from fpdb.ingest.files import InputDocument, Skipped, error_text, read_content
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.prepare import (
    PrepareOptions,
    ReadDocument,
    StoredFingerprints,
    encode_positions,
    prepare,
    prepare_fingerprints,
    purpose_of,
)
from fpdb.storage.document_columns import PreparedDocument


class ReadyDocument(NamedTuple):
    """A document that can be put into a batch.

    item: The index in the chunk. size: Bytes of its content. is_record: It is one of many in a file. predecessor: What
    was stored under its name when it was prepared.
    """

    item: int
    place: str
    size: int
    is_record: bool
    predecessor: Traits | None
    document: PreparedDocument

    def is_outdated(self, existing: Existing) -> bool:
        """Return True if it might be another, prepared as the successor of this document."""
        document, traits = self.document, existing.traits
        own = document.record.kind, document.boilerplate, document.text is not None
        return traits not in (self.predecessor, own)


class KnownDocuments(NamedTuple):
    """Documents `start` to `end` of a chunk, which were stored just so when it was prepared.

    size: Bytes of all of them. boilerplate: How many are boilerplate.
    """

    start: int
    end: int
    size: int
    boilerplate: int = 0


Outcome: TypeAlias = ReadyDocument | KnownDocuments | Skipped


@dataclass
class ChunkPreparer:
    """Prepares documents as `load` was told to. frequencies: as for `Recipe.fingerprint`."""

    recipe: Recipe
    options: LoadOptions
    frequencies: Frequencies | None = None

    def prepare(self, items: Iterable[InputDocument | Skipped], stored: WriteBatch | None) -> list[Outcome]:
        """Return what becomes of each item, in order. stored: where to look for known documents; None for nowhere."""
        return _Preparation(self).run(items, stored)


class _Preparation:
    """The preparation of one chunk."""

    def __init__(self, preparer: ChunkPreparer) -> None:
        options = preparer.options
        self._recipe, self._load_options = preparer.recipe, options
        self._options = PrepareOptions(
            purpose_of(bool(options.boilerplate)), bool(options.keep_text), preparer.frequencies
        )
        self._outcomes: list[ReadyDocument | Skipped | None] = []
        """By item; None for known documents, and until an item's turn has come."""
        self._short: list[tuple[int, ReadDocument, PrepareOptions]] = []
        self._predecessors: dict[int, Traits] = {}

    def run(self, items: Iterable[InputDocument | Skipped], stored: WriteBatch | None) -> list[Outcome]:
        items = list(items)
        known = self._find_present(items, stored) if stored is not None and self._load_options.if_absent else {}
        read = self._read(items, known)
        matches = itertools.repeat((None, False)) if stored is None else iter(self._match_stored(read, stored))
        for (index, document), (existing, is_known) in zip(read, matches, strict=False):
            if existing is not None and is_known:
                known[index] = KnownDocuments(index, index + 1, _size(document.content), existing.boilerplate)
            else:
                self._prepare(index, document, existing)
        self._prepare_short()
        return self._joined(known)

    def _find_present(self, items: Sequence[InputDocument | Skipped], stored: WriteBatch) -> dict[int, KnownDocuments]:
        """Return the documents, by item, whose names are stored: they are known, whatever they hold."""
        present = stored.present({item.name for item in items if isinstance(item, InputDocument)})
        return {
            index: KnownDocuments(index, index + 1, 0)
            for index, item in enumerate(items)
            if isinstance(item, InputDocument) and item.name in present
        }

    def _read(self, items: Iterable[InputDocument | Skipped], known: Collection[int]) -> list[tuple[int, ReadDocument]]:
        """Return the items with their contents, but for known ones."""
        read = []
        for index, item in enumerate(items):
            if isinstance(item, Skipped):
                self._outcomes.append(item)
                continue
            self._outcomes.append(None)
            if index in known:
                continue
            try:
                content = read_content(item, self._load_options.encoding)
                read.append((index, ReadDocument(self._labelled(item), content, content_digest(content))))
            except Exception as error:
                self._outcomes[index] = _skipped(item, error)
        return read

    def _labelled(self, document: InputDocument) -> InputDocument:
        """Add the labels and the contact that all documents get."""
        labels, contact = self._load_options.labels, self._load_options.contact
        if not labels and contact is None:
            return document
        return document._replace(labels={**labels, **(document.labels or {})}, contact=document.contact or contact)

    def _match_stored(
        self, read: list[tuple[int, ReadDocument]], stored: WriteBatch
    ) -> list[tuple[Existing | None, bool]]:
        options = self._load_options
        documents = [document for _, document in read]
        return stored.match_stored(
            documents, boilerplate=options.boilerplate, keep_text=options.keep_text, encoding=options.encoding
        )

    def _prepare(self, index: int, document: ReadDocument, existing: Existing | None) -> None:
        """Prepare a document, or put it to the short texts."""
        description, content, _ = document
        if existing is not None:
            self._predecessors[index] = existing.traits
        try:
            kind = description.kind
            if kind == AUTO:
                kind = resolve_kind(self._recipe, kind, document, existing)
            options = self._options if existing is None else self._options_for(existing)
            options = options._replace(encoding=applied_encoding(self._load_options.encoding, kind, document, existing))
            together = options.purpose == self._options.purpose and options.frequencies is None
            together = together and options.encoding is None
            if kind == "text" and together and len(content) <= SHORT_TEXT:
                self._short.append((index, document, options))
            else:
                self._finish(index, document, prepare(self._recipe, document, kind, options))
        except Exception as error:
            self._outcomes[index] = _skipped(description, error)

    def _options_for(self, existing: Existing) -> PrepareOptions:
        """Return the options for a document that is there already: what the load does not say stays."""
        options = self._options
        if self._load_options.boilerplate is None:
            options = options._replace(purpose=purpose_of(existing.boilerplate))
        if self._load_options.keep_text is None:
            options = options._replace(keep_text=existing.has_text)
        return options

    def _prepare_short(self) -> None:
        """Fingerprint the short texts in one call; those that it cannot take, one by one."""
        if not self._short:
            return
        contents = [document.content for _, document, _ in self._short]
        texts = self._recipe.fingerprint_texts(contents, purpose=self._options.purpose)
        end, positions = 0, None if texts is None else encode_positions(texts.positions)
        for number, (index, document, options) in enumerate(self._short):
            try:
                if texts is None or positions is None or texts.symbols[number] < 0:
                    prepared = prepare(self._recipe, document, "text", options)
                else:
                    start, end = end, end + texts.counts[number]
                    note = "string" if isinstance(document.content, str) else "utf-8"
                    counts = texts.symbols[number], texts.kgrams(number), note
                    found = StoredFingerprints(*counts, texts.hashes[start:end], positions[start:end])
                    prepared = prepare_fingerprints(document, "text", found, options)
                self._finish(index, document, prepared)
            except Exception as error:
                self._outcomes[index] = _skipped(document.description, error)

    def _finish(self, index: int, document: ReadDocument, prepared: PreparedDocument) -> None:
        description = document.description
        if prepared.record.kind == "pdf" and not prepared.record.symbols:
            raise Unreadable("no text in it: a scan? OCR it first")
        is_record = description.location is not None
        size, predecessor = _size(document.content), self._predecessors.get(index)
        self._outcomes[index] = ReadyDocument(index, description.place, size, is_record, predecessor, prepared)

    def _joined(self, known: dict[int, KnownDocuments]) -> list[Outcome]:
        """Return the outcomes, with known documents that follow each other as one. known: each of them, by item."""
        joined: list[Outcome] = []
        for is_known, group in itertools.groupby(range(len(self._outcomes)), known.__contains__):
            indices = list(group)
            if is_known:
                sizes = sum(known[index].size for index in indices)
                boilerplate = sum(known[index].boilerplate for index in indices)
                joined.append(KnownDocuments(indices[0], indices[-1] + 1, sizes, boilerplate))
            else:
                joined += [outcome for index in indices if (outcome := self._outcomes[index]) is not None]
        return joined


def _skipped(document: InputDocument, error: Exception) -> Skipped:
    return Skipped(document.place, error_text(error), document.requested)


def _size(content: bytes | str) -> int:
    """Return the bytes of a content, as they are digested."""
    if isinstance(content, bytes) or content.isascii():
        return len(content)
    return len(content.encode("utf-8", "surrogatepass"))
