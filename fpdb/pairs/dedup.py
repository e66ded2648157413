"""Drop lists: which documents to remove so that no pair that passes the thresholds is left.

Of each cluster one document is kept, by a `KeepRule`; or, directly, all are kept that are not similar to a kept one.
Memory is that of `PairCounter`, and directly 16 bytes a pair that passes. Reads the posting lists of `PairCounter` once
more, for the counts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, U64, Bools, contains, sorted_distinct
from fpdb.errors import BadQuery
from fpdb.pairs.clusters import ClusterIndex, connect_pairs
from fpdb.pairs.compared_set import LAST, NONE, ComparedSet
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.duplicates import DuplicateGroups
from fpdb.pairs.evidence import EVIDENCE, Evidence
from fpdb.pairs.keep_policy import KeepRule, keep_order
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.pair_scorer import JudgedPairs
from fpdb.pairs.results import Comparison
from fpdb.regions.sources import Contents
from fpdb.storage.index_reader import IndexReader

RANK_BITS: Final = np.uint64(32)  # the low bits of a key of a posting list and a rank


@dataclass(frozen=True, slots=True)
class Drop:
    """A document to remove.

    Attributes:
        name: Its name.
        kept: The document that is kept instead.
        cluster: The smallest name of the documents that pairs connect.
        size: The number of these documents.
        shared: The hashes that it has in common with the kept one.
        measure: The measure of both by which pairs were ranked.
        reason: "similar": the two are a pair that passes; "connected": they are not, but pairs connect them.
        evidence: What tells the measure, see `pairs.evidence.Evidence`.
    """

    name: str
    kept: str
    cluster: str
    size: int
    shared: int
    measure: float
    reason: Literal["similar", "connected"]
    evidence: Evidence

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb drop-list --format json` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Kept:
    """A document that stays.

    Attributes:
        name: Its name.
        dropped: The number of documents that are removed, since this one is kept.
    """

    name: str
    dropped: int

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb drop-list --kept --format json` prints it."""
        return asdict(self)


def keep_list(names: Iterable[str], drops: Iterable[Drop]) -> Iterator[Kept]:
    """Yield those of the documents that stay when the others are removed."""
    dropped: set[str] = set()
    counts: Counter[str] = Counter()
    for drop in drops:
        dropped.add(drop.name)
        counts[drop.kept] += 1
    return (Kept(name, counts[name]) for name in names if name not in dropped)


def drop_list(
    reader: IndexReader,
    options: PairOptions,
    keep: str,
    *,
    direct: bool,
    watch: Watch | None = None,
    contents: Contents | None = None,
) -> Comparison[Drop]:
    """Return the documents to remove, those of the largest clusters first, then by the cluster's name and their own.

    `keep` chooses the document that is kept, see `KeepRule`. With `direct`, only documents that are a pair with a kept
    one are removed. If the options say which documents are new, only these are removed. Raises BadQuery, Corrupt.
    """
    if options.by_owner:
        raise BadQuery("a drop list names documents, not owners: leave by_owner out")
    rule = KeepRule.parse(keep)
    counter = PairCounter(reader, replace(options, top=None), watch, contents=contents)
    compared_set, order = counter.compared_set, counter.compared_set.name_order
    pairs: list[U32] = []
    clusters = connect_pairs(counter, pairs if direct else None)
    places = keep_order(reader, compared_set, rule)
    kept = _first_of_cluster(clusters.heads, places)
    if direct:
        kept = _first_linked(places, pairs, counter.scorer.passing_duplicates())
    kept[compared_set.new :] = NONE
    dropped = np.flatnonzero(kept != NONE)
    dropped = dropped[np.lexsort((order[dropped], order[clusters.heads[dropped]], -clusters.sizes[dropped]))]
    dropped = dropped[: options.top]
    results: Iterator[Drop] = iter(())
    if len(dropped):
        judged = _judge_pairs(counter, dropped.astype(np.uint32), kept[dropped])
        results = _describe(
            compared_set, clusters, judged, np.stack((dropped, kept[dropped])), counter.scorer.passes(judged.pairs)
        )
    return counter.compared(results)


def _describe(
    compared_set: ComparedSet, clusters: ClusterIndex, judged: JudgedPairs, ranks: NDArray[np.integer], passes: Bools
) -> Iterator[Drop]:
    """Yield the documents to drop. ranks: of each, and of what is kept instead; shape (2, n)."""
    values = judged.pairs.shared.tolist(), judged.pairs.score.tolist(), judged.evidence.tolist(), passes.tolist()
    for rank, kept, shared, score, evidence, similar in zip(*ranks.tolist(), *values, strict=True):
        yield Drop(
            compared_set.name(rank),
            compared_set.name(kept),
            compared_set.name(int(clusters.heads[rank])),
            int(clusters.sizes[rank]),
            shared,
            score,
            "similar" if similar else "connected",
            EVIDENCE[evidence],
        )


