"""Dropping: which documents are to go, so that no pair that passes the thresholds is left.

Of each cluster one stays, told by a rule of `keeping`; or, directly, all stay that are like none that stays. Memory is
that of `Comparison`, and directly 8 bytes a pair that passes. Reads all postings once more, for the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, contains, sorted_distinct
from fpdb.errors import BadQuery
from fpdb.pairs import _counting
from fpdb.pairs.clusters import Clustered, connect
from fpdb.pairs.corpus import NONE
from fpdb.pairs.counting import Comparison, Found, PairOptions, Watch
from fpdb.pairs.keep_policy import keep_order, keep_rule
from fpdb.storage.posting_scan import scan_postings
from fpdb.storage.reader import Reader

Reason = Literal["similar", "connected"]
LOW: Final = np.uint64(32)  # bits of a rank in a number of both


@dataclass(frozen=True, slots=True)
class Drop:
    """A document to remove. kept: the one that stays instead. cluster: the smallest name of the documents that pairs
    connect, and size: how many these are. shared: hashes that it has in common with the one kept. measure: of both, the
    one that pairs were ranked by. reason: "similar", the two are a pair that passes; "connected", they are not, but
    pairs connect them through others.
    """

    name: str
    kept: str
    cluster: str
    size: int
    shared: int
    measure: float
    reason: Reason

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, as `fpdb drop-list --format json` prints it."""
        return asdict(self)


def drop_list(
    view: Reader, options: PairOptions, keep: str, *, direct: bool, watch: Watch | None = None
) -> Iterator[Drop]:
    """The documents to remove, those of the largest clusters first, then by the cluster's name, then by their own;
    `top` of them at most. Only new ones, where `new` or `since` is given. Raises BadQuery, Corrupt."""
    if options.by_owner:
        raise BadQuery("a drop list names documents, not owners: leave by_owner out")
    keep_rule(keep)
    comparison = Comparison(view, replace(options, top=None), watch)
    documents = comparison.documents
    links: list[U32] = []
    clustered = connect(comparison, links if direct else None)
    places = keep_order(view, documents, keep)
    kept = _linked(places, links) if direct else _first_of(clustered, places)
    kept[documents.new :] = NONE
    dropped = _in_order(clustered, np.flatnonzero(kept != NONE))[: options.top]
    if not len(dropped):
        return
    stays = kept[dropped]
    only = np.full(len(documents), NONE, np.uint32)
    only[dropped] = stays
    shared, weight = _shared(view, comparison, only)
    swapped = documents.order[dropped] > documents.order[stays]
    found = Found(
        np.where(swapped, stays, dropped).astype(np.uint32),
        np.where(swapped, dropped, stays).astype(np.uint32),
        shared[dropped],
        weight[dropped] if options.weighted else weight,
        np.empty(0),
    )
    measure = comparison.score(found)
    passes = (measure >= comparison.floor) & (found.shared >= options.min_shared)
    for index, (rank, other) in enumerate(zip(dropped.tolist(), stays.tolist(), strict=True)):
        yield Drop(
            documents.name(rank),
            documents.name(other),
            documents.name(int(clustered.heads[rank])),
            int(clustered.sizes[rank]),
            int(found.shared[index]),
            float(measure[index]),
            "similar" if passes[index] else "connected",
        )


def _first_of(clustered: Clustered, places: I64) -> U32:
    """For each rank the one of its cluster that is kept, NONE for this one itself; shape (n,)."""
    count = len(places)
    first = np.full(count, count, np.int64)
    np.minimum.at(first, clustered.heads, places)
    at = np.argsort(places).astype(np.uint32)  # the rank that is kept at each place
    kept = at[first[clustered.heads]] if count else np.empty(0, np.uint32)
    kept[kept == np.arange(count)] = NONE
    return kept


def _linked(places: I64, links: list[U32]) -> U32:
    """For each rank the first one kept that a pair connects it with, NONE for one that is kept itself; shape (n,).

    links: ranks, shape (2, pairs) each. Documents are kept, in their order, unless they are linked with one that is.
    """
    count = len(places)
    at = np.argsort(places).astype(np.uint32)
    both = places[np.concatenate([np.empty((2, 0), np.uint32), *links], axis=1)]
    early, late = both.min(axis=0), both.max(axis=0)
    order = np.lexsort((late, early))
    early, late = early[order], late[order]
    firsts, starts = np.unique(early, return_index=True)
    keeper = np.full(count, -1, np.int64)  # by place
    for first, start, end in zip(firsts.tolist(), starts.tolist(), [*starts[1:].tolist(), len(late)], strict=False):
        if keeper[first] < 0:
            some = late[start:end]
            keeper[some[keeper[some] < 0]] = first
    kept = np.full(count, NONE, np.uint32)
    gone = np.flatnonzero(keeper >= 0)
    kept[at[gone]] = at[keeper[gone]]
    return kept


def _in_order(clustered: Clustered, ranks: NDArray[np.intp]) -> NDArray[np.intp]:
    heads, sizes, order = clustered.heads[ranks], clustered.sizes[ranks], clustered.order
    return ranks[np.lexsort((order[ranks], order[heads], -sizes))]


def _shared(view: Reader, comparison: Comparison, other: U32) -> tuple[U32, F64]:
    """How many hashes each rank shares with the other that it is given, and what they weigh; shape (n,), the latter
    (0,) without weights. other: NONE for none. Raises Corrupt."""
    documents, cap, weights = comparison.documents, comparison.max_df, comparison.weights
    shared = np.zeros(len(documents), np.uint32)
    weight = np.zeros(len(documents) if len(weights) else 0)
    for hashes, holders in scan_postings(view):
        ranks = _counting.ranks_of(holders, documents.pages, documents.table)
        lists = np.cumsum(np.r_[False, hashes[1:] != hashes[:-1]][: len(hashes)], dtype=np.uint64)
        there = ranks != NONE
        keys = sorted_distinct(lists[there] << LOW | ranks[there])
        lists, ranks = keys >> LOW, keys.astype(np.uint32)
        frequencies = np.bincount(lists.astype(np.int64))[lists.astype(np.int64)]
        asked = other[ranks] != NONE
        if cap:
            asked &= frequencies < cap
        wanted = lists[asked] << LOW | other[ranks[asked]]
        found = contains(keys, wanted)
        which = ranks[asked][found]
        np.add.at(shared, which, 1)
        if len(weight):
            np.add.at(weight, which, weights[frequencies[asked][found]])
    return shared, weight
