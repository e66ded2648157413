"""Count the hashes that all pairs of documents share, through the index.

No pair below the thresholds is made (winnowing paper, section 5.2): the posting lists of all hashes, or of those of new
documents, are gathered in memory, and the pairs of one document after the other are counted in one array. Memory is 8
bytes a posting that is shared (12 with weights), up to BUDGET of them at once, about 400 bytes a document, and 20 MB
and more a thread.
"""

import math
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import combinations_with_replacement
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, U64, contains, sorted_distinct
from fpdb.errors import Corrupt
from fpdb.pairs import _counting
from fpdb.pairs.access_path import hashes_to_look_up
from fpdb.pairs.common_hashes import CommonHashes
from fpdb.pairs.compared_set import LAST, NO_U32, read_compared_set
from fpdb.pairs.duplicates import DuplicateGroups
from fpdb.pairs.evidence import EvidenceCheck
from fpdb.pairs.measures import CountedPairs
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.pair_scorer import CountedSizes, PairScorer, least_score
from fpdb.pairs.results import Comparison, IgnoredHashes
from fpdb.regions.sources import Contents
from fpdb.search.rarity import weigh
from fpdb.storage import file_format
from fpdb.storage.index_reader import IndexReader

BUDGET: Final = 1 << 27  # postings in memory at once: 1 GiB, half as much again with weights
ROOM: Final = 1 << 18  # pairs that a thread hands on at once
ROWS: Final = 1 << 12  # documents that a thread counts before it takes others
JOBS: Final = 4  # threads at most

T = TypeVar("T")


