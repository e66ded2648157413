"""What a look-up's hits mean: shared, containment and resemblance, ranked.

The measures are those of Broder (On the resemblance and containment of documents, 1997); the caps are Koala's (Heintze
1996, section 6.2); looking only the smallest hashes up is section 3.2 of the winnowing paper. Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fpdb.match.answers import Answer, Options, Query, matches_of
from fpdb.match.rarity import ratio, sums, weigh, weights_held
from fpdb.match.samples import Sample
from fpdb.store.runs import contains
from fpdb.store.snapshot import Hits, Snapshot, count_each

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Values = TypeVar("Values", U32, U64)

TOGETHER: Final = 50_000  # candidates that are compared, and of which names are read, together: some 50 MB
ROUNDING: Final = 1e-6
LENGTHS_DIFFER: Final = 5  # times


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


class Ranked(NamedTuple):
    """An answer; the ids of its matches, in order; and the hashes that were ignored as common, shape (n,)."""

    answer: Answer
    documents: list[int]
    ignored: U64


class _Weights(NamedTuple):
    """What a query's hashes weigh by their rarity among so many documents: each that was looked up, 0 for an ignored
    one, and the sum of those that each candidate shares."""

    of_hashes: F64
    shared: F64
    documents: int


class _Candidates(NamedTuple):
    """The documents that may be a query's matches, and how many hashes each shares with it, shape (n,); ids ascending.

    distinct: how many hashes it has, boilerplate left out. looked_up, kept: those that were looked up, and whether each
    counts, or is ignored as common. weights: where hashes weigh by their rarity.
    """

    asked: Asked
    options: Options
    documents: U32
    shared: I64
    distinct: int
    looked_up: U64
    kept: NDArray[np.bool_]
    ignored_boilerplate: int
    weights: _Weights | None

    @property
    def together(self) -> tuple[Options, bool]:
        """What must be the same of queries that are ranked together, and whether their measures are made so."""
        return self.options, self.weights is None and self.asked.sample is None

    def query(self) -> Query:
        """What is said of the query."""
        fingerprints, looked_up, common = len(self.asked.hashes), len(self.looked_up), int((~self.kept).sum())
        counts = fingerprints, looked_up, self.ignored_boilerplate, common
        return Query(self.asked.name, self.asked.kind, *counts, _note(fingerprints, looked_up, common))


def search(view: Snapshot, asked: Asked, options: Options) -> Ranked:
    """Ranks the documents that share hashes with the query. Raises Corrupt."""
    return next(search_all(view, [(asked, options)]))


def search_all(view: Snapshot, queries: Iterable[tuple[Asked, Options]]) -> Iterator[Ranked]:
    """The same of many queries, in order; their candidates are compared, and the names read, together. Raises
    Corrupt."""
    waiting: list[_Candidates] = []
    candidates = 0
    for asked, options in queries:
        waiting.append(_find(view, asked, options))
        candidates += len(waiting[-1].documents)
        if candidates > TOGETHER:
            yield from _ranked_all(view, waiting)
            waiting, candidates = [], 0
    yield from _ranked_all(view, waiting)


# ---------------------------------------------------------------- candidates


def _find(view: Snapshot, asked: Asked, options: Options) -> _Candidates:
    distinct = sorted_distinct(asked.hashes)
    boilerplate = view.boilerplate()
    ignored_boilerplate = 0
    if len(boilerplate):
        held = contains(boilerplate, distinct)
        ignored_boilerplate, distinct = int(held.sum()), distinct[~held]
    looked_up = distinct if options.smallest is None else distinct[: options.smallest]
    itself = () if asked.with_itself else asked.itself
    kept, weights = np.ones(len(looked_up), np.bool_), None
    if options.weighted or options.max_ignored is not None:
        kept, indices, documents = _hits(view, looked_up, options)
        others = np.ones(len(documents), np.bool_)
        for number in asked.itself:
            others &= documents != number
        found, shared = count_each(documents[others] if itself else documents)
        if options.weighted:
            in_all = view.state.documents - len(asked.itself) + 1
            holders = np.bincount(indices[others], minlength=len(looked_up)) + 1
            of_hashes = kept * weigh(holders, in_all)
            weights = _Weights(of_hashes, sums(found, documents, of_hashes[indices]), in_all)
    elif options.max_df is None and (by_id := view.tally(looked_up)) is not None:
        by_id[[number for number in itself if number < len(by_id)]] = 0
        found, shared = _counted(by_id) if asked.sample else _most(view, by_id, options)
    else:
        capped, found, shared = view.count(looked_up, cap=options.max_df)
        kept = ~capped
        if itself:
            others = ~np.isin(found, itself)
            found, shared = found[others], shared[others]
    if asked.sample is None:
        promising = _promising(view, found, shared, int(kept.sum()), options)
        found, shared = found[promising], shared[promising]
        if weights is not None:
            weights = weights._replace(shared=weights.shared[promising])
    return _Candidates(asked, options, found, shared, len(distinct), looked_up, kept, ignored_boilerplate, weights)


def sorted_distinct(hashes: Values) -> Values:
    """The distinct values, ascending. (np.unique hashes them in a table, and loads more of numpy for it.)"""
    ordered = np.sort(hashes)
    return ordered[_first_of_each(ordered)]


def _first_of_each(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Where each distinct value begins."""
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], new[1:])
    return new.nonzero()[0]


