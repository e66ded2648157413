"""The weight of a hash by its rarity: the cube of log((N + C) / df) / log(N + C), if df of N documents hold it.

The cube is for idioms, which half of a class has and which are no sign of copying: with it, pairs of programs rank best
(docs/guide/quality.md; the vector space model has the square). C documents are imagined beside the N, so that hashes
weigh something, and about as much each, where there are few documents.

Weights are whole multiples of UNIT, so that sums of them are exact (up to 2**53 units: 30 million hashes of the largest
weight) and independent of their order: a copy scores 1, and symmetric measures are symmetric to the last bit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32

UNIT: Final = 2.0**-28
IMAGINED: Final = 20  # C


def weigh(frequencies: NDArray[np.integer], documents: int) -> F64:
    """Return the weight of hashes that so many of the documents hold; shape (n,). A frequency of 0 counts as 1."""
    most = np.log(documents + IMAGINED)
    exact: F64 = (1 - np.log(np.maximum(frequencies, 1)) / most) ** 3
    return np.round(exact / UNIT) * UNIT


def sum_by_document(document_ids: U32, holders: U32, values: F64) -> F64:
    """Return the sum of each document's values; holders: the document of each value. document_ids: ascending."""
    if not len(document_ids):
        return np.zeros(0)
    index = np.minimum(np.searchsorted(document_ids, holders), len(document_ids) - 1)
    known = document_ids[index] == holders
    total: F64 = np.bincount(index[known], values[known], minlength=len(document_ids)).astype(np.float64)
    return total