class _Panel(NamedTuple):
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
        self,
        reader: IndexReader,
        options: PairOptions,
        watch: Watch | None = None,
        *,
        contents: Contents | None = None,
        cap_owners: bool = False,
    ) -> None:
        """Read the sizes of the documents. Raises BadQuery if regions tell the measure; Corrupt.

        contents: see `EvidenceCheck`. cap_owners: max_df is a number of owners, as where owners are compared.
        """
        self._reader, self._watch = reader, watch or _ignore
        self.options = options.told_by_hashes()
        self.compared_set = read_compared_set(reader, options)
        count = len(self.compared_set)
        owners = len(self.compared_set.owner_names)
        self.max_df = options.frequency_cap(owners if cap_owners else count)
        self.floor = least_score(options)
        self.weights: F64 = weigh(np.arange(owners + 1), owners) if options.weighted else np.empty(0)
        self._frequencies = _counting.Frequencies(
            self.compared_set.owners if options.weighted or cap_owners else NO_U32, cap_owners
        )
        self._survey = _counting.Survey(count, self.compared_set.new, self.max_df, self.weights, self._frequencies)
        self._hashes = hashes_to_look_up(reader, self.compared_set, options, self.max_df)
        self._lists: list[U32] | None = [] if self.compared_set.new < count else None
        self._read_lists()
        sizes = CountedSizes.of(self._survey)
        self._sizes = sizes.totals if options.weighted else sizes.counts
        common = np.flatnonzero(self._survey.common_sizes)
        self.ignored = IgnoredHashes(self.max_df, self._survey.common, len(common))
        self.duplicates = self._find_duplicates(common, sizes.whole_counts)
        evidence_check = EvidenceCheck(reader, contents, self.compared_set, options.few)
        self.scorer = PairScorer(self.compared_set, self.options, sizes, self.duplicates, evidence_check)

    def _read_lists(self) -> None:
        """Survey the posting lists, and keep those of new documents if there is room."""
        compared_set, done, held = self.compared_set, 0, 0
        total = self._reader.posting_count if self._hashes is None else len(self._hashes)
        for lists in compared_set.posting_lists(self._reader, self._hashes):
            self._survey.add(lists)
            if self._lists is not None:
                self._lists.append(_counting.lists_of_new(lists, compared_set.new))
                held += len(self._lists[-1])
                self._lists = self._lists if held <= BUDGET // 4 else None
            done += len(lists) if self._hashes is None else int(np.count_nonzero(lists >= LAST))
            self._watch("reading", "posting" if self._hashes is None else "fingerprint", done, total)
        if self._hashes is not None:
            self._read_sizes()

    def _read_sizes(self) -> None:
        """Take the sizes of documents, of which only some hashes were looked up, from the catalogue. Raises Corrupt."""
        stored = self._reader.catalogue.sizes(self.compared_set.members.document_ids)
        held, common_sizes = stored["hashes"] - stored["boilerplate"], self._survey.common_sizes
        if (held < self._survey.sizes + common_sizes).any():
            raise Corrupt("a document has more hashes than its size says; run 'fpdb check'")
        self._survey.sizes[:] = held - common_sizes

    def _find_duplicates(self, common: NDArray[np.intp], whole_sizes: U32) -> DuplicateGroups:
        """Return the groups among ranks of which a cap leaves hashes out, and among those that have none.

        Where the same few hashes could be those of different contents, the groups are of the same content.
        """
        compared_set, survey = self.compared_set, self._survey
        ranks = np.concatenate((common, np.flatnonzero(compared_set.without_hashes)))
        sizes = whole_sizes[ranks]
        signatures: U64 = survey.signatures[ranks] if self.max_df else np.zeros(len(ranks), np.uint64)
        by_content = compared_set.without_hashes[ranks] | (sizes < self.options.few) & ~compared_set.complete[ranks]
        contents = np.unique(compared_set.digests[ranks[by_content]], axis=0, return_inverse=True)[1]
        signatures[by_content] = contents.reshape(-1)
        # Old documents are never a pair, and signatures of hashes that are looked up tell only who equals a new one.
        of_new = sorted_distinct(signatures[ranks < compared_set.new])
        beside_new = contains(of_new, signatures)
        return DuplicateGroups.find(compared_set, ranks[beside_new], sizes[beside_new], signatures[beside_new])

    def common_hashes(self) -> CommonHashes:
        """Return what looks up the hashes that are left out, in the reader."""
        return CommonHashes(self._reader, self.compared_set, self.max_df)

    def compared(self, results: Iterator[T]) -> Comparison[T]:
        """Return results with what was left out of them."""
        return Comparison(results, self.ignored, self.compared_set.advice, self.scorer.held_back)

    def batches(self) -> Iterator[CountedPairs]:
        """Yield all pairs that pass, in any order. Raises Corrupt."""
        yield from map(self.scorer.passing, self.estimates())

    def estimates(self) -> Iterator[CountedPairs]:
        """Yield all pairs that pass by their fingerprints; some may not, see `EvidenceCheck`. Raises Corrupt."""
        for a, b in self.scorer.passing_duplicates().pairs(self.options.top):
            yield self.scorer.duplicate_pairs(a, b)
        yield from self._estimates_without_duplicates()

    def batches_without_duplicates(self) -> Iterator[CountedPairs]:
        """Yield all pairs that pass but those of `duplicates`, in any order. Raises Corrupt."""
        yield from map(self.scorer.passing, self._estimates_without_duplicates())

    def _estimates_without_duplicates(self) -> Iterator[CountedPairs]:
        jobs = min(os.cpu_count() or 1, JOBS)
        room = max(ROOM, 2 * len(self.compared_set))
        with ThreadPoolExecutor(jobs) as pool:
            of_union = self.options.by.endswith("resemblance")
            counters = [
                _counting.Counter(
                    room, self.weights, self._sizes, self.compared_set.owners, self.duplicates.sets, of_union
                )
                for _ in range(jobs)
            ]
            panels = list(self._panels())
            done, total = 0, sum(panel.a_end - panel.a_start for panel in panels)
            for panel in panels:
                for rows, pairs in self._count_panel(panel, pool, counters):
                    done += rows
                    self._watch("comparing", "document", done, total)
                    yield pairs

    def _panels(self) -> Iterator[_Panel]:
        """Yield ranges, each against itself and all later ones, of which any two have postings within BUDGET.

        A range of a single document may have more.
        """
        count, new = len(self.compared_set), self.compared_set.new
        postings = np.cumsum(self._survey.paired, dtype=np.int64)
        if not count or postings[-1] <= BUDGET:
            yield _Panel(0, new, 0, count)
            return
        cuts = [0]
        while cuts[-1] < count:
            before = int(postings[cuts[-1] - 1]) if cuts[-1] else 0
            end = int(np.searchsorted(postings, before + BUDGET // 2, "right"))
            cuts.append(min(max(end, cuts[-1] + 1), count))
        for first, second in combinations_with_replacement(range(len(cuts) - 1), 2):
            if cuts[first] < new:
                yield _Panel(cuts[first], min(cuts[first + 1], new), cuts[second], cuts[second + 1])

    def posting_lists(self) -> Iterable[U32]:
        """Return the posting lists of all hashes that new documents share, in parts of whole lists. Raises Corrupt."""
        return self.compared_set.posting_lists(self._reader, self._hashes) if self._lists is None else self._lists

    def _gather(self, panel: _Panel) -> _counting.PanelLists:
        inside = np.zeros(len(self.compared_set), np.bool_)
        inside[panel.a_start : panel.a_end] = inside[panel.b_start : panel.b_end] = True
        room = int(self._survey.paired[inside].sum(dtype=np.int64))
        gathered = _counting.PanelLists(panel, room, self.max_df, self.options.weighted, self._frequencies)
        for lists in self.posting_lists():
            gathered.add(lists)
        gathered.finish()
        return gathered

    def _count_panel(
        self, panel: _Panel, pool: ThreadPoolExecutor, counters: list[_counting.Counter]
    ) -> Iterator[tuple[int, CountedPairs]]:
        """Yield how many rows were counted, and their pairs; each thread takes one range of rows after the other."""
        lists = self._gather(panel)
        rows = max(1, min(ROWS, (panel.a_end - panel.a_start) // (4 * len(counters))))
        ranges = deque((start, min(start + rows, panel.a_end)) for start in range(panel.a_start, panel.a_end, rows))
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
        self, lists: _counting.PanelLists, counter: _counting.Counter, row: int, end: int
    ) -> tuple[int, CountedPairs]:
        """Count until the rows, or the room for pairs, end; return the row to go on with, and the pairs that pass."""
        by_count = self.options.by == "shared"
        min_shared = max(self.options.min_shared, math.ceil(self.floor) if by_count else 1)
        min_ratio = 0.0 if by_count or self.scorer.sampled else self.floor
        row, count = counter.count(lists, row, end, min(min_shared, file_format.DEAD), min_ratio)
        a, b, shared = (column[:count].copy() for column in (counter.a, counter.b, counter.shared))
        order = self.compared_set.name_order
        swapped = order[a] > order[b]
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        pairs = self.scorer.scored(a, b, shared, counter.weight[:count].copy())
        return row, pairs.take(pairs.score >= self.floor)


def _ignore(*_: object) -> None:
    """Watch nothing."""
