"""Align pairs of documents: find the regions that two documents have in common, and what these cover.

Documents are read again, if their contents can be had, and the ends of regions are extended to the last equal
symbols. Of a document that cannot be read, the store tells where it holds the hashes of the other one; of two such
documents, where both hold the same hashes.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import I64, U64, contains, sorted_distinct
from fpdb.errors import BadQuery, UnknownKind
from fpdb.fingerprint import NO_POSITION, Fingerprints, Recipe, find_scheme
from fpdb.regions.line_index import locate_regions
from fpdb.regions.places import MatchedRegion
from fpdb.regions.region import Region, bridge, coverages, extend
from fpdb.regions.sources import Original, SourceDocument, Sources, read_document
from fpdb.regions.tiling import FingerprintSequence, find_regions
from fpdb.storage.posting_scan import scan_posting_lists
from fpdb.storage.reader import Reader
from fpdb.validation import check_integer

MAX_SYMBOLS: Final = 1 << 24  # of documents that stay in memory while others are aligned with them: some 250 MB
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
    """Parameters by which fingerprints of one rule become regions; see `find_regions`. complete: False for samples."""

    k: int
    slack: int
    complete: bool


class AlignmentQuery(NamedTuple):
    """A document that others are aligned with.

    counted: the hashes that count, sorted and distinct. barriers: see `extend`; no region is extended into k-grams of
    boilerplate or of ignored hashes. whole: the query with these, if there are any: it is aligned with documents that
    hold the same hashes.
    """

    original: Original
    sequence: FingerprintSequence
    counted: U64
    barriers: tuple[I64, I64]
    matching: _Matching
    whole: "AlignmentQuery | None" = None


class PairAligner:
    """Align documents, reading each as seldom as possible."""

    def __init__(
        self,
        reader: Reader,
        recipe: Recipe,
        sources: Sources,
        *,
        max_df: int = 0,
        gap: int = 0,
        max_postings: int | None = None,
    ) -> None:
        """Align documents of a reader. Raises BadQuery for an invalid gap.

        Stored documents are aligned without the hashes that max_df documents hold, if it is not 0, unless both hold the
        same hashes. Regions that are no
        more than gap symbols apart in both documents are joined. Two unreadable documents are aligned only if there are
        at most max_postings postings, since all of them are read.
        """
        message = "gap is a number of symbols, 0 or more"
        self._gap = check_integer(gap, "gap", 0, error=BadQuery, message=message)
        self._reader, self._recipe, self._sources = reader, recipe, sources
        self._max_df, self._max_postings = max_df, max_postings
        self._documents: OrderedDict[int, SourceDocument] = OrderedDict()
        self._symbols = 0

    def read(self, document_id: int) -> SourceDocument:
        """Read a stored document, or return it from memory. Raises Corrupt, MissingPackage."""
        document = self._documents.get(document_id)
        if document is None:
            document = read_document(self._reader, self._recipe, document_id, self._sources)
            self._documents[document_id] = document
            self._symbols += _size(document)
            while self._symbols > MAX_SYMBOLS and len(self._documents) > 2:
                self._symbols -= _size(self._documents.popitem(last=False)[1])
        self._documents.move_to_end(document_id)
        return document

    def query(self, fingerprints: Fingerprints, ignored: U64) -> AlignmentQuery:
        """Prepare a document, whose fingerprints have their symbols, for alignment.

        ignored: hashes that do not count, beside those of boilerplate; shape (n,).
        """
        return self._query(Original.of(fingerprints), ignored)

    def stored_query(self, document_id: int) -> AlignmentQuery | None:
        """Prepare a stored document for alignment; return None if it cannot be read. Raises Corrupt, MissingPackage."""
        original = self.read(document_id).original
        if original is None:
            return None
        return self._query(original, self._common(sorted_distinct(original.fingerprints.hashes)))

    def _query(self, original: Original, ignored: U64) -> AlignmentQuery:
        fingerprints = original.fingerprints
        matching = self._matching(fingerprints.kind)
        sequence = _sequence(fingerprints, matching)
        boilerplate = self._reader.boilerplate()
        common = contains(np.sort(ignored), sequence.hashes)
        counted = sorted_distinct(sequence.hashes[~(contains(boilerplate, sequence.hashes) | common)])
        excluded = sequence.positions[common].astype(np.int64)
        if len(boilerplate):  # all of its k-grams are excluded, selected or not
            kgrams = self._recipe.hash_kgrams(fingerprints.kind, original.text.symbols)
            excluded = np.union1d(excluded, np.flatnonzero(contains(boilerplate, kgrams)))
        whole = self._query(original, ignored[:0]) if common.any() else None
        return AlignmentQuery(original, sequence, counted, (excluded + 1, excluded + matching.k - 1), matching, whole)

    def align_query(self, query: AlignmentQuery, document_ids: Sequence[int]) -> Iterator[PairAlignment]:
        """Align a query with stored documents, all different, in order. Raises Corrupt, MissingPackage."""
        for start in range(0, len(document_ids), BATCH):
            batch = document_ids[start : start + BATCH]
            documents = [self.read(document_id) for document_id in batch]
            unread = [id_ for id_, document in zip(batch, documents, strict=True) if document.original is None]
            stored = self._stored_sequences((query.whole or query).counted, unread)
            for document_id, document in zip(batch, documents, strict=True):
                yield self._align(query, document, document_id, stored.get(document_id))

    def _align(
        self, query: AlignmentQuery, document: SourceDocument, document_id: int, stored: FingerprintSequence | None
    ) -> PairAlignment:
        """Align a query with a document. stored: the query's hashes in the document, if it could not be read."""
        matching = query.matching
        sequence = stored or FingerprintSequence(query.counted[:0], np.empty(0, np.uint32))
        if document.original is not None:
            sequence = _sequence(document.original.fingerprints, matching)
        if query.whole is not None and self._is_equal(query.whole.counted, sequence, document_id):
            query = query.whole
        shared = query.counted[contains(np.sort(sequence.hashes), query.counted)]
        regions = find_regions(query.sequence, sequence, shared, matching.k, matching.slack)
        query_symbols = query.original.text.symbols
        if document.original is not None:
            regions = extend(query_symbols.values, document.original.text.symbols.values, regions, query.barriers)
        symbols = len(query_symbols), self._reader.catalogue.record(document_id).symbols
        return self._alignment(regions, symbols, SourceDocument("same", query.original), document)

    def _is_equal(self, counted: U64, sequence: FingerprintSequence, document_id: int) -> bool:
        """Return True if a document holds the hashes, sorted and distinct, and no others but boilerplate."""
        (size,) = self._reader.catalogue.sizes(np.array([document_id], np.uint32))
        if int(size["hashes"]) - int(size["boilerplate"]) != len(counted):
            return False
        return bool(contains(np.sort(sequence.hashes), counted).all())

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
            stored = self._stored_sequences(np.concatenate([np.empty(0, np.uint64), *hashes]), document_ids)
        for index in indices:
            a, b = pairs[index]
            documents = self.read(a), self.read(b)
            regions = self._stored_regions(a, b, stored)
            if regions is None:
                yield index, PairAlignment(None, 0.0, 0.0, *documents)
            else:
                records = [self._reader.catalogue.record(document_id) for document_id in (a, b)]
                yield index, self._alignment(regions, (records[0].symbols, records[1].symbols), *documents)

    def _stored_regions(self, a: int, b: int, stored: dict[int, FingerprintSequence]) -> list[Region] | None:
        """Find regions by stored positions alone; None if these are not known."""
        if a not in stored or b not in stored:
            return None
        try:
            matching = self._matching(self._reader.catalogue.record(a).kind)
        except UnknownKind:
            return None
        shared: U64 = np.intersect1d(stored[a].hashes, stored[b].hashes)
        if not len(shared):  # the hashes that they share have no positions
            return None
        if not all(np.array_equal(sorted_distinct(stored[document_id].hashes), shared) for document_id in (a, b)):
            shared = shared[~contains(self._common(shared), shared)]
        return find_regions(stored[a], stored[b], shared, matching.k, matching.slack)

    def _stored_sequences(self, hashes: U64, document_ids: Collection[int]) -> dict[int, FingerprintSequence]:
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

    def _alignment(
        self, regions: list[Region], symbols: tuple[int, int], a: SourceDocument, b: SourceDocument
    ) -> PairAlignment:
        if self._gap:
            regions = bridge(regions, self._gap)
        return PairAlignment(sorted(regions), *coverages(regions, *symbols), a, b)

    def _matching(self, kind: str) -> _Matching:
        """Return the parameters of a kind's rule. Raises UnknownKind."""
        rule = self._recipe.rule_for(kind)[1]
        scheme = find_scheme(rule.scheme)
        slack = max(rule.k, int(rule.parameters[scheme.window]) if scheme.window else 0)
        return _Matching(rule.k, slack, scheme.sampling is None and not scheme.fixed_size)

    def _common(self, hashes: U64) -> U64:
        """Return those of the sorted hashes that max_df documents hold."""
        return hashes[self._reader.look_up(hashes, cap=self._max_df).capped] if self._max_df else hashes[:0]


def _sequence(fingerprints: Fingerprints, matching: _Matching) -> FingerprintSequence:
    placed = fingerprints.positions != NO_POSITION
    return FingerprintSequence(fingerprints.hashes[placed], fingerprints.positions[placed], matching.complete)


def _size(document: SourceDocument) -> int:
    return 1 if document.original is None else document.original.fingerprints.symbols + 1
