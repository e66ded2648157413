"""Documents prepared to be aligned: their symbols for tiling and their marks, or the stored places of their hashes."""

from collections import OrderedDict
from collections.abc import Collection
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U64, Bools, contains
from fpdb.fingerprint import NO_POSITION, Fingerprints, Recipe
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.regions._tiling import SymbolSequence
from fpdb.regions.sources import Original, SourceDocument, Sources, read_document
from fpdb.regions.tiling import NO_BARS, FingerprintSequence, symbol_sequence
from fpdb.storage.index_reader import IndexReader

MAX_SYMBOLS: Final = 1 << 24  # of documents that stay in memory while others are aligned with them: some 320 MB


class AlignableDocument(NamedTuple):
    """A document: its content, and its symbols, prepared for tiling, if it could be read; its marks."""

    source: SourceDocument
    sequence: SymbolSequence | None = None
    marks: MarkedSymbols = NO_MARKS


class AlignableDocuments:
    """The stored documents of a reader, each read as seldom as possible. Every method raises Corrupt."""

    def __init__(self, reader: IndexReader, recipe: Recipe, sources: Sources) -> None:
        """Read documents by a recipe."""
        self._reader, self._recipe, self._sources = reader, recipe, sources
        self.boilerplate = reader.boilerplate()
        self._documents: OrderedDict[int, AlignableDocument] = OrderedDict()
        self._symbols = 0

    def read(self, document_id: int) -> AlignableDocument:
        """Read a document, or return it from memory. Raises MissingPackage."""
        document = self._documents.get(document_id)
        if document is None:
            document = self._prepare(read_document(self._reader, self._recipe, document_id, self._sources))
            self._documents[document_id] = document
            self._symbols += _size(document.source)
            while self._symbols > MAX_SYMBOLS and len(self._documents) > 2:
                self._symbols -= _size(self._documents.popitem(last=False)[1].source)
        self._documents.move_to_end(document_id)
        return document

    def _prepare(self, source: SourceDocument) -> AlignableDocument:
        if source.original is None:
            return AlignableDocument(source)
        fingerprints = with_positions(source.original.fingerprints, complete=True)
        marks = self.marks_of(source.original)
        counted = ~contains(self.boilerplate, fingerprints.hashes)
        return AlignableDocument(source, prepare_symbols(source.original, fingerprints, counted, marks), marks)

    def marks_of(self, original: Original) -> MarkedSymbols:
        """Return the marks of a document that was read: all of its k-grams tell, selected or not."""
        if not len(self.boilerplate):
            return NO_MARKS
        kind = original.fingerprints.kind
        kgrams = self._recipe.hash_kgrams(kind, original.text.symbols)
        return MarkedSymbols.of(np.flatnonzero(contains(self.boilerplate, kgrams)), self._recipe.rule_for(kind)[1].k)

    def stored_marks(self, document_ids: Collection[int], k: int) -> dict[int, MarkedSymbols]:
        """Return the marks of documents that cannot be read, as far as their stored positions tell."""
        if not len(self.boilerplate):
            return {}
        held = self.stored_sequences(self.boilerplate, document_ids)
        return {document_id: MarkedSymbols.of(each.positions.astype(np.int64), k) for document_id, each in held.items()}

    def stored_sequences(self, hashes: U64, document_ids: Collection[int]) -> dict[int, FingerprintSequence]:
        """Return where the store says that each document holds the hashes, which are sorted and distinct."""
        if not document_ids:
            return {}
        ids = np.array(sorted(document_ids), np.uint32)
        found = self._reader.find_occurrences(hashes, ids)
        order = np.lexsort((found.positions, found.document_ids))
        parts = np.split(order, np.searchsorted(found.document_ids[order], ids[1:]))
        return {
            document_id: FingerprintSequence(hashes[found.hash_indices[part]], found.positions[part], complete=False)
            for document_id, part in zip(ids.tolist(), parts, strict=True)
        }


def with_positions(fingerprints: Fingerprints, *, complete: bool) -> FingerprintSequence:
    """Return the fingerprints that have a position; complete: see `FingerprintSequence`."""
    placed = fingerprints.positions != NO_POSITION
    return FingerprintSequence(fingerprints.hashes[placed], fingerprints.positions[placed], complete)


def prepare_symbols(
    original: Original, fingerprints: FingerprintSequence, counted: Bools, *barriers: MarkedSymbols
) -> SymbolSequence:
    """Prepare a document for tiling around the fingerprints that count; no match is extended into the barriers."""
    values = original.text.symbols.values
    barred = NO_BARS
    for marks in barriers:
        if len(marks.starts):
            flags = marks.flags(len(values))
            barred = flags if barred is NO_BARS else barred | flags
    anchors = fingerprints._replace(hashes=fingerprints.hashes[counted], positions=fingerprints.positions[counted])
    return symbol_sequence(values, anchors, barred)


def _size(document: SourceDocument) -> int:
    return 1 if document.original is None else document.original.fingerprints.symbols + 1


def without_marked(fingerprints: FingerprintSequence, marks: MarkedSymbols, k: int) -> FingerprintSequence:
    """Return the fingerprints that are not mostly marked."""
    kept = ~marks.covers_most(fingerprints.positions.astype(np.int64), k)
    return fingerprints._replace(hashes=fingerprints.hashes[kept], positions=fingerprints.positions[kept])
