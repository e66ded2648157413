"""Find the documents that may be a query's matches, and count the hashes they share: of one query, and of many.

The caps are Koala's (Heintze 1996, section 6.2); looking up only the smallest hashes is section 3.2 of the winnowing
paper. The hashes of many queries are looked up together, so that no block is read twice, and the documents that share
hashes with each are counted in one call of the kernel. Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, U64, Bools, contains
from fpdb.search import _candidates
from fpdb.search.options import QueryOptions
from fpdb.search.pruning import minimum_shared, most_shared, nonzero, promising_candidates
from fpdb.search.query_fingerprints import QueryFingerprints
from fpdb.search.results import Query
from fpdb.storage.hits import count_documents
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.sorting import sort_postings

if TYPE_CHECKING:
    from fpdb.storage.prefetch import PrefetchedSnapshot

HITS_TOGETHER: Final = 1 << 20  # that are counted in one call: some 10 MB
MOST_HITS: Final = 1 << 16  # of a query that is counted so
NO_LIMIT: Final = 1 << 62  # more hashes than there are
NO_COPIES: Final[U32] = np.empty(0, np.uint32)


class HashWeights(NamedTuple):
    """The weights of a query's hashes by their rarity."""

    hashes: F64  # of each hash looked up, 0 for an ignored one; shape (n,)
    shared: F64  # the sum of those that each candidate shares; shape (candidates,)
    documents: int  # that rarity is counted in


class QueryHashes(NamedTuple):
    """The hashes of a query that are looked up."""

    looked_up: U64  # ascending, distinct; shape (n,)
    distinct: int  # of all hashes, boilerplate left out
    boilerplate: int  # distinct hashes, those of seams included


class Candidates(NamedTuple):
    """The documents that may be a query's matches."""

    query: QueryFingerprints
    hashes: QueryHashes
    counts: Bools  # whether each hash looked up counts, or is ignored as common; shape (n,)
    counted: int  # of these
    document_ids: U32  # ascending; shape (candidates,)
    shared: I64 | U32  # hashes that each shares; shape (candidates,)
    weights: HashWeights | None = None  # if hashes weigh by their rarity
    copies: U32 = NO_COPIES  # those of the documents that have the query's content, and share all hashes looked up
    max_df: int | None = None  # the cap
    total: int | None = None  # of all documents, if these are not all that share hashes, and how many was asked for

    @property
    def is_counted_only(self) -> bool:
        """Return True if the measures are ratios of counts, as for all candidates of all such queries."""
        return self.weights is None and self.query.sample is None

    def within(self, document_ids: U32) -> Candidates:
        """Return those of the candidates that are among some documents, of ascending ids."""
        kept = contains(document_ids, self.document_ids)
        weights = self.weights and self.weights._replace(shared=self.weights.shared[kept])
        candidates = self._replace(document_ids=self.document_ids[kept], shared=self.shared[kept], weights=weights)
        return candidates._replace(copies=self.copies[contains(document_ids, self.copies)])

    def describe_query(self) -> Query:
        """Return what the answer says of the query."""
        fingerprints, looked_up, note = len(self.query.hashes), len(self.hashes.looked_up), None
        if not fingerprints:
            note = "too short to have a fingerprint"
            if self.query.kind == "pdf":
                note += "; if it is a scan, OCR it first"
        elif not looked_up:
            note = "all of its fingerprints are boilerplate"
        elif not self.counted and not len(self.copies):
            note = "all of its fingerprints are common, and ignored"
        ignored = self.hashes.boilerplate, looked_up - self.counted
        max_df = self.max_df if ignored[1] else None
        return Query(
            self.query.name, self.query.kind, fingerprints, looked_up, *ignored, note, max_df, self.query.signs
        )


def find_candidates(
    reader: IndexReader, queries: Sequence[QueryFingerprints], options: QueryOptions
) -> Iterator[Candidates]:
    """Yield the candidates of each query, of which there is at least one, in order. Raises Corrupt."""
    partition = _Partition(reader, queries, options.smallest or NO_LIMIT)
    if len(queries) > 1:
        from fpdb.storage.prefetch import PrefetchedSnapshot

        reader = PrefetchedSnapshot(reader, partition.hashes)
        if not options.weighted and options.max_ignored is None:
            yield from _count_together(reader, queries, partition, options)
            return
    for query, hashes in zip(queries, partition, strict=True):
        yield _count_alone(reader, query, hashes, options)


