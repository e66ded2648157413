"""Align pairs of documents: find the regions that two documents have in common, and what these cover.

Documents are read again, if their contents can be had, and their symbols are tiled. Of a document that cannot be read,
the store tells where it holds the hashes of the other one; of two such documents, where both hold the same hashes.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U64, contains, sorted_distinct
from fpdb.errors import UnknownKind
from fpdb.fingerprint import Fingerprints, Recipe, find_scheme
from fpdb.fingerprint.marks import NO_MARKS, Marks
from fpdb.regions._tiling import SymbolSequence
from fpdb.regions.alignable import (
    AlignableDocument,
    AlignableDocuments,
    prepare_symbols,
    with_positions,
    without_marked,
)
from fpdb.regions.joining import join
from fpdb.regions.line_index import LineIndex, locate_regions, long_regions
from fpdb.regions.offsets import PositionedHashes, best_offsets, match_positions, regions_of
from fpdb.regions.places import MatchedRegion
from fpdb.regions.region import AS_TILED, Region, RegionOptions, coverage
from fpdb.regions.sources import Contents, Original, SourceDocument, Sources
from fpdb.regions.tiling import NO_HASHES, FingerprintSequence, tile_fingerprints, tile_symbols
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import scan_posting_lists

NEAR: Final = 5
NEAR_LEAST: Final = 150
"""The largest gap in a passage of a text, and its usual least length: NEAR k-grams, or NEAR_LEAST symbols if these are
more (docs/guide/quality.md)."""
PASSAGE_SENTENCES: Final = 3
"""A passage of that length has so many sentences: what is shorter than one of them is a phrase."""
LONG_DOCUMENT: Final = 10
"""A document of so many times that length is long: two long ones share phrases by chance."""

BATCH: Final = 32  # documents that are looked up together


class PairAlignment(NamedTuple):
    """The regions of two documents a and b, in order of a, or None if nothing tells them.

    coverage_a and coverage_b are the shares of their symbols that lie in regions.
    """

    regions: list[Region] | None
    coverage_a: float
    coverage_b: float
    a: SourceDocument
    b: SourceDocument

    def located(self) -> list[MatchedRegion] | None:
        """Return the regions in characters and lines of the documents that could be read."""
        if self.regions is None:
            return None
        a, b = (document.original and document.original.text for document in (self.a, self.b))
        return locate_regions(self.regions, a, b)

    def swapped(self) -> "PairAlignment":
        """Return the alignment with a and b exchanged."""
        regions = self.regions and sorted(region.swapped() for region in self.regions)
        return PairAlignment(regions, self.coverage_b, self.coverage_a, self.b, self.a)


class _Matching(NamedTuple):
    """Parameters by which fingerprints of one rule become regions.

    slack: see `tile_fingerprints`. complete: False for samples. near: see NEAR; 0 in programs.
    """

    k: int
    slack: int
    complete: bool
    near: int


class AlignmentQuery(NamedTuple):
    """A document that others are aligned with.

    fingerprints: those that have a position. sequence: its symbols, prepared for tiling around those that count.
    counted: the hashes that count, sorted and distinct; held: with those of k-grams that are mostly marked. whole: the
    query with the hashes that are ignored, if there are any: it is aligned with documents that hold the same hashes.
    """

    original: Original
    fingerprints: FingerprintSequence
    sequence: SymbolSequence
    marks: Marks
    counted: U64
    held: U64
    matching: _Matching
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

    def discarded(self, original: Original) -> Marks:
        """Return the symbols of a document that do not count: those of boilerplate, and of common hashes."""
        marks = self._documents.marks_of(original)
        common = self._common(sorted_distinct(original.fingerprints.hashes))
        if not len(common):
            return marks
        placed = with_positions(original.fingerprints, complete=True)
        positions = np.sort(placed.positions[contains(common, placed.hashes)]).astype(np.int64)
        k, symbols = self._matching(original.fingerprints.kind).k, len(original.text.symbols)
        return Marks.of(np.flatnonzero(marks.flags(symbols) | Marks.of(positions, k).flags(symbols)), 1)

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

    def _query(self, original: Original, marks: Marks, ignored: U64) -> AlignmentQuery:
        matching = self._matching(original.fingerprints.kind)
        fingerprints = with_positions(original.fingerprints, complete=matching.complete)
        positions = fingerprints.positions.astype(np.int64)
        common = contains(np.sort(ignored), fingerprints.hashes)
        held = ~(contains(self._documents.boilerplate, fingerprints.hashes) | common)
        counted = held & ~marks.covers_most(positions, matching.k)
        sequence = prepare_symbols(original, fingerprints, counted, marks, Marks.of(positions[common], matching.k))
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
        return self._alignment(regions, symbols, (one, document), query.matching)

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

    def _stored_matching(self, document_id: int) -> _Matching | None:
        try:
            return self._matching(self._reader.catalogue.record(document_id).kind)
        except UnknownKind:
            return None

    def _align_stored(
        self,
        pair: tuple[int, int],
        documents: tuple[SourceDocument, SourceDocument],
        stored: tuple[FingerprintSequence, FingerprintSequence],
        matching: _Matching,
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
        return self._alignment(regions, (symbols[0], symbols[1]), (a, b), matching)

    def _alignment(
        self,
        tiles: list[Region],
        symbols: tuple[int, int],
        documents: tuple[AlignableDocument, AlignableDocument],
        matching: _Matching,
    ) -> PairAlignment:
        """Join tiles, leave out regions that are too short, and measure what the tiles cover.

        Regions that are left out by default are covered nonetheless: they agree.
        """
        a, b = documents
        gap = matching.near if self._options.gap is None else self._options.gap
        regions = join(tiles, gap, a.marks, b.marks) if gap else sorted(tiles)
        texts = [document.source.original and document.source.original.text for document in documents]
        if self._options.shortest is None:
            regions = self._telling_regions(regions, texts[0], texts[1], matching.near, min(symbols))
        else:
            regions = long_regions(regions, texts[0], texts[1], self._options.shortest)
            starts = [region.a_start for region in regions]
            places = ((tile, bisect_right(starts, tile.a_start) - 1) for tile in tiles)
            tiles = [tile for tile, place in places if place >= 0 and regions[place].holds(tile)]
        coverage_a = coverage(((tile.a_start, tile.a_end) for tile in tiles), symbols[0], a.marks)
        coverage_b = coverage(((tile.b_start, tile.b_end) for tile in tiles), symbols[1], b.marks)
        return PairAlignment(regions, coverage_a, coverage_b, a.source, b.source)

    @staticmethod
    def _telling_regions(
        regions: list[Region], text_a: LineIndex | None, text_b: LineIndex | None, near: int, symbols: int
    ) -> list[Region]:
        """Return the regions that are told by default; symbols: those of the shorter document.

        Any two long documents share phrases. So shorter regions count only where there is no longer one, and those
        shorter than a sentence only if a document is short.
        """
        for shortest in (near, near // PASSAGE_SENTENCES):
            if long := long_regions(regions, text_a, text_b, shortest):
                return long
        return regions if symbols < LONG_DOCUMENT * near else []

    def _matching(self, kind: str) -> _Matching:
        """Return the parameters of a kind's rule. Raises UnknownKind."""
        alphabet, rule = self.recipe.rule_for(kind)
        scheme = find_scheme(rule.scheme)
        slack = max(rule.k, rule.window or 0)
        near = 0 if alphabet == "tokens" else max(NEAR * rule.k, NEAR_LEAST)
        return _Matching(rule.k, slack, scheme.sampling is None and not scheme.fixed_size, near)


def _whole_copy(a: Original, b: Original | None, k: int) -> list[Region]:
    """Return the region of two documents of the same symbols, too few for a k-gram; none of others."""
    length = len(a.text.symbols)
    if b is None or not 0 < length < k or not np.array_equal(a.text.symbols.values, b.text.symbols.values):
        return []
    return [Region(0, length, 0, length, 0)]


def _find_none(hashes: U64) -> U64:
    return hashes[:0]
