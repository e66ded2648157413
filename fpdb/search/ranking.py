"""What a look-up's hits mean: shared, containment and resemblance, ranked.

The measures are those of Broder (On the resemblance and containment of documents, 1997). Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, repeat
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, U64, Bools, group_starts, sorted_distinct
from fpdb.errors import BadQuery
from fpdb.gc_control import gc_paused
from fpdb.search import _json_lines
from fpdb.search.candidates import Asked, Candidates, find_all, first_of
from fpdb.search.rarity import rarity, ratio, weights_held
from fpdb.search.results import COUNTED, Answer, Options, matches_of
from fpdb.storage.reader import Reader

TOGETHER: Final = 50_000  # candidates that are compared, and of which names are read, together: some 50 MB
LENGTHS_DIFFER: Final = 5  # times


class Ranked(NamedTuple):
    """An answer; the ids of its matches, in order; the hashes that were looked up, and whether each counts or was
    ignored as common, shape (n,). rarities: of each match, see `Match`; None where hashes do not weigh by theirs."""

    answer: Answer
    documents: list[int]
    looked_up: U64
    kept: Bools
    rarities: list[float | None]

    @property
    def ignored(self) -> U64:
        """The hashes that were ignored as common."""
        return self.looked_up[~self.kept]


def search(view: Reader, asked: Asked, options: Options) -> Ranked:
    """Ranks the documents that share hashes with the query. options: none of REGIONAL. Raises BadQuery,
    Corrupt."""
    return next(search_all(view, [asked], options))


def search_all(view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[Ranked]:
    """The same of many queries, in order; they are looked up, their candidates compared, and the names read, together.
    Raises BadQuery, Corrupt."""
    for ranking in _rankings(view, asked, options):
        yield from ranking.answers()


def lines_of_all(view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[bytes]:
    """The answers as lines of JSON, see `Answer.to_json`. Raises BadQuery, Corrupt."""
    for ranking in _rankings(view, asked, options):
        yield from ranking.lines()


@dataclass(frozen=True)
class _Ranking:
    """The matches of some queries, one query's after the other's, in order.

    documents, shared: ids, and how many hashes each shares; measures: by name; shape (n,) each. names[which[i]] is the
    name of match i; kgrams: of each document that is named. bounds: where each query's matches begin, and the last's
    end.
    """

    queries: Sequence[Candidates]
    documents: U32
    shared: I64
    measures: Mapping[str, F64]
    names: Sequence[bytes]
    kgrams: Sequence[int]
    which: NDArray[np.intp]
    bounds: I64

    @gc_paused()  # thousands of tuples, none in a cycle
    def answers(self) -> list[Ranked]:
        """One for each query."""
        columns: dict[str, Iterable[Any]] = {name: each.tolist() for name, each in self.measures.items()}
        names = [name.decode("utf-8", "surrogateescape") for name in self.names]
        which: list[int] = self.which.tolist()
        columns["name"] = [names[at] for at in which]
        columns["shared"] = self.shared.tolist()
        if self._in_parts:
            asked = np.repeat([one.asked.kgrams for one in self.queries], np.diff(self.bounds)).tolist()
            columns["part"] = map(_part, asked, columns["reverse_containment"], (self.kgrams[at] for at in which))
        rarities: list[float | None] = list(columns.pop("rarity", repeat(None, len(which))))
        matches = matches_of(columns)
        documents: list[int] = self.documents.tolist()
        return [
            Ranked(
                Answer(one.query(), matches[start:end]),
                documents[start:end],
                one.looked_up,
                one.kept,
                rarities[start:end],
            )
            for one, (start, end) in zip(self.queries, pairwise(self.bounds.tolist()), strict=True)
        ]

    def lines(self) -> list[bytes]:
        """One for each query."""
        if len(self.measures) > len(COUNTED) or self._in_parts:
            return [ranked.answer.to_json().encode() for ranked in self.answers()]
        heads = [one.query().to_json().encode() for one in self.queries]
        containment, reverse, resemblance = (self.measures[name] for name in COUNTED)
        return _json_lines.lines(
            heads, self.names, self.which, self.shared, containment, reverse, resemblance, self.bounds
        )

    @property
    def _in_parts(self) -> bool:
        """Whether a match may have a part to tell, see `Match.part`."""
        return any(one.asked.kgrams for one in self.queries)


def _rankings(view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[_Ranking]:
    """Of all queries, some in each, as many as are ranked together."""
    if options.regional:
        raise BadQuery(f"{options.by} is told by regions: ask with one document's content, by `query`")
    waiting: list[Candidates] = []
    candidates = 0
    for found in find_all(view, asked, options):
        waiting.append(found)
        candidates += len(found.documents)
        if candidates > TOGETHER:
            yield from _ranked_all(view, waiting, options)
            waiting, candidates = [], 0
    yield from _ranked_all(view, waiting, options)


def _ranked_all(view: Reader, waiting: Iterable[Candidates], options: Options) -> Iterator[_Ranking]:
    for together, some in groupby(waiting, attrgetter("plain")):
        yield _ranked(view, list(some), options, together=together)


@gc_paused()
def _ranked(view: Reader, some: Sequence[Candidates], options: Options, *, together: bool) -> _Ranking:
    """Of queries of the same options."""
    documents = np.concatenate([one.documents for one in some])
    shared: I64 = np.concatenate([one.shared for one in some], dtype=np.int64)
    query = np.repeat(np.arange(len(some)), [len(one.documents) for one in some])
    measures = _measures(view, some, documents, shared, options, together=together)
    score = shared if options.by == "shared" else measures[options.by]
    among = _chosen(view, query, documents, score, shared, options)
    query, documents, score, shared = query[among], documents[among], score[among], shared[among]
    every = sorted_distinct(documents)
    names, kgrams = view.catalogue.names_and_kgrams(every)
    which = np.searchsorted(every, documents)
    by_name = np.empty(len(every), np.intp)
    by_name[sorted(range(len(every)), key=names.__getitem__)] = np.arange(len(every))
    order = np.lexsort((by_name[which], -shared, -score, query))
    measures = {name: each[among][order] for name, each in measures.items()}
    bounds = np.zeros(len(some) + 1, np.int64)
    np.cumsum(np.bincount(query, minlength=len(some)), out=bounds[1:])
    return _Ranking(some, documents[order], shared[order], measures, names, kgrams, which[order], bounds)


def _measures(
    view: Reader, some: Sequence[Candidates], documents: U32, shared: I64, options: Options, *, together: bool
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
                [one.counted for one in some],
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


def _measures_alone(view: Reader, one: Candidates, held: I64, shares: U32, options: Options) -> dict[str, F64]:
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
    measures["rarity"] = rarity(shared, one.shared, documents)
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
    ratios = ratio(shared, asked), ratio(shared, reached), ratio(shared, asked + reached - shared)
    return dict(zip(COUNTED, ratios, strict=True))


def _chosen(
    view: Reader, query: NDArray[np.intp], documents: U32, score: NDArray[Any], shared: I64, options: Options
) -> NDArray[np.intp]:
    """Indices of the candidates that reach `min`, and are among the first `top` of their query."""
    among = np.arange(len(query)) if options.min is None else np.flatnonzero(score >= options.min)
    if options.top is None or len(among) <= options.top:
        return among
    each = np.split(among, group_starts(query[among])[1:])
    return np.concatenate(
        [
            of if len(of) <= options.top else of[first_of(view, documents[of], score[of], shared[of], options.top)]
            for of in each
        ]
    )


def _part(kgrams: int, ratio: float, other: int) -> float | None:
    """What `Match.part` says. kgrams, other: how many the query and the document have, or 0, see `Asked`; ratio: how
    much of the document's fingerprints matched."""
    if not kgrams or not other:
        return None
    factor = max(kgrams, other) / min(kgrams, other)
    return min(ratio * factor, 1.0) if factor >= LENGTHS_DIFFER else None