class _Partition:
    """The hashes that queries look up, and which of them each query has, see `_candidates.partition_hashes`."""

    def __init__(self, reader: IndexReader, queries: Sequence[QueryFingerprints], smallest: int) -> None:
        if len(queries) == 1:
            hashes = np.sort(queries[0].hashes_to_find)
            owners = np.zeros(len(hashes), np.uint32)
        else:
            found = [query.hashes_to_find for query in queries]
            hashes = np.concatenate(found)
            owners = np.repeat(np.arange(len(queries), dtype=np.uint32), [*map(len, found)])
            sort_postings(hashes, owners, np.empty(len(hashes), np.uint32))
        parts = _candidates.partition_hashes(hashes, owners, len(queries), reader.boilerplate(), smallest)
        self.hashes, self.indices, self.bounds, self._distinct, boilerplate_counts = parts
        self._boilerplate = boilerplate_counts + [len(query.seams) for query in queries]

    def __iter__(self) -> Iterator[QueryHashes]:
        """Yield the hashes of each query."""
        looked_up = self.hashes[self.indices]
        counts = zip(self._distinct.tolist(), self._boilerplate.tolist(), strict=True)
        for (start, end), (distinct, boilerplate) in zip(pairwise(self.bounds.tolist()), counts, strict=True):
            yield QueryHashes(looked_up[start:end], distinct, boilerplate)

    def sum_by_query(self, values: NDArray[Any]) -> I64:
        """Return the sum of the values of each query's hashes; values: of each of `hashes`."""
        totals = np.zeros(len(self.indices) + 1, np.int64)
        np.cumsum(values[self.indices], out=totals[1:])
        return totals[self.bounds[1:]] - totals[self.bounds[:-1]]


def _count_together(
    reader: PrefetchedSnapshot, queries: Sequence[QueryFingerprints], partition: _Partition, options: QueryOptions
) -> Iterator[Candidates]:
    """Count the hashes shared with many queries in one call, but those of queries with many hits alone."""
    capped = reader.capped(options.max_df)
    starts, ends = reader.starts, np.where(capped, reader.starts, reader.ends)
    counted, hits = partition.sum_by_query(~capped), partition.sum_by_query(ends - starts)
    alone = (hits > MOST_HITS) | (partition.sum_by_query(~(reader.complete | capped)) > 0)
    hits[alone] = 0
    minimums = minimum_shared(counted, options)
    minimums[[query.sample is not None for query in queries]] = 1
    minimums[alone] = 0
    counts = ~capped[partition.indices]
    hashes = zip(partition, pairwise(partition.bounds.tolist()), counted.tolist(), alone.tolist(), strict=True)
    for begin, end in pairwise(_batch_bounds(hits)):
        omitted = [query.omitted_ids for query in queries[begin:end]]
        found = _candidates.count_shared(
            (reader.document_ids, starts, ends),
            (partition.indices, partition.bounds[begin : end + 1]),
            minimums[begin:end],
            (np.array([*chain.from_iterable(omitted)], np.uint32), np.cumsum([0, *map(len, omitted)], dtype=np.int64)),
        )
        document_ids, shared, lengths = found
        first = 0
        for query, length in zip(queries[begin:end], lengths.tolist(), strict=True):
            query_hashes, bounds, query_counted, is_alone = next(hashes)
            last = first + length
            if is_alone:
                yield _count_alone(reader, query, query_hashes, options)
            else:
                query_counts = counts[slice(*bounds)]
                found_ids, found_shared = document_ids[first:last], shared[first:last]
                sharing = found_ids, found_shared
                candidates = Candidates(
                    query, query_hashes, query_counts, query_counted, *sharing, max_df=options.max_df
                )
                yield _with_copies(reader, candidates, *sharing)
            first = last


def _batch_bounds(hits: I64) -> list[int]:
    """Return the bounds of the queries that are counted in one call, by the number of hits of each."""
    batches = np.cumsum(hits) // HITS_TOGETHER
    return [0, *(np.flatnonzero(batches[1:] != batches[:-1]) + 1).tolist(), len(hits)]