def _first_of_cluster(heads: U32, places: I64) -> U32:
    """Return the rank that is kept of each rank's cluster, or NONE for this rank itself; shape (n,)."""
    count = len(places)
    first = np.full(count, count, np.int64)
    np.minimum.at(first, heads, places)
    rank_at = np.argsort(places).astype(np.uint32)
    kept = rank_at[first[heads]] if count else np.empty(0, np.uint32)
    kept[kept == np.arange(count)] = NONE
    return kept


def _first_linked(places: I64, pairs: list[U32], duplicates: DuplicateGroups) -> U32:
    """Keep ranks in order, unless they are a pair with a kept one; return the first such one, or NONE; shape (n,).

    pairs: those that are not of duplicates.
    """
    count = len(places)
    rank_at = np.argsort(places).astype(np.uint32)
    later, bounds = _later_places(places, pairs)
    firsts = np.flatnonzero(bounds[1:] > bounds[:-1])
    equal = _DuplicatesInOrder(places, duplicates)
    keeper = np.full(count, -1, np.int64)  # by place
    for place in sorted({*firsts.tolist(), *equal.indices}):
        if keeper[place] < 0:
            for others in (later[bounds[place] : bounds[place + 1]], equal.later(place)):
                if others is not None:
                    keeper[others[keeper[others] < 0]] = place
    kept = np.full(count, NONE, np.uint32)
    dropped = np.flatnonzero(keeper >= 0)
    kept[rank_at[dropped]] = rank_at[keeper[dropped]]
    return kept


def _later_places(places: I64, pairs: list[U32]) -> tuple[U32, I64]:
    """Take the pairs, and return the later places that each place is a pair with, and where those of each begin.

    The pairs, of which there may be very many, are given up one part after the other.
    """
    by_rank = places.astype(np.uint64)
    keys = np.empty(sum(part.shape[1] for part in pairs), np.uint64)
    end = 0
    while pairs:
        a, b = by_rank[pairs.pop()]
        keys[end : end + len(a)] = np.minimum(a, b) << RANK_BITS | np.maximum(a, b)
        end += len(a)
    keys.sort()
    starts = np.arange(len(places) + 1, dtype=np.uint64) << RANK_BITS
    return keys.astype(np.uint32), np.searchsorted(keys, starts)


class _DuplicatesInOrder:
    """Duplicates as ranks are kept; indices: of the members, by place.

    All duplicates of two kept members of different owners are kept, or linked to one of these: more need not be asked
    for.
    """

    def __init__(self, places: I64, duplicates: DuplicateGroups) -> None:
        self._places, self._duplicates = places, duplicates
        self.indices: dict[int, int] = {place: index for index, place in enumerate(places[duplicates.members].tolist())}
        self._owners: defaultdict[int, set[int]] = defaultdict(set)

    def later(self, place: int) -> I64 | None:
        """Return the later places of a kept member's partners; None if there are none, or all are linked already."""
        index = self.indices.get(place)
        if index is None:
            return None
        owner, owners = self._duplicates.owner(index), self._owners[int(self._duplicates.groups[index])]
        if owner in owners or len(owners) > 1:
            return None
        owners.add(owner)
        later: I64 = self._places[self._duplicates.partners(index)]
        return later[later > place]


def _judge_pairs(counter: PairCounter, dropped: U32, kept: U32) -> JudgedPairs:
    """Count what each dropped rank, of all different ones, shares with the kept one, and judge it. Raises Corrupt."""
    compared_set, weights = counter.compared_set, counter.weights
    other = np.full(len(compared_set), NONE, np.uint32)
    other[dropped] = kept
    shared = np.zeros(len(compared_set), np.uint32)
    weight: F64 = np.zeros(len(compared_set) if len(weights) else 0)
    for members in counter.posting_lists():
        is_last, ranks = members >= LAST, members & ~LAST
        lists = np.cumsum(is_last, dtype=np.uint64) - is_last
        keys = lists << RANK_BITS | ranks
        frequencies = np.bincount(lists.astype(np.int64))[lists.astype(np.int64)]
        asked = other[ranks] != NONE
        if counter.max_df:
            asked &= frequencies < counter.max_df
        found = contains(keys, lists[asked] << RANK_BITS | other[ranks[asked]])
        holders = ranks[asked][found]
        np.add.at(shared, holders, 1)
        if len(weight):
            owners = _count_owners(lists, compared_set.owner_of(ranks))
            np.add.at(weight, holders, weights[owners[asked][found]])
    swapped = compared_set.name_order[dropped] > compared_set.name_order[kept]
    a, b = np.where(swapped, kept, dropped), np.where(swapped, dropped, kept)
    counted = counter.scorer.scored(a, b, shared[dropped], weight[dropped] if len(weight) else weight)
    return counter.scorer.judge(counted, counter.scorer.compare_texts(counted))


def _count_owners(lists: U64, owners: U32) -> I64:
    """Return for each member of a list, lists ascending, the number of the owners of all members; shape (n,)."""
    distinct = sorted_distinct(lists << RANK_BITS | owners)
    counts: I64 = np.bincount((distinct >> RANK_BITS).astype(np.int64))[lists.astype(np.int64)]
    return counts
