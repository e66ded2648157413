"""Put scored candidates in order, and make answers, or lines of JSON, of the first ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U64, group_starts, sorted_distinct
from fpdb.gc_control import gc_paused
from fpdb.search.candidates import Candidates, find_candidates
from fpdb.search.options import COUNTED, QueryOptions
from fpdb.search.pruning import first_of
from fpdb.search.query_fingerprints import QueryFingerprints
from fpdb.search.results import Answer, matches_of
from fpdb.search.scoring import ScoredCandidates, score_candidates
from fpdb.storage.file_format import name_text
from fpdb.storage.index_reader import IndexReader

TOGETHER: Final = 50_000  # candidates that are scored, and of which names are read, together: some 50 MB
LENGTHS_DIFFER: Final = 5  # times


class RankedMatches(NamedTuple):
    """The answer to a query, without regions, and what these need."""

    answer: Answer
    query: QueryFingerprints
    document_ids: list[int]  # of the matches, in order
    ignored: U64  # hashes, as common


def rank_queries(
    reader: IndexReader, queries: Sequence[QueryFingerprints], options: QueryOptions
) -> Iterator[RankedBatch]:
    """Yield the ranked matches of all queries, in order, as many in a batch as are scored and named together.

    Raises BadQuery: the measure needs regions; Corrupt.
    """
    options.check_by_hashes()
    chosen, finding = None, options
    if not (subset := options.subset).is_all:
        records = reader.catalogue.records()
        chosen = np.array([id_ for id_, record in records if subset.has(record.name, record.labels)], np.uint32)
        # Others may be among the first ones, and in the total.
        finding = replace(options, top=None, with_total=False)
    waiting: list[Candidates] = []
    count = 0
    for candidates in find_candidates(reader, queries, finding):
        if chosen is not None:
            candidates = candidates.within(chosen)
        waiting.append(candidates)
        count += len(candidates.document_ids)
        if count > TOGETHER:
            yield from _rank_all(reader, waiting, options)
            waiting, count = [], 0
    yield from _rank_all(reader, waiting, options)


def _rank_all(reader: IndexReader, waiting: Iterable[Candidates], options: QueryOptions) -> Iterator[RankedBatch]:
    for _, alike in groupby(waiting, attrgetter("is_counted_only")):
        with gc_paused():
            batch = _rank(reader, score_candidates(reader, list(alike), options.by), options)
        yield batch


def _rank(reader: IndexReader, scored: ScoredCandidates, options: QueryOptions) -> RankedBatch:
    passing = np.arange(len(scored.shared))
    if options.min is not None:
        passing = np.flatnonzero(scored.score(options.by) >= options.min)
    totals = _totals(scored, passing) if options.with_total else None
    scored = scored.take(_first(reader, scored, passing, options))
    distinct = sorted_distinct(scored.document_ids)
    names, kgrams = reader.catalogue.names_and_kgrams(distinct)
    name_indices = np.searchsorted(distinct, scored.document_ids)
    places = np.empty(len(distinct), np.intp)
    places[sorted(range(len(distinct)), key=names.__getitem__)] = np.arange(len(distinct))
    order = np.lexsort((places[name_indices], -scored.shared, -scored.score(options.by), scored.query_indices))
    bounds = np.zeros(len(scored.queries) + 1, np.int64)
    np.cumsum(np.bincount(scored.query_indices, minlength=len(scored.queries)), out=bounds[1:])
    return RankedBatch(scored.take(order), names, kgrams, name_indices[order], bounds, totals)


def _totals(scored: ScoredCandidates, passing: NDArray[np.intp]) -> list[int]:
    """Return how many matches each query has, of which these candidates are those that reach `min`."""
    counts = np.bincount(scored.query_indices[passing], minlength=len(scored.queries)).tolist()
    return [count if each.total is None else each.total for each, count in zip(scored.queries, counts, strict=True)]


def _first(
    reader: IndexReader, scored: ScoredCandidates, passing: NDArray[np.intp], options: QueryOptions
) -> NDArray[np.intp]:
    """Return those of the indices of candidates that are among the first `top` of their query."""
    score, top = scored.score(options.by), options.top
    if top is None or len(passing) <= top:
        return passing
    by_query = np.split(passing, group_starts(scored.query_indices[passing])[1:])
    return np.concatenate(
        [
            own
            if len(own) <= top
            else own[first_of(reader, scored.document_ids[own], score[own], scored.shared[own], top)]
            for own in by_query
        ]
    )


@dataclass(frozen=True)
class RankedBatch:
    """The matches of some queries, one query's after the other's, in order."""

    scored: ScoredCandidates
    names: Sequence[bytes]  # of the distinct documents
    kgrams: Sequence[int]  # of these
    name_indices: NDArray[np.intp]  # of each match; shape (n,)
    bounds: I64  # where each query's matches begin, and where the last's end; shape (queries + 1,)
    totals: list[int] | None  # of each query's matches, if they were counted

    @gc_paused()  # thousands of tuples, none in a cycle
    def answers(self, database_of: Callable[[int], str] | None = None) -> list[RankedMatches]:
        """Return the answer to each query; database_of: tells the database of a document, if there are several."""
        scored = self.scored
        columns: dict[str, Iterable[Any]] = {name: column.tolist() for name, column in scored.measures.items()}
        names = list(map(name_text, self.names))
        name_indices: list[int] = self.name_indices.tolist()
        document_ids: list[int] = scored.document_ids.tolist()
        columns["name"] = [names[index] for index in name_indices]
        columns["shared"] = scored.shared.tolist()
        if self._may_tell_parts:
            kgrams = np.repeat([each.query.kgrams for each in scored.queries], np.diff(self.bounds)).tolist()
            lengths = (self.kgrams[index] for index in name_indices)
            columns["part"] = map(_part_of_shorter, kgrams, columns["reverse_containment"], lengths)
        if database_of is not None:
            columns["database"] = map(database_of, document_ids)
        matches = matches_of(columns)
        totals: Sequence[int | None] = self.totals or [None] * len(scored.queries)
        return [
            RankedMatches(
                Answer(each.describe_query(), matches[start:end], total),
                each.query,
                document_ids[start:end],
                each.hashes.looked_up[~each.counts],
            )
            for each, total, (start, end) in zip(scored.queries, totals, pairwise(self.bounds.tolist()), strict=True)
        ]

    def json_lines(self) -> list[bytes]:
        """Return the answer to each query as a line of JSON, see `Answer.to_json`."""
        scored = self.scored
        if len(scored.measures) > len(COUNTED) or self._may_tell_parts or self.totals:
            return [ranked.answer.to_json().encode() for ranked in self.answers()]
        from fpdb.search import _json_lines

        heads = [each.describe_query().to_json().encode() for each in scored.queries]
        measures = (scored.measures[name] for name in COUNTED)
        return _json_lines.answer_lines(heads, self.names, (self.name_indices, scored.shared, *measures), self.bounds)

    @property
    def may_have_copies(self) -> bool:
        """True if a document may have the content of its query."""
        measures = self.scored.measures
        return bool(((measures["containment"] == 1) & (measures["reverse_containment"] == 1)).any())

    @property
    def _may_tell_parts(self) -> bool:
        """True if a match may tell its part, see `Match.part`."""
        return any(each.query.kgrams for each in self.scored.queries)


def _part_of_shorter(kgrams: int, reverse_containment: float, document_kgrams: int) -> float | None:
    """Return `Match.part`, by the numbers of k-grams of the query and the document, or 0."""
    if not kgrams or not document_kgrams:
        return None
    factor = max(kgrams, document_kgrams) / min(kgrams, document_kgrams)
    return min(reverse_containment * factor, 1.0) if factor >= LENGTHS_DIFFER else None
