"""Compute the measures of candidates.

The measures are those of Broder (On the resemblance and containment of documents, 1997). Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, contains, sorted_distinct
from fpdb.search.candidates import Candidates
from fpdb.search.options import COUNTED
from fpdb.storage.hits import count_documents
from fpdb.storage.index_reader import IndexReader


@dataclass(frozen=True)
class ScoredCandidates:
    """The candidates of some queries, one query's after the other's; arrays of shape (n,)."""

    queries: Sequence[Candidates]
    query_indices: NDArray[np.intp]
    document_ids: U32
    shared: I64  # hashes that each shares with its query
    measures: dict[str, F64]  # by name

    def score(self, by: str) -> NDArray[Any]:
        """Return the measure to rank by; shape (n,)."""
        return self.shared if by == "shared" else self.measures[by]

    def take(self, indices: NDArray[np.intp]) -> Self:
        """Return some of the candidates, in this order."""
        columns = self.query_indices[indices], self.document_ids[indices], self.shared[indices]
        return type(self)(self.queries, *columns, {name: column[indices] for name, column in self.measures.items()})


def score_candidates(reader: IndexReader, queries: Sequence[Candidates], by: str) -> ScoredCandidates:
    """Compute the measures of queries that are alike in `Candidates.is_counted_only`. Raises Corrupt."""
    lengths = [len(query.document_ids) for query in queries]
    query_indices = np.arange(len(queries)).repeat(lengths)
    document_ids = np.concatenate([query.document_ids for query in queries])
    shared: I64 = np.concatenate([query.shared for query in queries], dtype=np.int64)
    distinct = sorted_distinct(document_ids) if len(queries) > 1 else document_ids
    sizes = reader.catalogue.sizes(distinct)
    if len(queries) > 1:
        sizes = sizes[np.searchsorted(distinct, document_ids)]
    held = sizes["hashes"].astype(np.int64) - sizes["boilerplate"]
    for query, part in zip(queries, np.split(held, np.cumsum(lengths)[:-1]), strict=True):
        if len(query.query.seams):
            part -= _seams_held(reader, query)
    if queries[0].is_counted_only:
        counted = np.array([query.counted for query in queries])[query_indices]
        looked_up = np.array([len(query.hashes.looked_up) for query in queries])[query_indices]
        all_hashes = np.array([max(query.hashes.distinct, 1) for query in queries])[query_indices]
        measures = measure_sets(shared, counted, held * looked_up / all_hashes)
    else:
        bounds = np.cumsum(lengths)[:-1]
        parts = zip(queries, np.split(held, bounds), np.split(sizes["share"], bounds), strict=True)
        measures = _join([measure_alone(query, held, shares, by) for query, held, shares in parts])
    if any(len(query.copies) for query in queries):
        _score_copies(queries, measures)
    return ScoredCandidates(queries, query_indices, document_ids, shared, measures)


def _seams_held(reader: IndexReader, candidates: Candidates) -> I64:
    """Return how many of the query's hashes in seams of boilerplate each candidate holds; they count for nothing."""
    document_ids, counts = count_documents(reader.look_up(candidates.query.seams).document_ids)
    held = np.zeros(len(candidates.document_ids), np.int64)
    kept = contains(candidates.document_ids, document_ids)
    held[np.searchsorted(candidates.document_ids, document_ids[kept])] = counts[kept]
    return held


def _score_copies(queries: Sequence[Candidates], measures: dict[str, F64]) -> None:
    """Set the measures of copies, in place: both documents are contained in each other, unless they weigh nothing."""
    copies = np.concatenate([np.isin(query.document_ids, query.copies) for query in queries])
    for name, column in measures.items():
        if name in COUNTED:
            column[copies] = 1.0
        else:
            column[copies] = np.concatenate([query.weights.shared > 0 for query in queries if query.weights])[copies]


def measure_sets(shared: NDArray[Any], asked: Any, reached: F64) -> dict[str, F64]:
    """Return three measures of each candidate by the sizes, or the weights, of sets; shape (n,).

    shared: |Q and D| among the hashes that were looked up; asked: |Q| of these; reached: |D|, or, if only hashes up to
    some T were looked up, |D up to T|: the same share of |D| as the hashes looked up are of Q. Stored hashes are
    uniform, and Q's own share errs with the sample, so that a copy of the query scores exactly 1.
    """
    asked, reached = np.maximum(asked, shared), np.maximum(reached, shared)
    ratios = ratio(shared, asked), ratio(shared, reached), ratio(shared, asked + reached - shared)
    return dict(zip(COUNTED, ratios, strict=True))


def ratio(part: NDArray[Any], whole: Any) -> F64:
    """Return part / whole, shape (n,); 0 if the whole is 0: what has no weight is contained in nothing."""
    share: F64 = np.divide(part, whole, out=np.zeros(len(part)), where=np.greater(whole, 0))
    return share


def measure_alone(candidates: Candidates, held: I64 | F64, shares: U32, by: str) -> dict[str, F64]:
    """Return the measures of one query's candidates, of which these numbers of hashes and samples are stored."""
    sample, hashes = candidates.query.sample, candidates.hashes
    looked_up = hashes.looked_up

    def compare(shared: NDArray[Any], values: NDArray[Any], reached: F64) -> dict[str, F64]:
        """Compute the measures; values: what each hash looked up counts."""
        if sample is None:
            return measure_sets(shared, values.sum(), reached)
        return measure_sets(shared, sample.sum_within(looked_up, values, shares), reached * sample.overlap(shares))

    measures = compare(candidates.shared, candidates.counts, held * len(looked_up) / max(hashes.distinct, 1))
    if candidates.weights is None:
        return measures
    weights, shared, _ = candidates.weights
    if by == "weighted_containment":
        return measures | {by: compare(shared, weights, shared)["containment"]}
    mean_weight = weights.sum() / max(candidates.counted, 1)
    reached = held * len(looked_up) / max(hashes.distinct, 1) * mean_weight
    weighted = compare(shared, weights, reached)
    return measures | {by: (weighted["containment"] + weighted["reverse_containment"]) / 2}


def _join(parts: Iterable[dict[str, F64]]) -> dict[str, F64]:
    parts = list(parts)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
