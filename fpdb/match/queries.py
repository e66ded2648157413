"""What a look-up's hits mean: shared, containment and resemblance, ranked.

The measures are those of Broder (On the resemblance and containment of documents, 1997); the caps are Koala's (Heintze
1996, section 6.2); looking only the smallest hashes up is section 3.2 of the winnowing paper. Knows nothing of text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from numbers import Integral, Real
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadQuery
from fpdb.match.rarity import ratio, sums, weigh, weights_held
from fpdb.match.samples import Sample
from fpdb.store.layout import Record
from fpdb.store.runs import contains
from fpdb.store.snapshot import Hits, Snapshot

if TYPE_CHECKING:
    from fpdb.match.sources import SourceState

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]

TOGETHER: Final = 50_000  # matches of which names are read together: some 50 MB
MANY: Final = 4096  # hits from which counting by document is faster than sorting,
SPARSE: Final = 16  # unless the ids go beyond so many times their number
ROUNDING: Final = 1e-6
LENGTHS_DIFFER: Final = 5  # times
WEIGHTED: Final = ("weighted_containment", "weighted_reverse_containment", "weighted_resemblance")
MEASURES: Final = ("containment", "reverse_containment", "resemblance", "shared", *WEIGHTED)


@dataclass(frozen=True, slots=True)
class Options:
    """How to query. Raises BadQuery when made from what makes no sense.

    by: the measure to rank by, one of MEASURES. smallest: look only that many of the smallest hashes up. max_df: ignore
    hashes that this many documents hold, but max_ignored of them at most, the most frequent. min: the least measure, in
    [0, 1], or a count where by is "shared"; inclusive. top: the most matches to return.

    By one of the weighted measures, a hash counts log(N / df): it weighs the more the fewer of the N documents hold it.
    The query is one of the N and of the df of its hashes, whether the database holds it already or not, so that scores
    are those that `pairs` would give it. Weighted reverse containment and resemblance read all postings, or those up to
    the largest of the `smallest`.
    """

    by: str = "containment"
    smallest: int | None = None
    max_df: int | None = None
    max_ignored: int | None = None
    min: float | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        if self.by not in MEASURES:
            raise BadQuery(f"by must be one of {', '.join(MEASURES)}, not {self.by!r}")
        for name, least in (("smallest", 1), ("max_df", 1), ("max_ignored", 0), ("top", 1)):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value < least):
                raise BadQuery(f"{name} must be a whole number, {least} or more, not {value!r}")
        if self.max_ignored is not None and self.max_df is None:
            raise BadQuery("max_ignored limits what max_df ignores; give max_df too")
        most = math.inf if self.by == "shared" else 1
        if self.min is not None and not (isinstance(self.min, Real) and 0 <= self.min <= most):
            raise BadQuery(f"min must lie in [0, 1] for {self.by}, not {self.min!r}")

    @property
    def weighted(self) -> bool:
        """Whether hashes weigh by their rarity."""
        return self.by in WEIGHTED


class Match(NamedTuple):
    """A document that shares hashes with the query; the measures lie in [0, 1].

    part: said where every document has as many fingerprints and the lengths differ much, so that a low measure may
    still mean much: about how much of the shorter one is in the longer one (Heintze 1996, section 3.5).

    database: only where several are asked together, the one that the document is in.

    Only where matches are ranked by a weighted measure, see `Options`: weighted_containment, and by one of the others
    weighted_reverse_containment and weighted_resemblance too.

    Only where regions are asked for:
    regions: {"query": place, "document": place, "shared": fingerprints} each, in order of the query. A place is
    {"start", "end", "first_line", "last_line"}: characters of the decoded original from 0, end exclusive; lines from 1,
    both inclusive. query_coverage, document_coverage: the share of either document's symbols that lie in regions.
    source: "same" where the document's content is there, kept or in the file it came from; else whether the file has
    "changed" or is "gone", there is none and the text was "not_kept", or it is "unavailable". Unless it is the same,
    regions are not extended beyond the fingerprints, and the document's place is {"first_symbol", "last_symbol"}, both
    inclusive, from 0.
    """

    name: str
    shared: int
    containment: float
    reverse_containment: float
    resemblance: float
    weighted_containment: float | None = None
    weighted_reverse_containment: float | None = None
    weighted_resemblance: float | None = None
    part: float | None = None
    query_coverage: float | None = None
    document_coverage: float | None = None
    source: SourceState | None = None
    regions: list[dict[str, Any]] | None = None
    database: str | None = None


_MEASURED: Final = tuple(name for name in Match._fields if name in MEASURES and name != "shared")


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked.

    fingerprints: those of the query document, repeats included. looked_up: its distinct hashes that were looked up,
    boilerplate left out. Containment is a share of looked_up - ignored_common. note: why nothing can match, where that
    is so.
    """

    name: str | None
    kind: str
    fingerprints: int
    looked_up: int
    ignored_boilerplate: int
    ignored_common: int
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Matches in order of the measure, then of shared, both descending, then of the name's bytes."""

    query: Query
    matches: list[Match] = field(default_factory=list)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process as plain tuples, in a third of the time."""
        return _answer, (_values_of_query(self.query), list(map(tuple, self.matches)))

    def without_regions(self) -> Answer:
        """As it would be, had regions not been asked for."""
        nothing: dict[str, Any] = dict.fromkeys(("query_coverage", "document_coverage", "source", "regions"))
        return replace(self, matches=[match._replace(**nothing) for match in self.matches])

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `fpdb query --format json` prints them."""
        matches = [
            {key: value for key, value in zip(Match._fields, match, strict=True) if value is not None}
            for match in self.matches
        ]
        query = dict(zip(_OF_QUERY, _values_of_query(self.query), strict=True))
        if self.query.note is None:
            del query["note"]
        return {"query": query, "matches": matches}