def _count_alone(
    reader: IndexReader, query: QueryFingerprints, hashes: QueryHashes, options: QueryOptions
) -> Candidates:
    """Count the hashes shared with one query, however many hits it has."""
    if options.with_total:
        if options.min is None and options.max_df is None:
            candidates = _count_alone(reader, query, hashes, replace(options, with_total=False))
            return candidates._replace(total=_count_sharing(reader, query, hashes.looked_up))
        options = replace(options, top=None)  # the scores tell
    from fpdb.search.first_candidates import first_candidates

    first = first_candidates(reader, query, hashes, options)
    if first is not None:
        return first
    looked_up, weights = hashes.looked_up, None
    counts = np.ones(len(looked_up), np.bool_)
    if options.weighted or options.max_ignored is not None:
        counts, document_ids, shared, weights = _count_kept(reader, query, looked_up, options)
    elif options.max_df is None and (by_id := reader.count_by_document(looked_up)) is not None:
        by_id[[document_id for document_id in query.omitted_ids if document_id < len(by_id)]] = 0
        document_ids, shared = nonzero(by_id) if query.sample else most_shared(reader, by_id, options)
    else:
        hits = reader.look_up(looked_up, cap=options.max_df)
        counts = ~hits.capped
        document_ids, shared = count_documents(hits.document_ids)
        if query.omitted_ids:
            others = ~np.isin(document_ids, query.omitted_ids)
            document_ids, shared = document_ids[others], shared[others]
    counted = int(np.count_nonzero(counts))
    all_ids, all_shared = document_ids, shared
    if query.sample is None:
        promising = promising_candidates(reader, document_ids, shared, counted, options)
        document_ids, shared = document_ids[promising], shared[promising]
        if weights is not None:
            weights = weights._replace(shared=weights.shared[promising])
    candidates = Candidates(query, hashes, counts, counted, document_ids, shared, weights, max_df=options.max_df)
    return _with_copies(reader, candidates, all_ids, all_shared)


def _count_sharing(reader: IndexReader, query: QueryFingerprints, looked_up: U64) -> int:
    """Return how many documents share a hash with a query."""
    counts = reader.count_by_document(looked_up)
    if counts is None:
        document_ids, _ = count_documents(reader.look_up(looked_up).document_ids)
        return len(document_ids) - int(contains(document_ids, np.array(query.omitted_ids, np.uint32)).sum())
    omitted = [document_id for document_id in query.omitted_ids if document_id < len(counts)]
    return int(np.count_nonzero(counts)) - int(np.count_nonzero(counts[omitted]))


def _with_copies(reader: IndexReader, candidates: Candidates, document_ids: U32, shared: NDArray[Any]) -> Candidates:
    """Return the candidates with the copies, if hashes are ignored; see `copies.add_copies`."""
    if candidates.counted == len(candidates.hashes.looked_up):
        return candidates
    from fpdb.search.copies import add_copies

    return add_copies(reader, candidates, document_ids, shared)


def _count_kept(
    reader: IndexReader, query: QueryFingerprints, looked_up: U64, options: QueryOptions
) -> tuple[Bools, U32, I64, HashWeights | None]:
    """Return which hashes count, the documents that share some of these and how many, and the weights."""
    counts, indices, document_ids = _hits(reader, looked_up, options)
    others = np.ones(len(document_ids), np.bool_)
    for document_id in query.own_ids:
        others &= document_ids != document_id
    found, shared = count_documents(document_ids[others] if query.omitted_ids else document_ids)
    if not options.weighted:
        return counts, found, shared, None
    from fpdb.search.rarity import sum_by_document, weigh

    documents = reader.document_count - len(query.own_ids) + 1
    frequencies = np.bincount(indices[others], minlength=len(looked_up)) + 1
    weights = counts * weigh(frequencies, documents)
    sums = sum_by_document(found, document_ids, weights[indices])
    return counts, found, shared, HashWeights(weights, sums, documents)


def _hits(reader: IndexReader, looked_up: U64, options: QueryOptions) -> tuple[Bools, U32, U32]:
    """Return which hashes are not ignored as common, and the hits on these: indices of hashes, and documents."""
    hits = reader.look_up(looked_up, cap=options.max_df)
    counts = ~hits.capped
    common = np.flatnonzero(hits.capped)
    if options.max_ignored is None or len(common) <= options.max_ignored:
        return counts, hits.hash_indices, hits.document_ids
    # More are common than may be ignored: the most frequent are, ties by hash; the rest count after all.
    all_hits = reader.look_up(looked_up[common])
    counts[common[np.lexsort((common, -all_hits.counts))[options.max_ignored :]]] = True
    indices = common[all_hits.hash_indices].astype(np.uint32)
    counted = counts[indices]
    indices = np.concatenate((hits.hash_indices, indices[counted]))
    return counts, indices, np.concatenate((hits.document_ids, all_hits.document_ids[counted]))
