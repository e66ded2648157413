"""Find the documents of a query's own content, whatever the caps: a thousand copies would make their hashes common.

They are compared as if no hash was ignored: they share all hashes that were looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, Bools
from fpdb.search.rarity import weigh
from fpdb.storage.index_reader import IndexReader

if TYPE_CHECKING:
    from fpdb.search.candidates import Candidates


def add_copies(reader: IndexReader, candidates: Candidates, document_ids: U32, shared: NDArray[Any]) -> Candidates:
    """Return the candidates of a query of which hashes are ignored, with its copies. Raises Corrupt.

    document_ids: all that share hashes that count, ascending, not only the candidates; shared: how many.
    """
    looked_up = candidates.hashes.looked_up
    if candidates.counted:
        copies = _find_copies(reader, candidates, document_ids[shared == candidates.counted])
    else:
        copies = _find_copies(reader, candidates, reader.look_up(looked_up[:1]).document_ids)
    if not len(copies):
        return candidates
    merged = np.union1d(candidates.document_ids, copies)
    places, copy_places = np.searchsorted(merged, candidates.document_ids), np.searchsorted(merged, copies)
    all_shared = np.zeros(len(merged), np.int64)
    all_shared[places] = candidates.shared
    all_shared[copy_places] = len(looked_up)
    weights = candidates.weights
    if weights is not None:
        sums = np.zeros(len(merged))
        sums[places] = weights.shared
        sums[copy_places] = weights.hashes.sum() + _weigh_ignored(reader, candidates, weights.documents).sum()
        weights = weights._replace(shared=sums)
    return candidates._replace(document_ids=merged, shared=all_shared, weights=weights, copies=copies)


def _find_copies(reader: IndexReader, candidates: Candidates, document_ids: U32) -> U32:
    """Return those of the documents, ascending, that have the query's kind and digest, and as many hashes."""
    query, digest = candidates.query, candidates.query.digest
    if digest is None:
        return document_ids[:0]
    sizes = reader.catalogue.sizes(document_ids)
    held = candidates.hashes.distinct + len(query.seams)
    same_size: Bools = sizes["hashes"].astype(np.int64) - sizes["boilerplate"] == held
    copies = []
    for document_id in document_ids[same_size].tolist():
        record = reader.catalogue.record(document_id)
        if (record.kind, record.digest) == (query.kind, digest) and document_id not in query.omitted_ids:
            copies.append(document_id)
    return np.array(copies, np.uint32)


def _weigh_ignored(reader: IndexReader, candidates: Candidates, documents: int) -> F64:
    """Return the weights of the ignored hashes, as `HashWeights` counts them."""
    hits = reader.look_up(candidates.hashes.looked_up[~candidates.counts])
    others = ~np.isin(hits.document_ids, candidates.query.own_ids)
    return weigh(np.bincount(hits.hash_indices[others], minlength=len(hits.counts)) + 1, documents)