def _answer(query: tuple[Any, ...], matches: list[tuple[Any, ...]]) -> Answer:
    return Answer(Query(*query), [Match(*match) for match in matches])


_OF_QUERY: Final = tuple(field.name for field in fields(Query))
_values_of_query: Final = attrgetter(*_OF_QUERY)


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


class _Found(NamedTuple):
    """What a query found: ids, how much they share, their measures, each shape (n,), without names and order."""

    query: Query
    documents: U32
    shared: NDArray[np.int64]
    measures: Mapping[str, F64]
    by: str
    kgrams: int
    ignored: U64


def search(view: Snapshot, asked: Asked, options: Options) -> Ranked:
    """Ranks the documents that share hashes with the query. Raises Corrupt."""
    return next(search_all(view, [(asked, options)]))


def search_all(view: Snapshot, queries: Iterable[tuple[Asked, Options]]) -> Iterator[Ranked]:
    """The same of many queries, in order; what they find is read together. Raises Corrupt."""
    waiting: list[_Found] = []
    matches = 0
    for asked, options in queries:
        waiting.append(_find(view, asked, options))
        matches += len(waiting[-1].documents)
        if matches > TOGETHER:
            yield from _ranked(view, waiting)
            waiting, matches = [], 0
    yield from _ranked(view, waiting)


def _find(view: Snapshot, asked: Asked, options: Options) -> _Found:
    distinct = sorted_distinct(asked.hashes)
    boilerplate = view.boilerplate()
    ignored_boilerplate = 0
    if len(boilerplate):
        held = contains(boilerplate, distinct)
        ignored_boilerplate, distinct = int(held.sum()), distinct[~held]
    looked_up = distinct if options.smallest is None else distinct[: options.smallest]
    itself = () if asked.with_itself else asked.itself
    by_id = view.tally(looked_up) if options.max_df is None and not options.weighted else None
    if by_id is None:
        kept, indices, documents = _hits(view, looked_up, options)
        others = np.ones(len(documents), np.bool_)
        for number in asked.itself:
            others &= documents != number
        found, shared = _tally(documents[others] if itself else documents)
    else:
        kept = np.ones(len(looked_up), np.bool_)
        by_id[[number for number in itself if number < len(by_id)]] = 0
        found, shared = _counted(by_id) if asked.sample else _most(view, by_id, options)
    if asked.sample is None:
        promising = _promising(view, found, shared, int(kept.sum()), options)
        found, shared = found[promising], shared[promising]
    sizes = view.catalogue.sizes(found)
    held = sizes["hashes"].astype(np.int64) - sizes["boilerplate"]
    compare = partial(_compare, asked.sample, looked_up, sizes["share"])
    measures = compare(shared, kept, held * len(looked_up) / max(len(distinct), 1))
    if options.weighted:
        documents_in_all = view.state.documents - len(asked.itself) + 1
        holders = np.bincount(indices[others], minlength=len(looked_up)) + 1
        weights = kept * weigh(holders, documents_in_all)
        value = sums(found, documents, weights[indices])
        if options.by == "weighted_containment":
            measures["weighted_containment"] = compare(value, weights, value)["containment"]
        else:
            last = int(looked_up[-1]) if 0 < len(looked_up) < len(distinct) else 2**64 - 1
            weighed = value + weights_held(view, found, documents_in_all, looked_up[kept], last)
            measures |= {f"weighted_{name}": each for name, each in compare(value, weights, weighed).items()}
    ignored_common = len(looked_up) - int(kept.sum())
    counts = len(asked.hashes), len(looked_up), ignored_boilerplate, ignored_common
    query = Query(asked.name, asked.kind, *counts, _note(len(asked.hashes), len(looked_up), ignored_common))
    score = shared if options.by == "shared" else measures[options.by]
    among = np.arange(len(found)) if options.min is None else np.flatnonzero(score >= options.min)
    among = among[_first(view, found[among], score[among], shared[among], options.top)]
    measures = {name: each[among] for name, each in measures.items()}
    return _Found(query, found[among], shared[among], measures, options.by, asked.kgrams, looked_up[~kept])


