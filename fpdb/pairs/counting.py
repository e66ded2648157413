"""All documents against all, through the index: which ranks share hashes, how many, and how they score.

No pair below the thresholds is made (winnowing paper, section 5.2): the posting lists of all hashes are gathered in
memory, and the pairs of one document after the other are counted in one array. Memory is 8 bytes a posting that is
shared (12 with weights), up to BUDGET of them at once, about 400 bytes a document, and 20 MB and more a thread.
Measures are Broder's (1997); weights are those of `rarity`. Knows nothing of what becomes of the pairs.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations_with_replacement
from numbers import Integral, Real
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, Bools
from fpdb.errors import BadQuery
from fpdb.pairs import _counting
from fpdb.pairs.corpus import NO_U32, collect, newness_rule, owner_rule, posting_lists
from fpdb.search.rarity import ratio, weigh
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

BUDGET: Final = 1 << 27  # postings in memory at once: 1 GiB, half as much again with weights
ROOM: Final = 1 << 18  # pairs that a thread hands on at once
ROWS: Final = 1 << 12  # documents that a thread counts before it takes others
JOBS: Final = 4  # threads at most

Watch = Callable[[str, str, int, int], None]
"""Is told the stage, what is counted in it, how many are done, and of how many."""

CONNECTED: Final = 0.5  # the measure from which a pair connects its documents, unless told
REGIONAL: Final = ("coverage", "weighted_coverage")
"""Measures that regions tell."""

MEASURES: Final = ("containment", "resemblance", "shared", "weighted_containment", "weighted_resemblance", *REGIONAL)
SMALL: Final = 10_000  # documents up to which no hash is common
COMMON: Final = 1_000  # documents that make a hash common in a larger collection


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Which pairs. Raises BadQuery when made from what makes no sense.

    min_shared: the fewest hashes a pair shares. by: the measure to rank by, one of MEASURES; containment and coverage
    are the larger of both directions. Only pairs of documents can be ranked by one of REGIONAL: the regions of all that
    share enough hashes are found, which takes the longer the more they are. min: the least measure, inclusive. top: the
    most pairs to return. max_df: leave out hashes that this many documents hold, on both sides; 0 for none; by default
    none in a collection of up to SMALL documents, else COMMON. new: a label (KEY, VALUE), since: a moment; where given,
    one document of each pair has the label, and was added then or later. owners: "label:KEY" or "path:N", the first N
    parts of the name; documents of one owner are never paired. by_owner: pairs of owners, whose documents count as one.
    """

    min_shared: int = 1
    by: str = "containment"
    min: float | None = None
    top: int | None = None
    max_df: int | None = None
    new: tuple[str, str] | None = None
    since: datetime | None = None
    owners: str = "label:owner"
    by_owner: bool = False

    def __post_init__(self) -> None:
        if self.by not in MEASURES:
            raise BadQuery(f"by must be one of {', '.join(MEASURES)}, not {self.by!r}")
        for name, least in (("min_shared", 1), ("max_df", 0), ("top", 1)):
            value = getattr(self, name)
            if (value is None and name != "min_shared") or (isinstance(value, Integral) and int(value) >= least):
                continue
            raise BadQuery(f"{name} must be a whole number, {least} or more, not {value!r}")
        most = math.inf if self.by == "shared" else 1
        if self.min is not None and not (isinstance(self.min, Real) and 0 <= self.min <= most):
            raise BadQuery(f"min must lie in [0, 1] for {self.by}, not {self.min!r}")
        owner_rule(self.owners)
        if self.by_owner:
            self.told_by_hashes()

    @property
    def weighted(self) -> bool:
        """Whether hashes weigh by their rarity."""
        return self.by.startswith("weighted_")

    @property
    def regional(self) -> bool:
        """Whether the measure is told by regions."""
        return self.by in REGIONAL

    def of_all(self) -> PairOptions:
        """For all pairs, by a measure that hashes tell; weighted if these are."""
        return replace(self, by="weighted_containment" if self.weighted else "containment", min=None, top=None)

    def told_by_hashes(self) -> PairOptions:
        """The same, where hashes tell the measure. Raises BadQuery."""
        if self.regional:
            raise BadQuery(f"only pairs of documents can be ranked by {self.by}: give another measure")
        return self

    def connecting(self) -> PairOptions:
        """The same for pairs that connect documents: `min` is CONNECTED, unless given or ranked by shared hashes."""
        return replace(self, min=CONNECTED) if self.min is None and self.by != "shared" else self


