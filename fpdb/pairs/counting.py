"""Count the hashes that all pairs of documents share, through the index, and score the pairs.

No pair below the thresholds is made (winnowing paper, section 5.2): the posting lists of all hashes are gathered in
memory, and the pairs of one document after the other are counted in one array. Memory is 8 bytes a posting that is
shared (12 with weights), up to BUDGET of them at once, about 400 bytes a document, and 20 MB and more a thread.
Measures are Broder's (1997); weights are those of `rarity`.
"""

import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import combinations_with_replacement
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, Bools
from fpdb.pairs import _counting
from fpdb.pairs.corpus import NO_U32, read_corpus
from fpdb.pairs.duplicates import Duplicates
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.results import IgnoredHashes
from fpdb.search.rarity import weigh
from fpdb.search.scoring import ratio
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

BUDGET: Final = 1 << 27  # postings in memory at once: 1 GiB, half as much again with weights
ROOM: Final = 1 << 18  # pairs that a thread hands on at once
ROWS: Final = 1 << 12  # documents that a thread counts before it takes others
JOBS: Final = 4  # threads at most


class CountedPairs(NamedTuple):
    """Pairs of ranks, a before b in the order of names, with the hashes that they share; arrays of shape (n,).

    weight: what the shared hashes weigh; shape (0,) without weights. score: the measure that pairs are ranked by.
    """

    a: U32
    b: U32
    shared: U32
    weight: F64
    score: F64

    def take(self, indices: NDArray[np.intp] | Bools) -> "CountedPairs":
        """Return the pairs of these indices."""
        weight = self.weight[indices] if len(self.weight) else self.weight
        return CountedPairs(self.a[indices], self.b[indices], self.shared[indices], weight, self.score[indices])

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the pairs of all parts, of which there may be none."""
        none = cls(NO_U32, NO_U32, NO_U32, np.empty(0), np.empty(0))
        return cls(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))


class Measures(NamedTuple):
    """The measures of pairs, without weights or with them; shape (n,)."""

    containment_a: F64
    containment_b: F64
    resemblance: F64

    @classmethod
    def compute(cls, value: F64, sizes: tuple[F64, F64], shares: tuple[U32, U32] | None) -> Self:
        """Compute the measures. Of two samples, only what both are samples of counts: that share of the wider one.

        Args:
            value: The number of shared hashes, or their weight; shape (n,).
            sizes: The number of hashes of both documents, or what they weigh.
            shares: Of how much of all their hashes these are a sample, see file_format.WHOLE; None for no samples.
        """
        size_a, size_b = sizes
        if shares is not None:
            share_a, share_b = (share.astype(np.float64) + 1 for share in shares)
            common = np.minimum(share_a, share_b)
            size_a = np.maximum(size_a * (common / share_a), value)
            size_b = np.maximum(size_b * (common / share_b), value)
        return cls(ratio(value, size_a), ratio(value, size_b), ratio(value, size_a + size_b - value))

    def score(self, by: str) -> F64:
        """Return the measure to rank by: the resemblance, the mean of both containments or the larger one."""
        if by.endswith("resemblance"):
            return self.resemblance
        return self.mean if by in ("similarity", "mean_containment") else np.maximum(*self[:2])

    @property
    def mean(self) -> F64:
        """The mean of both containments."""
        return (self.containment_a + self.containment_b) / 2


class _Tile(NamedTuple):
    """Two ranges of ranks: pairs are made of one of a with a higher one of b."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


