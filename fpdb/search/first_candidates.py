"""Find the first matches of a query without counting all documents that hold its most common hashes.

After Turtle and Flood (Query evaluation: strategies and optimizations, 1995), whose MaxScore reads the long lists of
postings last, and only for documents that may still be among the first. Documents that share a *rare* hash are listed,
and the common ones are looked up in these alone. A document that shares only common hashes scores at most as one that
has all of them: if it is as small as can be, where sizes count. So those that may be in the answer are found by their
sizes, or, if very many score alike, by their names, which break ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64, U32, Bools, contains
from fpdb.search.candidates import Candidates, HashWeights, QueryHashes
from fpdb.search.options import QueryOptions
from fpdb.search.query_fingerprints import QueryFingerprints
from fpdb.search.rarity import weigh
from fpdb.search.scoring import measure_alone
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.hits import count_documents
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.sizes import LARGEST_LISTED

BY_SHARED: Final = ("containment", "shared", "weighted_containment")  # measures that no size changes
BY_SIZE: Final = ("resemblance", "reverse_containment", "similarity")  # that fall as a document is larger
MOST_SOUGHT: Final = 1 << 14  # documents in which common hashes are looked up
SOUGHT_TOGETHER: Final = 1 << 11  # of those that share only common hashes
ROUNDS: Final = 16  # of those, by size
NAMES: Final = 1 << 13  # that are read in order to find some


def first_candidates(
    reader: IndexReader, query: QueryFingerprints, hashes: QueryHashes, options: QueryOptions
) -> Candidates | None:
    """Return documents among which are all matches of the answer; None if all must be counted. Raises Corrupt."""
    is_limited = options.top is not None or options.min
    if not is_limited or options.max_df is not None or query.sample is not None:
        return None
    if options.by not in BY_SHARED + BY_SIZE or len(query.seams):  # sizes in the catalogue include seams
        return None
    common = reader.are_common(hashes.looked_up)
    if not common.any():
        return None
    return _FirstCandidates(reader, query, hashes, options, common).find()


class _Documents(NamedTuple):
    """Documents, how many hashes each shares, the weight of these, and the score; arrays of shape (n,)."""

    ids: U32
    shared: I64
    weights: F64
    score: NDArray[Any]

    def take(self, indices: NDArray[Any]) -> _Documents:
        return _Documents(*(column[indices] for column in self))

    def joined(self, other: _Documents) -> _Documents:
        return _Documents(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.shared, other.shared)),
            np.concatenate((self.weights, other.weights)),
            np.concatenate((self.score, other.score)),
        )


class _FirstCandidates:
    """The search for the first candidates of one query."""

    def __init__(
        self, reader: IndexReader, query: QueryFingerprints, hashes: QueryHashes, options: QueryOptions, common: Bools
    ) -> None:
        self._reader, self._query, self._hashes, self._options = reader, query, hashes, options
        self._common = hashes.looked_up[common]
        hits = reader.look_up(hashes.looked_up[~common])
        weights = self._weigh(common, hits.hash_indices, hits.document_ids) if options.weighted else None
        self._weights = np.zeros(len(common)) if weights is None else weights.hashes
        self._common_weights = self._weights[common]
        self._none = Candidates(
            query, hashes, np.ones(len(common), np.bool_), len(common), np.empty(0, np.uint32), np.empty(0, np.int64)
        )._replace(weights=weights)
        self._rare_ids, rare_shared = count_documents(hits.document_ids)
        self._rare_shared = rare_shared
        values = np.repeat(self._weights[~common], hits.counts)
        places = np.searchsorted(self._rare_ids, hits.document_ids)
        self._rare_weights = np.bincount(places, values, minlength=len(self._rare_ids)).astype(np.float64)
        self._omitted = np.array(sorted(query.omitted_ids), np.uint32)

    def _weigh(self, common: Bools, indices: U32, document_ids: U32) -> HashWeights:
        """Return the weights of all hashes, the query counted as one more document that holds them."""
        own_ids = np.array(sorted(self._query.own_ids), np.uint32)
        frequencies = np.ones(len(common), np.int64)
        others = ~contains(own_ids, document_ids)
        frequencies[~common] += np.bincount(indices[others], minlength=int((~common).sum()))
        common_hashes = self._hashes.looked_up[common]
        frequencies[common] += self._reader.count_holders(common_hashes)
        frequencies[common] -= self._reader.find_holders(common_hashes, own_ids).sum(axis=1)
        documents = self._reader.document_count - len(own_ids) + 1
        return HashWeights(weigh(frequencies, documents), np.empty(0), documents)

    def find(self) -> Candidates | None:
        """Return the candidates, or None."""
        promising = self._promising()
        if len(promising) > MOST_SOUGHT:
            return None
        documents = self._first(self._evaluate(promising))
        bound = self._bounds(np.zeros(1, np.int64))
        more: _Documents | None
        if self._options.by in BY_SHARED or not bound.any():
            more = self._named(documents, None) if self._may_matter(documents, bound)[0] else documents
        else:
            more = self._by_size(documents)
        if more is None:
            return None
        more = more.take(np.argsort(more.ids))
        weights = self._none.weights and self._none.weights._replace(shared=more.weights)
        return self._none._replace(document_ids=more.ids, shared=more.shared, weights=weights)

    # ------------------------------------------------------------ scores

    def _score(self, shared: I64, weights: F64, held: I64 | F64) -> NDArray[Any]:
        """Return the measure of documents that share so many hashes of these weights, and hold so many."""
        if self._options.by == "shared":
            return shared
        candidates = self._none._replace(document_ids=np.zeros(len(shared), np.uint32), shared=shared)
        if self._none.weights is not None:
            candidates = candidates._replace(weights=self._none.weights._replace(shared=weights))
        return measure_alone(candidates, held, candidates.document_ids, self._options.by)[self._options.by]

    def _held(self, document_ids: U32) -> I64:
        if self._options.by in BY_SHARED:
            return np.ones(len(document_ids), np.int64)
        sizes = self._reader.catalogue.sizes(document_ids)
        held: I64 = sizes["hashes"].astype(np.int64) - sizes["boilerplate"]
        return held

    def _bounds(self, held: I64) -> NDArray[Any]:
        """Return the most that documents score that share only common hashes, and hold so many; falls as these rise."""
        shared, weight = np.full(len(held), len(self._common)), self._common_weights.sum()
        if weight:  # of documents with few hashes, these may be the heaviest
            heaviest = np.cumsum(np.sort(self._common_weights)[::-1])
            least = np.maximum(held, 1)
            least = least * weight / heaviest[np.minimum(least, len(heaviest)) - 1]
        else:
            least = np.maximum(held, shared)
        return self._score(shared, np.full(len(held), weight), least)

    def _promising(self) -> U32:
        """Return the documents that share a rare hash and may be among the first, whatever common hashes they hold."""
        others = ~contains(self._omitted, self._rare_ids)
        ids, shared, weights = self._rare_ids[others], self._rare_shared[others], self._rare_weights[others]
        held = self._held(ids)
        least = _Documents(ids, shared, weights, self._score(shared, weights, held))
        most = self._score(
            np.minimum(shared + len(self._common), np.maximum(held, shared))
            if self._options.by in BY_SIZE
            else shared + len(self._common),
            weights + self._common_weights.sum(),
            held,
        )
        return ids[self._may_matter(least, most, shared + len(self._common))]

    def _evaluate(self, document_ids: U32) -> _Documents:
        """Look the common hashes up in documents, ascending; leave out those that share nothing."""
        held_common = self._reader.find_holders(self._common, document_ids)
        shared = held_common.sum(axis=0, dtype=np.int64)
        weights = self._common_weights @ held_common
        if len(self._rare_ids):
            places = np.minimum(np.searchsorted(self._rare_ids, document_ids), len(self._rare_ids) - 1)
            known = self._rare_ids[places] == document_ids
            shared += np.where(known, self._rare_shared[places], 0)
            weights += np.where(known, self._rare_weights[places], 0)
        score = self._score(shared, weights, self._held(document_ids))
        return _Documents(document_ids, shared, weights, score).take(np.flatnonzero(shared))

    # ------------------------------------------------------------ the first ones

    def _last(self, documents: _Documents) -> tuple[Any, int] | None:
        """Return the score, and the shared hashes, of the last of the first `top`; None if these are not so many."""
        top = self._options.top
        if top is None or len(documents.ids) < top:
            return None
        last = np.lexsort((-documents.shared, -documents.score))[top - 1]
        return documents.score[last], int(documents.shared[last])

    def _may_matter(self, documents: _Documents, score: NDArray[Any], shared: Any = None) -> Bools:
        """Return which scores, of at most so many shared hashes, may be among the first beside known documents."""
        least: Bools = score >= (self._options.min or 0)
        last = self._last(documents)
        if last is None:
            return least
        shared = len(self._common) if shared is None else shared
        among: Bools = least & ((score > last[0]) | ((score == last[0]) & (shared >= last[1])))
        return among

    def _first(self, documents: _Documents) -> _Documents:
        """Leave out documents that are not among the first."""
        return documents.take(np.flatnonzero(self._may_matter(documents, documents.score, documents.shared)))

    def _only_common(self, document_ids: U32) -> U32:
        """Return those of the documents that share no rare hash, and are not left out."""
        return document_ids[~(contains(self._rare_ids, document_ids) | contains(self._omitted, document_ids))]

    def _named(self, documents: _Documents, chosen: Bools | None) -> _Documents | None:
        """Add the first by name of those chosen that share all common hashes, and no rare one, and so score most.

        Return None if these are not soon as many as are asked for.
        """
        top, found, count = self._options.top, [documents], 0
        if top is None:
            return None
        for ids in self._names(chosen):
            holders = self._evaluate(np.sort(ids))
            holders = holders.take(np.flatnonzero(holders.shared == len(self._common)))
            wanted = ids[contains(holders.ids, ids)][: top - count]
            found.append(holders.take(np.flatnonzero(contains(np.sort(wanted), holders.ids))))
            count += len(wanted)
            if count == top:
                result = found[0]
                for part in found[1:]:
                    result = result.joined(part)
                return self._first(result)
        return None

    def _names(self, chosen: Bools | None) -> Iterator[U32]:
        """Yield documents that share no rare hash in the order of their names, some at a time, until many were read."""
        read, together = 0, 2 * (self._options.top or 1)
        for ids in self._reader.catalogue.ids_by_name():
            read += len(ids)
            ordinary = self._only_common(ids[ids < FIRST_BOILERPLATE])
            if chosen is not None:
                ordinary = ordinary[chosen[ordinary]]
            while len(ordinary):
                yield ordinary[:together]
                ordinary = ordinary[together:]
                together *= 2
            if read > NAMES:
                return

    def _by_size(self, documents: _Documents) -> _Documents | None:
        """Add those that share only common hashes, the smallest first, until larger ones score too little."""
        if not self._may_matter(documents, self._bounds(np.zeros(1, np.int64)))[0]:
            return documents
        sizes = self._reader.catalogue.held_sizes()
        bounds = self._bounds(np.append(sizes.distinct, LARGEST_LISTED + 1))
        ends = np.cumsum(sizes.counts)
        low, begin, before = -1, 0, 0
        for _ in range(ROUNDS):
            passing = self._may_matter(documents, bounds)
            end = int(passing.sum())  # bounds fall
            if begin >= end:
                return documents
            if end > len(sizes.distinct) and sizes.larger:
                return None
            end = min(end, len(sizes.distinct))
            reached = max(int(np.searchsorted(ends, before + SOUGHT_TOGETHER, "right")), begin + 1)
            reached = min(reached, end)
            high = int(sizes.distinct[reached - 1])
            chosen = (sizes.by_id > low) & (sizes.by_id <= high) if low >= 0 else sizes.by_id <= high
            if int(ends[reached - 1]) - before > SOUGHT_TOGETHER:
                if high < len(self._common) or bounds[begin] == bounds[begin + 1]:
                    return None
                return self._named(documents, chosen)
            ids = self._only_common(np.flatnonzero(chosen).astype(np.uint32))
            documents = self._first(documents.joined(self._evaluate(ids)))
            low, begin, before = high, reached, int(ends[reached - 1])
        return None
