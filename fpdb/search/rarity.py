"""The weight of a hash by its rarity: log(N / df) among N documents of which df hold it.

Weights are whole multiples of UNIT, so that sums of them are exact (up to 2**53 units: a million hashes of the largest
weight) and independent of their order: a copy scores 1, and symmetric measures are symmetric to the last bit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, U64, contains
from fpdb.search.scoring import ratio
from fpdb.storage.reader import Reader

UNIT: Final = 2.0**-28


def weigh(frequencies: NDArray[np.integer], documents: int) -> F64:
    """Return the weight of hashes that so many of the documents hold; shape (n,). A frequency of 0 counts as 1."""
    exact: F64 = np.log(max(documents, 1) / np.maximum(frequencies, 1))
    return np.round(exact / UNIT) * UNIT


def rarity(weight: F64, shared: NDArray[np.integer], documents: int) -> F64:
    """Return the mean rarity of shared hashes; in [0, 1), shape (n,).

    weight: the sum of their weights; shared: their number; documents: the number that rarity is counted in.
    """
    return ratio(weight, shared * float(np.log(max(documents, 1))))


def sum_weights(reader: Reader, document_ids: U32, documents: int, excluded: U64, last: int) -> F64:
    """Return the sum of the weights of the hashes of some documents, ascending; shape (n,). Raises Corrupt.

    Leaves out the excluded hashes, ascending, and those beyond `last`; reads all postings up to there.
    """
    from fpdb.storage.posting_scan import scan_posting_lists

    total = np.zeros(len(document_ids))
    for lists in scan_posting_lists(reader):
        if int(lists.hashes[0]) > last:
            break
        counted = (lists.hashes <= np.uint64(last)) & ~contains(excluded, lists.hashes)
        holders, frequencies = lists.document_ids, lists.frequencies
        if not counted.all():
            holders, frequencies = holders[np.repeat(counted, frequencies)], frequencies[counted]
        total += sum_by_document(document_ids, holders, np.repeat(weigh(frequencies, documents), frequencies))
    return total


def sum_by_document(document_ids: U32, holders: U32, values: F64) -> F64:
    """Return the sum of each document's values; holders: the document of each value. document_ids: ascending."""
    if not len(document_ids):
        return np.zeros(0)
    index = np.minimum(np.searchsorted(document_ids, holders), len(document_ids) - 1)
    known = document_ids[index] == holders
    total: F64 = np.bincount(index[known], values[known], minlength=len(document_ids)).astype(np.float64)
    return total
