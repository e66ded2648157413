"""Find the passages that others have of a document, without aligning it with all of them.

Thousands of documents may hold one passage, such as a licence. So a document is aligned with the few others
(`ALIGNED_FIRST`) with which it shares the most hashes; then only with those that share a hash at a place that no
passage found so far covers. What is left beside the passages is shorter than a passage that is surely found: it has no
fingerprint of its own.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U32, U64, Bools, contains, group_starts, sorted_distinct
from fpdb.pairs.compared_set import NONE, ComparedSet
from fpdb.regions.pair_aligner import AlignmentQuery, PairAligner
from fpdb.storage.index_reader import IndexReader

ALIGNED_FIRST: Final = 8
"""Documents that a document is aligned with, whatever is covered: small collections are compared in full."""
MAX_CACHED: Final = 1 << 24  # ranks that stay in memory with the hashes that they hold: 64 MB


class Passage(NamedTuple):
    """Characters [start, end) that another document has too, and the number of fingerprints shared in them."""

    start: int
    end: int
    other: str
    shared: int


class PassageFinder:
    """Find passages in the documents that are compared. Raises Corrupt, MissingPackage."""

    def __init__(self, reader: IndexReader, aligner: PairAligner, compared_set: ComparedSet) -> None:
        """Align documents that are compared one by one, not by owner."""
        self._aligner, self._compared_set = aligner, compared_set
        self._holders = _Holders(reader, compared_set)

    def find(self, query: AlignmentQuery, others: U32) -> tuple[list[Passage], "UnalignedDocuments | None"]:
        """Return passages of a document that other ranks have, and those of them that it was not aligned with, if any.

        others: those that share the most hashes first.
        """
        hashes = _CoveredHashes(query)
        passages = self._align(query, others[:ALIGNED_FIRST], hashes)
        if len(others) <= ALIGNED_FIRST:
            return passages, None
        unaligned = np.zeros(len(self._compared_set), np.bool_)
        unaligned[others[ALIGNED_FIRST:]] = True
        first_open = hashes.find_open()
        holders = self._holders.find(query.counted[first_open])
        while len(chosen := _choose(holders, contains(hashes.find_open(), first_open), unaligned)):
            passages += self._align(query, chosen, hashes)
            unaligned[chosen] = False
        return passages, UnalignedDocuments(self._holders, query, unaligned)

    def _align(self, query: AlignmentQuery, ranks: U32, hashes: "_CoveredHashes") -> list[Passage]:
        """Return the passages of these ranks, and note what they cover."""
        ids = [int(self._compared_set.document_ids(rank)[0]) for rank in ranks.tolist()]
        symbols = query.original.text.symbols
        passages = []
        for rank, alignment in zip(ranks.tolist(), self._aligner.align_query(query, ids), strict=True):
            for region in alignment.regions or ():
                hashes.cover(region.a_start, region.a_end)
                start, end = int(symbols.offsets[region.a_start]), int(symbols.ends[region.a_end - 1])
                passages.append(Passage(start, end, self._compared_set.name(rank), region.shared))
        return passages


def _choose(holders: list[U32], is_open: Bools, unaligned: Bools) -> U32:
    """Return for each open hash that unaligned ranks hold one of them, one that holds the most, each once."""
    parts = [ranks[unaligned[ranks]] for ranks, wanted in zip(holders, is_open.tolist(), strict=True) if wanted]
    ranks = np.concatenate([np.empty(0, np.uint32), *parts])
    lists = np.repeat(np.arange(len(parts)), [*map(len, parts)])
    counts = np.bincount(ranks)[ranks] if len(ranks) else lists
    order = np.lexsort((ranks, -counts, lists))
    return sorted_distinct(ranks[order][group_starts(lists[order])])


class UnalignedDocuments:
    """Documents that share hashes with a document, but were not aligned with it."""

    def __init__(self, holders: "_Holders", query: AlignmentQuery, ranks: Bools) -> None:
        """Take those of these ranks."""
        self._holders, self._query, self._ranks = holders, query, ranks

    def count(self, start: int, end: int) -> int:
        """Return how many share a fingerprint that begins in these characters [start, end). Raises Corrupt."""
        fingerprints = self._query.fingerprints
        places = self._query.original.text.symbols.offsets[fingerprints.positions]
        hashes = sorted_distinct(fingerprints.hashes[(places >= start) & (places < end)])
        remaining = self._ranks.copy()
        count, total = 0, int(remaining.sum())
        for ranks in self._holders.find(hashes[contains(self._query.counted, hashes)]):
            count += int(np.count_nonzero(remaining[ranks]))
            if count == total:  # soon, where all hold one passage
                break
            remaining[ranks] = False
        return count


class _Holders:
    """The ranks that hold a hash; those of the hashes that were asked for last stay in memory."""

    def __init__(self, reader: IndexReader, compared_set: ComparedSet) -> None:
        self._reader, self._compared_set = reader, compared_set
        self._ranks: OrderedDict[int, U32] = OrderedDict()
        self._cached = 0

    def find(self, hashes: U64) -> list[U32]:
        """Return the ranks that hold each of these hashes, sorted and distinct. Raises Corrupt."""
        keys = hashes.tolist()
        missing = np.array([key for key in keys if key not in self._ranks], np.uint64)
        if len(missing):
            hits = self._reader.look_up(missing)
            ranks = self._compared_set.ranks.look_up(hits.document_ids)
            hits, ranks = hits.filter(ranks != NONE), ranks[ranks != NONE]
            ends = np.cumsum(hits.counts)
            for key, start, end in zip(missing.tolist(), (ends - hits.counts).tolist(), ends.tolist(), strict=True):
                self._ranks[key] = ranks[start:end].copy()  # which keeps no other ranks in memory
                self._cached += end - start + 1
        found = [self._ranks[key] for key in keys]
        for key in keys:
            self._ranks.move_to_end(key)
        while self._cached > MAX_CACHED and self._ranks:
            self._cached -= len(self._ranks.popitem(last=False)[1]) + 1
        return found


class _CoveredHashes:
    """The counted hashes of a document, of which those are covered that lie in passages wherever it holds them."""

    def __init__(self, query: AlignmentQuery) -> None:
        counted = contains(query.counted, query.fingerprints.hashes)
        self._indices = np.searchsorted(query.counted, query.fingerprints.hashes[counted])
        self._positions, self._k = query.fingerprints.positions[counted].astype(np.int64), query.matching.k
        self._symbols = np.zeros(query.sequence.length + 1, np.bool_)

    def cover(self, start: int, end: int) -> None:
        """Note symbols [start, end) as covered."""
        self._symbols[start:end] = True

    def find_open(self) -> U32:
        """Return the indices of the counted hashes that have a k-gram which is not covered; sorted, distinct."""
        before = np.concatenate(([0], np.cumsum(self._symbols)))
        is_open = before[self._positions + self._k] - before[self._positions] < self._k
        return sorted_distinct(self._indices[is_open].astype(np.uint32))