def _note(fingerprints: int, looked_up: int, common: int) -> str | None:
    """Why nothing can match."""
    if not fingerprints:
        return "too short to have a fingerprint"
    if not looked_up:
        return "all of its fingerprints are boilerplate"
    if common == looked_up:
        return "all of its fingerprints are common, and ignored"
    return None


def _counted(counts: NDArray[Any]) -> tuple[U32, I64]:
    found = np.flatnonzero(counts)
    return found.astype(np.uint32), counts[found].astype(np.int64)


RISING = ("containment", "shared")
"""Measures that rise and fall with the number of shared hashes."""


def _most(view: Snapshot, counts: U32, options: Options) -> tuple[U32, I64]:
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


def _promising(view: Snapshot, found: U32, shared: I64, counted: int, options: Options) -> NDArray[np.intp]:
    """Indices of the candidates whose sizes matter: those that may reach `min` and the first `top`.

    Of the measures that count hashes, none but reverse containment exceeds shared / counted.
    """
    least = 1.0
    if options.min is not None and options.by in ("containment", "resemblance", "shared"):
        least = options.min * (1 if options.by == "shared" else counted) - ROUNDING
    promising = np.flatnonzero(shared >= least)
    if options.by in RISING:
        shared = shared[promising]
        promising = promising[_first(view, found[promising], shared, shared, options.top)]
    return promising


def _first(view: Snapshot, found: U32, score: NDArray[Any], shared: I64, top: int | None) -> NDArray[np.intp]:
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


def _hits(view: Snapshot, asked: U64, options: Options) -> tuple[NDArray[np.bool_], U32, U32]:
    """Which of the hashes are not ignored as common, and the hits on these: indices of hashes, and documents."""
    hits = view.look_up(asked, cap=options.max_df)
    kept = ~hits.capped
    common = np.flatnonzero(hits.capped)
    if options.max_ignored is None or len(common) <= options.max_ignored:
        return kept, hits.indices, hits.documents
    # More are common than may be ignored: the most frequent go, ties by hash; the rest count after all.
    every: Hits = view.look_up(asked[common])
    frequency = np.bincount(every.indices, minlength=len(common))
    kept[common[np.lexsort((common, -frequency))[options.max_ignored :]]] = True
    indices = common[every.indices].astype(np.uint32)
    back = kept[indices]
    indices = np.concatenate((hits.indices, indices[back]))
    return kept, indices, np.concatenate((hits.documents, every.documents[back]))


# ---------------------------------------------------------------- matches


def _ranked_all(view: Snapshot, waiting: Iterable[_Candidates]) -> Iterator[Ranked]:
    for (options, together), some in groupby(waiting, attrgetter("together")):
        yield from _ranked(view, list(some), options, together=together)


def _ranked(view: Snapshot, some: Sequence[_Candidates], options: Options, *, together: bool) -> Iterator[Ranked]:
    """The answers to queries of the same options, with matches in order and by name."""
    documents = np.concatenate([one.documents for one in some])
    shared = np.concatenate([one.shared for one in some])
    query = np.repeat(np.arange(len(some)), [len(one.documents) for one in some])
    measures = _measures(view, some, documents, shared, options, together=together)
    score = shared if options.by == "shared" else measures[options.by]
    among = _chosen(view, query, documents, score, shared, options)
    query, documents, score, shared = query[among], documents[among], score[among], shared[among]
    every = sorted_distinct(documents)
    described = view.catalogue.described(every.tolist())
    which = np.searchsorted(every, documents)
    by_name = np.empty(len(every), np.intp)
    by_name[sorted(range(len(every)), key=[name for name, _ in described].__getitem__)] = np.arange(len(every))
    order = np.lexsort((by_name[which], -shared, -score, query))
    every_name = [name.decode("utf-8", "surrogateescape") for name, _ in described]
    which_of: list[int] = which[order].tolist()
    columns: dict[str, Iterable[Any]] = {name: each[among][order].tolist() for name, each in measures.items()}
    columns["name"] = [every_name[at] for at in which_of]
    columns["shared"] = shared[order].tolist()
    if any(one.asked.kgrams for one in some):
        kgrams = [some[at].asked.kgrams for at in query[order].tolist()]
        others = [described[at][1] for at in which_of]
        columns["part"] = map(_part, kgrams, columns["reverse_containment"], others)
    matches = matches_of(columns)
    ids: list[int] = documents[order].tolist()
    ends: list[int] = np.cumsum(np.bincount(query, minlength=len(some))).tolist()
    for one, start, end in zip(some, [0, *ends], ends, strict=False):
        yield Ranked(Answer(one.query(), matches[start:end]), ids[start:end], one.looked_up[~one.kept])


