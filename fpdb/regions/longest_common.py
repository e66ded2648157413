"""The longest passage that two documents have in common, by their symbols (Karp, Miller and Rosenberg 1972).

Every substring of 2^j symbols gets a number, equal for equal substrings, made from the numbers of its two halves.
Takes O(n log n) for each doubling of the length, and as much again for each step of a binary search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64

Numbers = tuple[I64, I64]
"""The number of the substring at each position, for both documents."""


def longest_common(a: NDArray[Any], b: NDArray[Any]) -> int:
    """Return the length of the longest substring of both symbol sequences; integers of shape (n,) and (m,)."""
    numbers = _renumbered(a.astype(np.int64), b.astype(np.int64))
    if not _any_equal(numbers):
        return 0
    length = 1
    while _any_equal(doubled := _extended(numbers, length, 2 * length)):
        numbers, length = doubled, 2 * length
    low, high = length, 2 * length  # a common substring of `low` symbols exists, none of `high` symbols
    while high - low > 1:
        middle = (low + high) // 2
        if _any_equal(_extended(numbers, length, middle)):
            low = middle
        else:
            high = middle
    return low


def _extended(numbers: Numbers, length: int, new_length: int) -> Numbers:
    """Return the numbers of substrings of a new length, which is twice the length at most."""
    step = new_length - length
    base = max(int(part.max(initial=0)) for part in numbers) + 1
    a, b = (part[: len(part) - step] * base + part[step:] if len(part) > step else part[:0] for part in numbers)
    return _renumbered(a, b)


def _renumbered(a: I64, b: I64) -> Numbers:
    """Return small numbers, equal for equal values."""
    numbers = np.unique(np.concatenate((a, b)), return_inverse=True)[1].astype(np.int64)
    return numbers[: len(a)], numbers[len(a) :]


def _any_equal(numbers: Numbers) -> bool:
    return bool(np.isin(*numbers).any())
