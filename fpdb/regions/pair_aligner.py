"""Align pairs of documents: find the regions that two documents have in common, and what these cover.

Documents are read again, if their contents can be had, and their symbols are tiled. Of a document that cannot be read,
the store tells where it holds the hashes of the other one; of two such documents, where both hold the same hashes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U64, contains, sorted_distinct
from fpdb.errors import UnknownKind
from fpdb.fingerprint import Fingerprints, Recipe
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.regions._tiling import SymbolSequence
from fpdb.regions.alignable import (
    AlignableDocument,
    AlignableDocuments,
    prepare_symbols,
    with_positions,
    without_marked,
)
from fpdb.regions.alignment import Matching, PairAlignment, align_tiles
from fpdb.regions.offsets import PositionedHashes, best_offsets, match_positions, regions_of
from fpdb.regions.region import AS_TILED, Region, RegionOptions
from fpdb.regions.sources import Contents, Original, SourceDocument, Sources
from fpdb.regions.tiling import NO_HASHES, FingerprintSequence, tile_fingerprints, tile_symbols
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import scan_posting_lists

BATCH: Final = 32  # documents that are looked up together


class AlignmentQuery(NamedTuple):
    """A document that others are aligned with.

    fingerprints: those that have a position. sequence: its symbols, prepared for tiling around those that count.
    counted: the hashes that count, sorted and distinct; held: with those of k-grams that are mostly marked. whole: the
    query with the hashes that are ignored, if there are any: it is aligned with documents that hold the same hashes.
    """

    original: Original
    fingerprints: FingerprintSequence
    sequence: SymbolSequence
    marks: MarkedSymbols
    counted: U64
    held: U64
    matching: Matching
    whole: "AlignmentQuery | None" = None


class PairAligner:
    """Align documents of a reader, reading each as seldom as possible."""

    def __init__(
        self,
        reader: IndexReader,
        recipe: Recipe,
        sources: Sources,
        *,
        find_common: Callable[[U64], U64] | None = None,
        region_options: RegionOptions = AS_TILED,
        max_postings: int | None = None,
    ) -> None:
        """Align documents of a reader.

        Stored documents are aligned without the hashes that find_common returns of sorted ones, unless both hold the
        same hashes. Two unreadable documents are aligned only if there are at most max_postings postings, since all of
        them are read.
        """
        self.recipe, self.contents = recipe, Contents(recipe, sources)
        self._reader, self._documents = reader, AlignableDocuments(reader, recipe, sources)
        self._common = find_common or _find_none
        self._options, self._max_postings = region_options, max_postings

    def read(self, document_id: int) -> SourceDocument:
        """Read a stored document, or return it from memory. Raises Corrupt, MissingPackage."""
        return self._documents.read(document_id).source

    def discarded(self, original: Original) -> MarkedSymbols:
        """Return the symbols of a document that do not count: those of boilerplate, and of common hashes."""
        marks = self._documents.marks_of(original)
        common = self._common(sorted_distinct(original.fingerprints.hashes))
        if not len(common):
            return marks
        placed = with_positions(original.fingerprints, complete=True)
        positions = np.sort(placed.positions[contains(common, placed.hashes)]).astype(np.int64)
        k, symbols = Matching.of(self.recipe, original.fingerprints.kind).k, len(original.text.symbols)
        return MarkedSymbols.of(np.flatnonzero(marks.flags(symbols) | MarkedSymbols.of(positions, k).flags(symbols)), 1)

    def query(self, fingerprints: Fingerprints, ignored: U64) -> AlignmentQuery:
        """Prepare a document, whose fingerprints have their symbols, for alignment.

        ignored: hashes that do not count, beside those of boilerplate; shape (n,).
        """
        original = Original.of(fingerprints)
        return self._query(original, self._documents.marks_of(original), ignored)

    def stored_query(self, document_id: int) -> AlignmentQuery | None:
        """Prepare a stored document for alignment; return None if it cannot be read. Raises Corrupt, MissingPackage."""
        source, _, marks = self._documents.read(document_id)
        if source.original is None:
            return None
        return self._query(source.original, marks, self._common(sorted_distinct(source.original.fingerprints.hashes)))

    def _query(self, original: Original, marks: MarkedSymbols, ignored: U64) -> AlignmentQuery:
        matching = Matching.of(self.recipe, original.fingerprints.kind)
        fingerprints = with_positions(original.fingerprints, complete=matching.complete)
        positions = fingerprints.positions.astype(np.int64)
        common = contains(np.sort(ignored), fingerprints.hashes)
        held = ~(contains(self._documents.boilerplate, fingerprints.hashes) | common)
        counted = held & ~marks.covers_most(positions, matching.k)
        sequence = prepare_symbols(
            original, fingerprints, counted, marks, MarkedSymbols.of(positions[common], matching.k)
        )
        whole = self._query(original, marks, ignored[:0]) if common.any() else None
        hashes = (sorted_distinct(fingerprints.hashes[which]) for which in (counted, held))
        return AlignmentQuery(original, fingerprints, sequence, marks, next(hashes), next(hashes), matching, whole)

    def align_query(self, query: AlignmentQuery, document_ids: Sequence[int]) -> Iterator[PairAlignment]:
        """Align a query with stored documents, all different, in order. Raises Corrupt, MissingPackage."""
        for start in range(0, len(document_ids), BATCH):
            batch = document_ids[start : start + BATCH]
            documents = [self._documents.read(document_id) for document_id in batch]
            unread = [id_ for id_, document in zip(batch, documents, strict=True) if document.sequence is None]
            stored = self._documents.stored_sequences((query.whole or query).held, unread)
            marks = self._documents.stored_marks(unread, query.matching.k)
            for document_id, document in zip(batch, documents, strict=True):
                other = document._replace(marks=marks.get(document_id, document.marks))
                yield self._align(query, other, document_id, stored.get(document_id))

    def _align(
        self,
        query: AlignmentQuery,
        document: AlignableDocument,
        document_id: int,
        stored: FingerprintSequence | None,
    ) -> PairAlignment:
        """Align a query with a document. stored: the query's hashes in the document, if it could not be read."""
        k, slack, repeats = query.matching.k, query.matching.slack, self._options.repeats
        held = stored or FingerprintSequence(NO_HASHES, NO_HASHES)
        if document.source.original is not None:
            held = with_positions(document.source.original.fingerprints, complete=True)
        if query.whole is not None and self._is_equal(query.whole.held, held.hashes, document_id):
            query = query.whole
        if document.sequence is not None:
            regions = tile_symbols(query.sequence, document.sequence, k, repeats=repeats)
            regions = regions or _whole_copy(query.original, document.source.original, k)
        else:
            shared = query.counted[contains(np.sort(held.hashes), query.counted)]
            regions = tile_fingerprints(query.fingerprints, held, shared, k, slack, repeats=repeats)
        symbols = query.sequence.length, self._reader.catalogue.record(document_id).symbols
        one = AlignableDocument(SourceDocument("same", query.original), None, query.marks)
        return align_tiles(regions, symbols, (one, document), query.matching, self._options)

    def _is_equal(self, held: U64, hashes: U64, document_id: int) -> bool:
        """Return True if a document has the hashes that a query holds, sorted, and no others but boilerplate."""
        (size,) = self._reader.catalogue.sizes(np.array([document_id], np.uint32))
        if int(size["hashes"]) - int(size["boilerplate"]) != len(held):
            return False
        return bool(contains(np.sort(hashes), held).all())

    def align_pairs(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, PairAlignment]]:
        """Yield the index and the alignment of each pair of stored documents, in any order.

        Raises Corrupt, MissingPackage.
        """
        by_first: dict[int, list[int]] = defaultdict(list)
        for index, (a, _) in enumerate(pairs):
            by_first[a].append(index)
        unread: list[int] = []
        for a, indices in by_first.items():
            query = self.stored_query(a)
            if query is not None:
                yield from zip(indices, self.align_query(query, [pairs[index][1] for index in indices]), strict=True)
                continue
            for index in indices:
                query = self.stored_query(pairs[index][1])
                if query is None:
                    unread.append(index)
                else:
                    (alignment,) = self.align_query(query, [a])
                    yield index, alignment.swapped()
        yield from self._align_unread(pairs, unread)

    def _align_unread(
        self, pairs: Sequence[tuple[int, int]], indices: Sequence[int]
    ) -> Iterator[tuple[int, PairAlignment]]:
        """Align the pairs of these indices, of which no document can be read, by their stored positions."""
        document_ids = {document_id for index in indices for document_id in pairs[index]}
        stored: dict[int, FingerprintSequence] = {}
        if document_ids and (self._max_postings is None or self._reader.posting_count <= self._max_postings):
            hashes = [lists.hashes for lists in scan_posting_lists(self._reader)]
            stored = self._documents.stored_sequences(np.concatenate([NO_HASHES, *hashes]), document_ids)
        for index in indices:
            a, b = pairs[index]
            documents = self.read(a), self.read(b)
            matching = self._stored_matching(a)
            alignment = None
            if a in stored and b in stored:
                sequences = stored[a], stored[b]
                if matching is not None:
                    alignment = self._align_stored((a, b), documents, sequences, matching)
                else:
                    alignment = self._align_by_offset(documents, sequences)
            yield index, alignment or PairAlignment(None, 0.0, 0.0, *documents)

    def _align_by_offset(
        self, documents: tuple[SourceDocument, SourceDocument], stored: tuple[FingerprintSequence, FingerprintSequence]
    ) -> PairAlignment | None:
        """Align two documents of the caller's own hashes at the offset at which most agree; None if none has positions.

        Coverage is the share of the hashes that agree.
        """
        common = self._common(np.intersect1d(stored[0].hashes, stored[1].hashes))
        a, b = (PositionedHashes.of(each.hashes, each.positions) for each in stored)
        hits = match_positions(a.take(~contains(common, a.hashes)), b)
        if not len(hits.offsets):
            return None
        regions = regions_of(hits.at_best(best_offsets(hits)), self._options.gap)[0]
        aligned = sum(region.shared for region in regions)
        return PairAlignment(regions, aligned / len(a.hashes), aligned / len(b.hashes), *documents)

    def _stored_matching(self, document_id: int) -> Matching | None:
        try:
            return Matching.of(self.recipe, self._reader.catalogue.record(document_id).kind)
        except UnknownKind:
            return None

    def _align_stored(
        self,
        pair: tuple[int, int],
        documents: tuple[SourceDocument, SourceDocument],
        stored: tuple[FingerprintSequence, FingerprintSequence],
        matching: Matching,
    ) -> PairAlignment | None:
        """Align two documents by stored positions alone; None if the hashes that they share have none."""
        shared: U64 = np.intersect1d(stored[0].hashes, stored[1].hashes)
        if not len(shared):
            return None
        marks = self._documents.stored_marks(pair, matching.k)
        if not all(np.array_equal(sorted_distinct(each.hashes), shared) for each in stored):
            shared = shared[~contains(self._common(shared), shared)]
        one, other = (
            without_marked(each, marks.get(document_id, NO_MARKS), matching.k)
            for document_id, each in zip(pair, stored, strict=True)
        )
        regions = tile_fingerprints(one, other, shared, matching.k, matching.slack)
        symbols = [self._reader.catalogue.record(document_id).symbols for document_id in pair]
        a, b = (
            AlignableDocument(document, None, marks.get(document_id, NO_MARKS))
            for document_id, document in zip(pair, documents, strict=True)
        )
        return align_tiles(regions, (symbols[0], symbols[1]), (a, b), matching, self._options)


def _whole_copy(a: Original, b: Original | None, k: int) -> list[Region]:
    """Return the region of two documents of the same symbols, too few for a k-gram; none of others."""
    length = len(a.text.symbols)
    if b is None or not 0 < length < k or not np.array_equal(a.text.symbols.values, b.text.symbols.values):
        return []
    return [Region(0, length, 0, length, 0)]


def _find_none(hashes: U64) -> U64:
    return hashes[:0]