def _measures(
    view: Snapshot, some: Sequence[_Candidates], documents: U32, shared: I64, options: Options, *, together: bool
) -> dict[str, F64]:
    """The measures of all candidates of some queries, which stand one after the other; shape (n,) each."""
    every = sorted_distinct(documents) if len(some) > 1 else documents
    sizes = view.catalogue.sizes(every)
    if len(some) > 1:
        sizes = sizes[np.searchsorted(every, documents)]
    held = sizes["hashes"].astype(np.int64) - sizes["boilerplate"]
    counts = [len(one.documents) for one in some]
    if together:
        looked_up, distinct, kept = (
            np.repeat(of_each, counts)
            for of_each in (
                [len(one.looked_up) for one in some],
                [max(one.distinct, 1) for one in some],
                [int(one.kept.sum()) for one in some],
            )
        )
        return measure(shared, kept, held * looked_up / distinct)
    of_each = []
    start = 0
    for one, count in zip(some, counts, strict=True):
        part = slice(start, start + count)
        of_each.append(_measures_alone(view, one, held[part], sizes["share"][part], options))
        start += count
    return {name: np.concatenate([found[name] for found in of_each]) for name in of_each[0]}


def _measures_alone(view: Snapshot, one: _Candidates, held: I64, shares: U32, options: Options) -> dict[str, F64]:
    """The measures of a query's candidates, where they are samples or hashes weigh by their rarity."""
    sample, looked_up = one.asked.sample, one.looked_up

    def compare(shared: NDArray[Any], counted: NDArray[Any], reached: F64) -> dict[str, F64]:
        """counted: what each hash looked up counts."""
        if sample is None:
            return measure(shared, counted.sum(), reached)
        return measure(shared, sample.within(looked_up, counted, shares), reached * sample.overlap(shares))

    measures = compare(one.shared, one.kept, held * len(looked_up) / max(one.distinct, 1))
    if one.weights is None:
        return measures
    of_hashes, shared, documents = one.weights
    if options.by == "weighted_containment":
        return measures | {options.by: compare(shared, of_hashes, shared)["containment"]}
    last = int(looked_up[-1]) if 0 < len(looked_up) < one.distinct else 2**64 - 1
    reached = shared + weights_held(view, one.documents, documents, looked_up[one.kept], last)
    return measures | {f"weighted_{name}": each for name, each in compare(shared, of_hashes, reached).items()}


def measure(shared: NDArray[Any], asked: Any, reached: F64) -> dict[str, F64]:
    """Three measures of each candidate; shape (n,).

    shared: |Q and D| among the hashes asked for; asked: |Q| of these; reached: |D|, or, where only hashes up to some T
    were asked for, |D up to T|, taken as the same share of |D| as the hashes asked for are of Q: stored hashes are
    uniform, and Q's own share errs with the sample, so that a copy of the query scores 1 exactly. Or what these weigh.
    """
    asked, reached = np.maximum(asked, shared), np.maximum(reached, shared)
    return {
        "containment": ratio(shared, asked),
        "reverse_containment": ratio(shared, reached),
        "resemblance": ratio(shared, asked + reached - shared),
    }


def _chosen(
    view: Snapshot, query: NDArray[np.intp], documents: U32, score: NDArray[Any], shared: I64, options: Options
) -> NDArray[np.intp]:
    """Indices of the candidates that reach `min`, and are among the first `top` of their query."""
    among = np.arange(len(query)) if options.min is None else np.flatnonzero(score >= options.min)
    if options.top is None or len(among) <= options.top:
        return among
    each = np.split(among, _first_of_each(query[among])[1:])
    return np.concatenate([of[_first(view, documents[of], score[of], shared[of], options.top)] for of in each])


def _part(kgrams: int, ratio: float, other: int) -> float | None:
    """What `Match.part` says. kgrams, other: how many the query and the document have, or 0, see `Asked`; ratio: how
    much of the document's fingerprints matched."""
    if not kgrams or not other:
        return None
    factor = max(kgrams, other) / min(kgrams, other)
    return min(ratio * factor, 1.0) if factor >= LENGTHS_DIFFER else None