class PairCounter:
    """Count the pairs of the documents of one commit.

    max_df: the df from which hashes are left out; 0 for none. weights: of a hash by the number of
    owners that hold it; shape (0,) without weights.
    floor: pairs that score less may be left out; the caller may raise it. ignored: the hashes that are left out.
    duplicates: groups of documents that hold equal hashes of which some are left out. Their pairs are made of all of
    these: no posting is needed.
    """

    def __init__(
        self, reader: Reader, options: PairOptions, watch: Watch | None = None, *, cap_owners: bool = False
    ) -> None:
        """Read the sizes of the documents. Raises BadQuery if regions tell the measure; Corrupt.

        cap_owners: max_df is a number of owners, as where owners are compared.
        """
        self._reader, self._watch = reader, watch or _ignore
        self.options = options.told_by_hashes()
        self.corpus = read_corpus(reader, options)
        count = len(self.corpus)
        owners = len(self.corpus.owner_names)
        self.max_df = options.frequency_cap(owners if cap_owners else count)
        self.floor = min(float(options.min or 0), 2.0**32)
        self._sampled = bool((self.corpus.shares != file_format.WHOLE).any())
        self.weights: F64 = weigh(np.arange(owners + 1), owners) if options.weighted else np.empty(0)
        self._frequencies = _counting.Frequencies(
            self.corpus.owners if options.weighted or cap_owners else NO_U32, cap_owners
        )
        self._survey = _counting.Survey(count, self.corpus.new, self.max_df, self.weights, self._frequencies)
        done = 0
        for lists in self.corpus.posting_lists(reader):
            self._survey.add(lists)
            done += len(lists)
            self._watch("reading", "posting", done, reader.posting_count)
        self._counts = self._survey.sizes.astype(np.float64)
        self._sizes = self._survey.totals if options.weighted else self._counts
        self._whole_sizes: U32 = self._survey.sizes + self._survey.common_sizes
        self._whole_totals: F64 = self._survey.totals + self._survey.common_totals
        common = np.flatnonzero(self._survey.common_sizes)
        self.ignored = IgnoredHashes(self.max_df, self._survey.common, len(common))
        signatures = self._survey.signatures[common] if self.max_df else self._survey.signatures
        self.duplicates = Duplicates.find(self.corpus, common, self._whole_sizes[common], signatures)

    def batches(self) -> Iterator[CountedPairs]:
        """Yield all pairs that pass, in any order. Raises Corrupt."""
        for a, b in self.passing_duplicates().pairs(self.options.top):
            yield self._duplicate_pairs(a, b)
        yield from self.batches_without_duplicates()

    def passing_duplicates(self) -> Duplicates:
        """Return those of `duplicates` of which the pairs pass."""
        members = self.duplicates.members
        pairs = self._duplicate_pairs(members, members)
        passing = (pairs.shared >= self.options.min_shared) & (pairs.score >= self.floor)
        return self.duplicates.select(self.corpus, passing)

    def _duplicate_pairs(self, a: U32, b: U32) -> CountedPairs:
        return self.scored(a, b, np.zeros(len(a), np.uint32), np.zeros(len(a) if self.options.weighted else 0))

    def batches_without_duplicates(self) -> Iterator[CountedPairs]:
        """Yield all pairs that pass but those of `duplicates`, in any order. Raises Corrupt."""
        jobs = min(os.cpu_count() or 1, JOBS)
        room = max(ROOM, 2 * len(self.corpus))
        with ThreadPoolExecutor(jobs) as pool:
            of_union = self.options.by.endswith("resemblance")
            counters = [
                _counting.Counter(room, self.weights, self._sizes, self.corpus.owners, self.duplicates.sets, of_union)
                for _ in range(jobs)
            ]
            tiles = list(self._tiles())
            done, total = 0, sum(tile.a_end - tile.a_start for tile in tiles)
            for tile in tiles:
                for rows, pairs in self._count_tile(tile, pool, counters):
                    done += rows
                    self._watch("comparing", "document", done, total)
                    yield pairs

    def _tiles(self) -> Iterator[_Tile]:
        """Yield ranges, each against itself and all later ones, of which any two have postings within BUDGET.

        A range of a single document may have more.
        """
        count, new = len(self.corpus), self.corpus.new
        postings = np.cumsum(self._survey.paired, dtype=np.int64)
        if not count or postings[-1] <= BUDGET:
            yield _Tile(0, new, 0, count)
            return
        cuts = [0]
        while cuts[-1] < count:
            before = int(postings[cuts[-1] - 1]) if cuts[-1] else 0
            end = int(np.searchsorted(postings, before + BUDGET // 2, "right"))
            cuts.append(min(max(end, cuts[-1] + 1), count))
        for first, second in combinations_with_replacement(range(len(cuts) - 1), 2):
            if cuts[first] < new:
                yield _Tile(cuts[first], min(cuts[first + 1], new), cuts[second], cuts[second + 1])

    def _gather(self, tile: _Tile) -> _counting.TileLists:
        inside = np.zeros(len(self.corpus), np.bool_)
        inside[tile.a_start : tile.a_end] = inside[tile.b_start : tile.b_end] = True
        room = int(self._survey.paired[inside].sum(dtype=np.int64))
        gathered = _counting.TileLists(tile, room, self.max_df, self.options.weighted, self._frequencies)
        for lists in self.corpus.posting_lists(self._reader):
            gathered.add(lists)
        gathered.finish()
        return gathered

    def _count_tile(
        self, tile: _Tile, pool: ThreadPoolExecutor, counters: list[_counting.Counter]
    ) -> Iterator[tuple[int, CountedPairs]]:
        """Yield how many rows were counted, and their pairs; each thread takes one range of rows after the other."""
        lists = self._gather(tile)
        rows = max(1, min(ROWS, (tile.a_end - tile.a_start) // (4 * len(counters))))
        ranges = deque((start, min(start + rows, tile.a_end)) for start in range(tile.a_start, tile.a_end, rows))
        running: deque[tuple[_counting.Counter, int, int, Future[tuple[int, CountedPairs]]]] = deque()

        def start(counter: _counting.Counter, row: int, end: int) -> None:
            running.append((counter, row, end, pool.submit(self._count_rows, lists, counter, row, end)))

        for counter in counters:
            if ranges:
                start(counter, *ranges.popleft())
        while running:
            counter, first, end, future = running.popleft()
            row, pairs = future.result()
            if row < end:
                start(counter, row, end)
            elif ranges:
                start(counter, *ranges.popleft())
            yield row - first, pairs

    def _count_rows(
        self, lists: _counting.TileLists, counter: _counting.Counter, row: int, end: int
    ) -> tuple[int, CountedPairs]:
        """Count until the rows, or the room for pairs, end; return the row to go on with, and the pairs that pass."""
        by_count = self.options.by == "shared"
        min_shared = max(self.options.min_shared, math.ceil(self.floor) if by_count else 1)
        min_ratio = 0.0 if by_count or self._sampled else self.floor
        row, count = counter.count(lists, row, end, min(min_shared, file_format.DEAD), min_ratio)
        a, b, shared = (column[:count].copy() for column in (counter.a, counter.b, counter.shared))
        order = self.corpus.name_order
        swapped = order[a] > order[b]
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        pairs = self.scored(a, b, shared, counter.weight[:count].copy())
        return row, pairs.take(pairs.score >= self.floor)

    def scored(self, a: U32, b: U32, shared: U32, weight: F64) -> CountedPairs:
        """Return pairs with the measure that they are ranked by. Duplicates share all hashes, whatever was counted."""
        if len(self.duplicates.sets):
            equal = self.duplicates.are_equal(a, b)
            shared = np.where(equal, self._whole_sizes[a], shared)
            weight = np.where(equal, self._whole_totals[a], weight) if len(weight) else weight
        pairs = CountedPairs(a, b, shared, weight, shared.astype(np.float64))
        if self.options.by == "shared":
            return pairs
        return pairs._replace(score=self.measures(pairs, weighted=self.options.weighted).score(self.options.by))

    def measures(self, pairs: CountedPairs, *, weighted: bool) -> Measures:
        """Return the measures of pairs, with weights or without."""
        sizes = self._sizes if weighted else self._counts
        shares = (self.corpus.shares[pairs.a], self.corpus.shares[pairs.b]) if self._sampled else None
        value = pairs.weight if weighted else pairs.shared.astype(np.float64)
        size_a, size_b = sizes[pairs.a], sizes[pairs.b]
        if len(self.duplicates.sets):
            equal = self.duplicates.are_equal(pairs.a, pairs.b)
            size_a, size_b = np.where(equal, value, size_a), np.where(equal, value, size_b)
        return Measures.compute(value, (size_a, size_b), shares)

    def ranked(self, pairs: CountedPairs) -> CountedPairs:
        """Return the first `top` pairs, by the measure, then shared, both descending, then the names' bytes."""
        order = self.corpus.name_order
        ranking = np.lexsort((order[pairs.b], order[pairs.a], -pairs.shared.astype(np.int64), -pairs.score))
        return pairs.take(ranking[: self.options.top])


def _ignore(*_: object) -> None:
    """Watch nothing."""
