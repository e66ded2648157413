"""Which documents may be a query's matches, and how many hashes they share: of one query, and of many at once.

The caps are Koala's (Heintze 1996, section 6.2); looking only the smallest hashes up is section 3.2 of the winnowing
paper. Hashes of many queries are looked up together, so that no block is read twice, and who shares with each query is
counted in one go. Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, U64, Bools
from fpdb.search import _candidates
from fpdb.search.rarity import sums, weigh
from fpdb.search.results import Options, Query
from fpdb.search.samples import Sample
from fpdb.storage import sorting
from fpdb.storage.hits import Hits, count_documents
from fpdb.storage.prefetch import PrefetchedSnapshot
from fpdb.storage.reader import Reader

HITS_TOGETHER: Final = 1 << 20  # that are counted in one go: some 10 MB
MOST_HITS: Final = 1 << 16  # of a query that is counted so
ROUNDING: Final = 1e-6
EVERY: Final = 1 << 62  # more hashes than there are


class Asked(NamedTuple):
    """A query document.

    hashes: shape (n,), in any order, repeats allowed. itself: the documents that are the query itself, one in each
    database at most, which are left out unless with_itself. sample: where the database keeps samples. kgrams: how many
    it has, where documents of any length have as many fingerprints; else 0.
    """

    hashes: U64
    name: str | None
    kind: str
    itself: Sequence[int] = ()
    with_itself: bool = False
    sample: Sample | None = None
    kgrams: int = 0


class Weights(NamedTuple):
    """What a query's hashes weigh by their rarity among so many documents: each that was looked up, 0 for an ignored
    one, and the sum of those that each candidate shares."""

    of_hashes: F64
    shared: F64
    documents: int


class Candidates(NamedTuple):
    """The documents that may be a query's matches, and how many hashes each shares with it, shape (n,); ids ascending.

    looked_up, kept: the hashes that were looked up, ascending, and whether each counts, or is ignored as common.
    counted: how many count. distinct: how many hashes the query has, boilerplate left out. weights: where hashes weigh
    by their rarity.
    """

    asked: Asked
    documents: U32
    shared: I64 | U32
    looked_up: U64
    kept: Bools
    counted: int
    distinct: int
    ignored_boilerplate: int
    weights: Weights | None = None

    @property
    def plain(self) -> bool:
        """Whether its measures are ratios of counts, made alike for all candidates of all such queries."""
        return self.weights is None and self.asked.sample is None

    def query(self) -> Query:
        """What is said of the query."""
        fingerprints, looked_up = len(self.asked.hashes), len(self.looked_up)
        counts = fingerprints, looked_up, self.ignored_boilerplate, looked_up - self.counted
        return Query(self.asked.name, self.asked.kind, *counts, _note(fingerprints, looked_up, self.counted))


def find_all(view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[Candidates]:
    """The candidates of each query, of which there is one at least, in order. Raises Corrupt."""
    hashes: U64 = np.concatenate([one.hashes for one in asked]) if len(asked) > 1 else np.sort(asked[0].hashes)
    owners = np.zeros(len(hashes), np.uint32)
    if len(asked) > 1:
        owners = np.repeat(np.arange(len(asked), dtype=np.uint32), [len(one.hashes) for one in asked])
        sorting.sort_postings(hashes, owners, np.empty(len(hashes), np.uint32))
    dealt = _Dealt(*_candidates.deal(hashes, owners, len(asked), view.boilerplate(), options.smallest or EVERY))
    if len(asked) > 1:
        view = PrefetchedSnapshot(view, dealt.every)
        if not options.weighted and options.max_ignored is None:
            yield from _counted_together(view, asked, dealt, options)
            return
    for at, one in enumerate(asked):
        yield _find(view, one, dealt.looked_up(at), int(dealt.distinct[at]), int(dealt.boilerplate[at]), options)


class _Dealt(NamedTuple):
    """What queries look up, see `_candidates.deal`."""

    every: U64
    at: U32
    bounds: I64
    distinct: I64
    boilerplate: I64

    def looked_up(self, query: int) -> U64:
        hashes: U64 = self.every[self.at[self.bounds[query] : self.bounds[query + 1]]]
        return hashes

    def sums(self, of_hashes: NDArray[Any]) -> I64:
        """The sum of what each of `every` counts, over the hashes of each query."""
        total = np.zeros(len(self.at) + 1, np.int64)
        np.cumsum(of_hashes[self.at], out=total[1:])
        return total[self.bounds[1:]] - total[self.bounds[:-1]]


def _counted_together(
    view: PrefetchedSnapshot, asked: Sequence[Asked], dealt: _Dealt, options: Options
) -> Iterator[Candidates]:
    """As `_find` finds them, but whom each query shares with is counted in one go, except where there is much."""
    capped = view.capped(options.max_df)
    known = view.complete | capped
    starts, ends = view.starts, np.where(capped, view.starts, view.ends)
    counted, hits = dealt.sums(~capped), dealt.sums(ends - starts)
    alone = (hits > MOST_HITS) | (dealt.sums(~known) > 0)
    hits[alone] = 0
    sampled = np.array([one.sample is not None for one in asked], np.bool_)
    fewest = np.where(alone, 0, np.where(sampled, 1, _fewest(counted, options))).astype(np.int64)
    left_out = [one.itself if not one.with_itself else () for one in asked]
    hashes, kept = dealt.every[dealt.at], ~capped[dealt.at]
    each = zip(*(array.tolist() for array in (counted, dealt.distinct, dealt.boilerplate, alone)), strict=True)
    bounds: list[int] = dealt.bounds.tolist()
    for begin, end in pairwise(_parts(hits)):
        lists = left_out[begin:end]
        documents, shared, counts = _candidates.share(
            view.document_ids,
            starts,
            ends,
            dealt.at,
            dealt.bounds[begin : end + 1],
            fewest[begin:end],
            np.array([number for few in lists for number in few], np.uint32),
            np.cumsum([0, *map(len, lists)], dtype=np.int64),
        )
        first = 0
        for query, count in enumerate(counts.tolist(), begin):
            of_counted, distinct, boilerplate, is_alone = next(each)
            mine = slice(bounds[query], bounds[query + 1])
            if is_alone:
                yield _find(view, asked[query], hashes[mine], distinct, boilerplate, options)
                continue
            last = first + count
            yield Candidates(
                asked[query],
                documents[first:last],
                shared[first:last],
                hashes[mine],
                kept[mine],
                of_counted,
                distinct,
                boilerplate,
            )
            first = last


def _parts(hits: I64) -> list[int]:
    """Bounds of stretches of queries that are counted in one go; by how many hits each has."""
    part = np.cumsum(hits) // HITS_TOGETHER
    return [0, *(np.flatnonzero(part[1:] != part[:-1]) + 1).tolist(), len(hits)]


def _find(
    view: Reader, asked: Asked, looked_up: U64, distinct: int, ignored_boilerplate: int, options: Options
) -> Candidates:
    """Of one query, however much it finds."""
    itself = () if asked.with_itself else asked.itself
    kept, weights = np.ones(len(looked_up), np.bool_), None
    if options.weighted or options.max_ignored is not None:
        kept, indices, documents = _hits(view, looked_up, options)
        others = np.ones(len(documents), np.bool_)
        for number in asked.itself:
            others &= documents != number
        found, shared = count_documents(documents[others] if itself else documents)
        if options.weighted:
            in_all = view.document_count - len(asked.itself) + 1
            holders = np.bincount(indices[others], minlength=len(looked_up)) + 1
            of_hashes = kept * weigh(holders, in_all)
            weights = Weights(of_hashes, sums(found, documents, of_hashes[indices]), in_all)
    elif options.max_df is None and (by_id := view.count_by_document(looked_up)) is not None:
        by_id[[number for number in itself if number < len(by_id)]] = 0
        found, shared = _counted(by_id) if asked.sample else _most(view, by_id, options)
    else:
        hits = view.look_up(looked_up, cap=options.max_df)
        kept = ~hits.capped
        found, shared = count_documents(hits.document_ids)
        if itself:
            others = ~np.isin(found, itself)
            found, shared = found[others], shared[others]
    counted = int(np.count_nonzero(kept))
    if asked.sample is None:
        promising = _promising(view, found, shared, counted, options)
        found, shared = found[promising], shared[promising]
        if weights is not None:
            weights = weights._replace(shared=weights.shared[promising])
    return Candidates(asked, found, shared, looked_up, kept, counted, distinct, ignored_boilerplate, weights)


def _note(fingerprints: int, looked_up: int, counted: int) -> str | None:
    """Why nothing can match."""
    if not fingerprints:
        return "too short to have a fingerprint"
    if not looked_up:
        return "all of its fingerprints are boilerplate"
    if not counted:
        return "all of its fingerprints are common, and ignored"
    return None


def _counted(counts: NDArray[Any]) -> tuple[U32, I64]:
    found = np.flatnonzero(counts)
    return found.astype(np.uint32), counts[found].astype(np.int64)


RISING = ("containment", "shared")
"""Measures that rise and fall with the number of shared hashes."""


def _most(view: Reader, counts: U32, options: Options) -> tuple[U32, I64]:
    """Of documents that share so many hashes each, by id, those that may be among the first `top`. Nearly all documents
    may share some: no array of them is made."""
    if options.top is None or options.by not in RISING:
        return _counted(counts)
    last, beyond = 0, int(counts.max(initial=0)) + 1  # `top` documents share `last` or more, but not `beyond`
    while beyond - last > 1:
        middle = (last + beyond) // 2
        if np.count_nonzero(counts >= middle) >= options.top:
            last = middle
        else:
            beyond = middle
    if not last:
        return _counted(counts)
    found = np.flatnonzero(counts > last)
    tied = view.catalogue.first_by_name(counts == last, options.top - len(found))
    found = np.sort(np.concatenate((found, np.array(tied, np.intp))))
    return found.astype(np.uint32), counts[found].astype(np.int64)


def _fewest(counted: Any, options: Options) -> Any:
    """How many hashes a document that reaches `min` shares at least, of so many that count; whole, 1 or more.

    Of the measures that count hashes, none but reverse containment exceeds shared / counted.
    """
    if options.min is None or options.by not in ("containment", "resemblance", "shared"):
        return np.ones_like(counted)
    return np.maximum(np.ceil(options.min * (1 if options.by == "shared" else counted) - ROUNDING), 1)


def _promising(view: Reader, found: U32, shared: I64, counted: int, options: Options) -> NDArray[np.intp]:
    """Indices of the candidates whose sizes matter: those that may reach `min` and the first `top`."""
    promising = np.flatnonzero(shared >= _fewest(counted, options))
    if options.by in RISING:
        shared = shared[promising]
        promising = promising[first_of(view, found[promising], shared, shared, options.top)]
    return promising


def first_of(view: Reader, found: U32, score: NDArray[Any], shared: I64, top: int | None) -> NDArray[np.intp]:
    """Indices of the `top` candidates of the highest score, then the most shared, then the first names; unordered."""
    if top is None or len(found) <= top:
        return np.arange(len(found))
    tied = np.arange(len(found))
    first: list[NDArray[np.intp]] = []
    for values in (shared,) if score is shared else (score, shared):
        of_tied = values[tied]
        last = _largest(of_tied, top - sum(map(len, first)))
        first.append(tied[of_tied > last])
        tied = tied[of_tied == last]
    wanted = np.zeros(int(found[tied].max()) + 1, np.bool_)
    wanted[found[tied]] = True
    named = view.catalogue.first_by_name(wanted, top - sum(map(len, first)))
    return np.concatenate((*first, tied[np.searchsorted(found[tied], np.sort(named))]))


def _largest(values: NDArray[Any], rank: int) -> Any:
    """The rank-th largest of measures or counts."""
    if values.dtype.kind == "f":
        return np.partition(values, len(values) - rank)[len(values) - rank]
    at_least = np.cumsum(np.bincount(values)[::-1])[::-1]  # of each count
    return np.flatnonzero(at_least >= rank)[-1]


def _hits(view: Reader, asked: U64, options: Options) -> tuple[Bools, U32, U32]:
    """Which of the hashes are not ignored as common, and the hits on these: indices of hashes, and documents."""
    hits = view.look_up(asked, cap=options.max_df)
    kept = ~hits.capped
    common = np.flatnonzero(hits.capped)
    if options.max_ignored is None or len(common) <= options.max_ignored:
        return kept, hits.hash_indices, hits.document_ids
    # More are common than may be ignored: the most frequent go, ties by hash; the rest count after all.
    every: Hits = view.look_up(asked[common])
    kept[common[np.lexsort((common, -every.counts))[options.max_ignored :]]] = True
    indices = common[every.hash_indices].astype(np.uint32)
    back = kept[indices]
    indices = np.concatenate((hits.hash_indices, indices[back]))
    return kept, indices, np.concatenate((hits.document_ids, every.document_ids[back]))