def cap_of(max_df: int | None, documents: int) -> int:
    """From which df on hashes are left out; 0 for never. max_df: as in `PairOptions`."""
    return (COMMON if documents > SMALL else 0) if max_df is None else max_df


class Found(NamedTuple):
    """Pairs of ranks, a before b in the order of names; arrays of shape (n,). weight: of what they share, shape (0,)
    without weights. score: the measure they are ranked by."""

    a: U32
    b: U32
    shared: U32
    weight: F64
    score: F64

    def take(self, which: NDArray[np.intp] | Bools) -> Found:
        """Those pairs."""
        weight = self.weight[which] if len(self.weight) else self.weight
        return Found(self.a[which], self.b[which], self.shared[which], weight, self.score[which])


NOTHING: Final = Found(NO_U32, NO_U32, NO_U32, np.empty(0), np.empty(0))


class Comparison:
    """One run over a commit's documents."""

    def __init__(self, view: Reader, options: PairOptions, watch: Watch | None = None) -> None:
        """watch: is told how it gets on. Raises BadQuery: the measure is told by regions; Corrupt."""
        self.view = view
        self.options = options.told_by_hashes()
        self._watch = watch or _nobody
        rules = owner_rule(options.owners), newness_rule(options.new, options.since)
        self.documents = collect(view, *rules, by_owner=options.by_owner)
        count = len(self.documents)
        self.max_df = cap_of(options.max_df, count)
        self.floor = min(float(options.min or 0), 2.0**32)
        self._sampled = bool((self.documents.shares != file_format.WHOLE).any())
        self.weights: F64 = np.empty(0)
        if options.weighted:
            self.weights = weigh(np.arange(count + 1), count)
        self._sizes = np.zeros(count, np.uint32)
        self._paired = np.zeros(count, np.uint32)
        self._totals = np.zeros(count if options.weighted else 0)
        done = 0
        for lists in posting_lists(view, self.documents):
            _counting.survey(
                lists, self.max_df, self.documents.new, self.weights, self._sizes, self._paired, self._totals
            )
            done += len(lists)
            self._watch("reading", "posting", done, view.posting_count)
        self._bounds = self._totals if options.weighted else self._sizes.astype(np.float64)

    def batches(self) -> Iterator[Found]:
        """All pairs that pass, in no order. What scores below `floor`, which may rise meanwhile, may be left out."""
        jobs = min(os.cpu_count() or 1, JOBS)
        room = max(ROOM, 2 * len(self.documents))
        with ThreadPoolExecutor(jobs) as pool:
            counters = [_counting.Counter(len(self.documents), room, self.options.weighted) for _ in range(jobs)]
            tiles = list(self._tiles())
            done, total = 0, sum(tile.a_end - tile.a_start for tile in tiles)
            for tile in tiles:
                for rows, found in self._count(self._gathered(tile), pool, counters):
                    done += rows
                    self._watch("comparing", "document", done, total)
                    yield found

    def _tiles(self) -> Iterator[_Tile]:
        """Ranges of ranks, each against itself and all that follow, any two of which have postings within BUDGET (or
        are single documents)."""
        count, new = len(self.documents), self.documents.new
        held = np.cumsum(self._paired, dtype=np.int64)
        if not count or held[-1] <= BUDGET:
            yield _Tile(0, new, 0, count)
            return
        cuts = [0]
        while cuts[-1] < count:
            before = int(held[cuts[-1] - 1]) if cuts[-1] else 0
            end = int(np.searchsorted(held, before + BUDGET // 2, "right"))
            cuts.append(min(max(end, cuts[-1] + 1), count))
        for first, second in combinations_with_replacement(range(len(cuts) - 1), 2):
            if cuts[first] < new:
                yield _Tile(cuts[first], min(cuts[first + 1], new), cuts[second], cuts[second + 1])

    def _gathered(self, tile: _Tile) -> _Lists:
        """The lists of the tile. Raises Corrupt."""
        inside = np.zeros(len(self.documents), np.bool_)
        inside[tile.a_start : tile.a_end] = inside[tile.b_start : tile.b_end] = True
        room = int(self._paired[inside].sum(dtype=np.int64))
        members = np.empty(room, np.uint32)
        frequencies = np.empty(room if self.options.weighted else 0, np.uint32)
        at = 0
        for lists in posting_lists(self.view, self.documents):
            at = _counting.keep(lists, self.max_df, *tile, members, frequencies, at)
        members = members[:at]
        return _Lists(tile, members, frequencies, *_counting.index(members, tile.a_start, tile.a_end))

    def _count(
        self, lists: _Lists, pool: ThreadPoolExecutor, counters: list[_counting.Counter]
    ) -> Iterator[tuple[int, Found]]:
        """How many rows were counted, and their pairs; each thread counts the rows of one stretch after the other."""
        tile = lists.tile
        rows = max(1, min(ROWS, (tile.a_end - tile.a_start) // (4 * len(counters))))
        stretches = deque((start, min(start + rows, tile.a_end)) for start in range(tile.a_start, tile.a_end, rows))
        at_work: deque[tuple[_counting.Counter, int, int, Future[tuple[int, Found]]]] = deque()

        def start(counter: _counting.Counter, row: int, end: int) -> None:
            at_work.append((counter, row, end, pool.submit(self._count_rows, lists, counter, row, end)))

        for counter in counters:
            if stretches:
                start(counter, *stretches.popleft())
        while at_work:
            counter, first, end, future = at_work.popleft()
            row, found = future.result()
            if row < end:
                start(counter, row, end)
            elif stretches:
                start(counter, *stretches.popleft())
            yield row - first, found

    def _count_rows(self, lists: _Lists, counter: _counting.Counter, row: int, end: int) -> tuple[int, Found]:
        """Counts until the rows, or the room for pairs, end; returns the row to go on with."""
        options, floor, tile = self.options, self.floor, lists.tile
        by_count = options.by == "shared"
        row, found = counter.count(
            lists.members,
            lists.frequencies,
            self.weights,
            lists.offsets,
            lists.places,
            tile.a_start,
            row,
            end,
            tile.b_start,
            tile.b_end,
            min(max(options.min_shared, math.ceil(floor) if by_count else 1), file_format.DEAD),
            self._bounds,
            0.0 if by_count or self._sampled else floor,
            options.by.endswith("resemblance"),
            self.documents.owners,
        )
        weight = counter.weight[:found].copy()
        return row, self._passing(counter.a[:found].copy(), counter.b[:found].copy(), counter.shared[:found], weight)

    def _passing(self, a: U32, b: U32, shared: U32, weight: F64) -> Found:
        order = self.documents.order
        swapped = order[a] > order[b]
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        found = Found(a, b, shared.copy(), weight, np.empty(len(a)))
        found = found._replace(score=self.score(found))
        return found.take(found.score >= self.floor)

    def score(self, found: Found) -> F64:
        """The measure that pairs are ranked by; shape (n,)."""
        if self.options.by == "shared":
            return found.shared.astype(np.float64)
        of_a, of_b, of_both = self.measures(found, weighted=self.options.weighted)
        return of_both if self.options.by.endswith("resemblance") else np.maximum(of_a, of_b)

    def measures(self, found: Found, *, weighted: bool) -> tuple[F64, F64, F64]:
        """The containment of a, that of b, and the resemblance, of each pair; shape (n,).

        Of two samples, only what both are samples of counts: about that share of the wider one.
        """
        value = found.weight if weighted else found.shared.astype(np.float64)
        sizes = self._totals if weighted else self._sizes
        size_a, size_b = sizes[found.a].astype(np.float64), sizes[found.b].astype(np.float64)
        if self._sampled:
            share_a = self.documents.shares[found.a].astype(np.float64) + 1
            share_b = self.documents.shares[found.b].astype(np.float64) + 1
            common = np.minimum(share_a, share_b)
            size_a = np.maximum(size_a * (common / share_a), value)
            size_b = np.maximum(size_b * (common / share_b), value)
        return ratio(value, size_a), ratio(value, size_b), ratio(value, size_a + size_b - value)

    def ranked(self, found: Found) -> Found:
        """The first `top` pairs, in order."""
        order = self.documents.order
        ranking = np.lexsort((order[found.b], order[found.a], -found.shared.astype(np.int64), -found.score))
        return found.take(ranking[: self.options.top])


def _nobody(*_: object) -> None:
    """Watches nothing."""


class _Tile(NamedTuple):
    """Ranks of two ranges, the ends not included: pairs of one of a with a higher one of b."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


class _Lists(NamedTuple):
    """A tile's posting lists, and where its documents stand in them; see `_counting`."""

    tile: _Tile
    members: U32
    frequencies: U32
    offsets: I64
    places: U32
