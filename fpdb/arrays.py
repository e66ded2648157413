"""Array types for annotations, and operations on sorted arrays that every package needs."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

Values = TypeVar("Values", U32, U64)


def group_starts(values: NDArray[Any]) -> Indices:
    """Return the indices at which a value differs from the one before; shape (groups,)."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], new[1:])
    return new.nonzero()[0]


def sorted_distinct(values: Values) -> Values:
    """Return the distinct values in ascending order.

    Unlike np.unique, it does not build a hash table.
    """
    ordered = np.sort(values)
    return ordered[group_starts(ordered)]


def contains(ordered: NDArray[Any], values: NDArray[Any]) -> Bools:
    """Return which of the values occur in an ascending array; shape of values."""
    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    index = np.searchsorted(ordered, values)
    index[index == len(ordered)] = 0
    found: Bools = ordered[index] == values
    return found
