"""How much a hash weighs by its rarity: log(N / df) among N documents of which df hold it.

Weights are whole multiples of UNIT, so that sums of them are exact (up to 2**53 units: a million hashes of the largest
weight) and do not depend on their order: a copy scores 1, and what is symmetric is so to the last bit.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, U64, contains
from fpdb.storage.posting_scan import scan_posting_lists
from fpdb.storage.reader import Reader

UNIT: Final = 2.0**-28


def weigh(frequencies: NDArray[np.integer], documents: int) -> F64:
    """The weight of hashes that so many of the documents hold; shape (n,). None at all counts as one."""
    exact: F64 = np.log(max(documents, 1) / np.maximum(frequencies, 1))
    return np.round(exact / UNIT) * UNIT


def rarity(weight: F64, shared: NDArray[np.integer], documents: int) -> F64:
    """How rare the hashes are on average that documents share; in [0, 1), shape (n,).

    weight: what they weigh together; shared: how many they are; documents: how many there are to be rare among.
    """
    return ratio(weight, shared * float(np.log(max(documents, 1))))


def weights_held(view: Reader, found: U32, documents: int, but: U64, last: int) -> F64:
    """What the hashes of some documents weigh, those of `but`, sorted, and those beyond `last` left out; shape (n,).

    found: ids, ascending. documents: how many there are to be rare among. Reads all postings up to `last`. Raises
    Corrupt.
    """
    held = np.zeros(len(found))
    for lists in scan_posting_lists(view):
        if int(lists.hashes[0]) > last:
            break
        counted = (lists.hashes <= np.uint64(last)) & ~contains(but, lists.hashes)
        holders = lists.document_ids[np.repeat(counted, lists.frequencies)]
        frequencies = lists.frequencies[counted]
        held += sums(found, holders, np.repeat(weigh(frequencies, documents), frequencies))
    return held


def sums(found: U32, documents: U32, values: F64) -> F64:
    """For each document found, ascending, the sum of the values that stand beside it; shape (found,)."""
    if not len(found):
        return np.zeros(0)
    index = np.minimum(np.searchsorted(found, documents), len(found) - 1)
    asked = found[index] == documents
    added: F64 = np.bincount(index[asked], values[asked], minlength=len(found)).astype(np.float64)
    return added


def ratio(part: NDArray[Any], whole: Any) -> F64:
    """The part's share of the whole, shape (n,); 0 of nothing: what has no weight is contained in nothing."""
    share: F64 = np.divide(part, whole, out=np.zeros(len(part)), where=np.greater(whole, 0))
    return share
