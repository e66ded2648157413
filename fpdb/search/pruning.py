"""Leave out candidates that cannot be in the answer before their sizes and names are read."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32
from fpdb.search.options import QueryOptions
from fpdb.storage.index_reader import IndexReader

ROUNDING: Final = 1e-6
RISING: Final = ("containment", "shared")  # measures that rise and fall with the number of shared hashes


def nonzero(counts: NDArray[Any]) -> tuple[U32, I64]:
    """Return the documents whose counts, by id, are not 0, and these counts."""
    document_ids = np.flatnonzero(counts)
    return document_ids.astype(np.uint32), counts[document_ids].astype(np.int64)


def most_shared(reader: IndexReader, counts: U32, options: QueryOptions) -> tuple[U32, I64]:
    """Return the documents, of the numbers of hashes that each shares by id, that may be among the first `top`.

    Nearly all documents may share a hash: no array of those that do is made.
    """
    if options.top is None or options.by not in RISING:
        return nonzero(counts)
    last, beyond = 0, int(counts.max(initial=0)) + 1  # `top` documents share `last` or more, but not `beyond`
    while beyond - last > 1:
        middle = (last + beyond) // 2
        if np.count_nonzero(counts >= middle) >= options.top:
            last = middle
        else:
            beyond = middle
    if not last:
        return nonzero(counts)
    document_ids = np.flatnonzero(counts > last)
    tied = reader.catalogue.first_by_name(counts == last, options.top - len(document_ids))
    document_ids = np.sort(np.concatenate((document_ids, np.array(tied, np.intp))))
    return document_ids.astype(np.uint32), counts[document_ids].astype(np.int64)


def minimum_shared(counted: NDArray[np.int64], options: QueryOptions) -> I64:
    """Return the number of hashes that a document with the measure `min` shares at least, 1 or more, of so many.

    Of the measures that count hashes, only reverse containment exceeds shared / counted.
    """
    if options.min is None or options.by not in ("containment", "resemblance", "shared"):
        return np.ones_like(counted)
    whole = 1 if options.by == "shared" else counted
    return np.maximum(np.ceil(options.min * whole - ROUNDING), np.ones_like(counted)).astype(np.int64)


def promising_candidates(
    reader: IndexReader, document_ids: U32, shared: I64, counted: int, options: QueryOptions
) -> NDArray[np.intp]:
    """Return the indices of the candidates that may reach `min` and the first `top`, whose sizes matter."""
    promising = np.flatnonzero(shared >= minimum_shared(np.array(counted), options))
    if options.by in RISING:
        shared = shared[promising]
        promising = promising[first_of(reader, document_ids[promising], shared, shared, options.top)]
    return promising


def first_of(
    reader: IndexReader, document_ids: U32, score: NDArray[Any], shared: I64, top: int | None
) -> NDArray[np.intp]:
    """Return the indices, in no order, of the `top` candidates of the highest score, the most shared, the first names.

    Args:
        reader: Where the names are read.
        document_ids: Ascending; shape (n,), as for score and shared.
        score: The measure.
        shared: The number of shared hashes.
        top: None for all candidates.
    """
    if top is None or len(document_ids) <= top:
        return np.arange(len(document_ids))
    tied = np.arange(len(document_ids))
    first: list[NDArray[np.intp]] = []
    for values in (shared,) if score is shared else (score, shared):
        tied_values = values[tied]
        last = _largest(tied_values, top - sum(map(len, first)))
        first.append(tied[tied_values > last])
        tied = tied[tied_values == last]
    wanted = np.zeros(int(document_ids[tied].max()) + 1, np.bool_)
    wanted[document_ids[tied]] = True
    named = reader.catalogue.first_by_name(wanted, top - sum(map(len, first)))
    return np.concatenate((*first, tied[np.searchsorted(document_ids[tied], np.sort(named))]))


def _largest(values: NDArray[Any], rank: int) -> Any:
    """Return the rank-th largest of measures or counts."""
    if values.dtype.kind == "f":
        return np.partition(values, len(values) - rank)[len(values) - rank]
    at_least = np.cumsum(np.bincount(values)[::-1])[::-1]  # of each count
    return np.flatnonzero(at_least >= rank)[-1]