def sorted_distinct(hashes: U64) -> U64:
    """The distinct hashes, ascending. (np.unique hashes them in a table, and loads more of numpy for it.)"""
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


def _tally(documents: U32) -> tuple[U32, NDArray[np.int64]]:
    """The distinct documents, ascending, and how often each occurs."""
    if len(documents) < MANY or int(documents.max()) > SPARSE * len(documents):
        ordered = np.sort(documents)
        first = _first_of_each(ordered)
        return ordered[first], np.diff(first, append=len(ordered))
    return _counted(np.bincount(documents))


def _counted(counts: NDArray[Any]) -> tuple[U32, NDArray[np.int64]]:
    found = np.flatnonzero(counts)
    return found.astype(np.uint32), counts[found].astype(np.int64)


RISING = ("containment", "shared")
"""Measures that rise and fall with the number of shared hashes."""


def _most(view: Snapshot, counts: U32, options: Options) -> tuple[U32, NDArray[np.int64]]:
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


def _promising(
    view: Snapshot, found: U32, shared: NDArray[np.int64], counted: int, options: Options
) -> NDArray[np.intp]:
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


def _first(
    view: Snapshot, found: U32, score: NDArray[Any], shared: NDArray[np.int64], top: int | None
) -> NDArray[np.intp]:
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


def _compare(
    sample: Sample | None, looked_up: U64, shares: U32, value: NDArray[Any], counted: NDArray[Any], held: F64
) -> dict[str, F64]:
    """The measures of candidates, of which so much is a sample; counted: what each hash looked up counts."""
    if sample is None:
        return measure(value, counted.sum(), held)
    return measure(value, sample.within(looked_up, counted, shares), held * sample.overlap(shares))


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


def _ranked(view: Snapshot, found: Sequence[_Found]) -> Iterator[Ranked]:
    """The answers, with matches in order and by name."""
    wanted: set[int] = set()
    for one in found:
        wanted.update(one.documents.tolist())
    records = view.catalogue.records_of(wanted)
    for one in found:
        documents: list[int] = one.documents.tolist()
        described = [records[document] for document in documents]
        score = one.shared if one.by == "shared" else one.measures[one.by]
        keys = (-score).tolist(), (-one.shared).tolist(), [record.name for record in described], documents
        order = [at for *_, at in sorted(zip(*keys, range(len(documents)), strict=True))]
        nothing = [None] * len(documents)
        columns = [one.measures[name].tolist() if name in one.measures else nothing for name in _MEASURED]
        parts = nothing if not one.kgrams else list(map(partial(_part, one.kgrams), columns[1], described))
        names = [name.decode("utf-8", "surrogateescape") for name in keys[2]]
        rows = list(zip(names, one.shared.tolist(), *columns, parts, strict=True))
        matches = [Match(*rows[at]) for at in order]
        yield Ranked(Answer(one.query, matches), [documents[at] for at in order], one.ignored)


def _part(kgrams: int, ratio: float, record: Record) -> float | None:
    """What `Match.part` says; ratio: how much of the document's fingerprints matched."""
    other = record.kgrams
    if not other:
        return None
    factor = max(kgrams, other) / min(kgrams, other)
    return min(ratio * factor, 1.0) if factor >= LENGTHS_DIFFER else None
