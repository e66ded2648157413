"""The longest passage of two documents, as their symbols tell (Karp, Miller and Rosenberg 1972).

Every stretch of 2^j symbols gets a number, equal for equal ones, from those of the two stretches of 2^(j-1) that it is
made of. Takes O(n log n) a step, and a step for each doubling of the length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64


def longest_common(one: NDArray[Any], other: NDArray[Any]) -> int:
    """How many symbols the longest stretch has that is in both; the symbols: shape (n,), of any integers."""
    numbers = _numbered(one.astype(np.int64), other.astype(np.int64))
    if not _meet(*numbers):
        return 0
    length = 1
    while _meet(*(doubled := _longer(numbers, length, 2 * length))):
        numbers, length = doubled, 2 * length
    low, high = length, 2 * length  # a common stretch of `low` there is, one of `high` there is not
    while high - low > 1:
        middle = (low + high) // 2
        if _meet(*_longer(numbers, length, middle)):
            low = middle
        else:
            high = middle
    return low


def _longer(numbers: tuple[I64, I64], length: int, longer: int) -> tuple[I64, I64]:
    """The numbers of stretches that are longer, twice as long at most."""
    step = longer - length
    base = max(int(part.max(initial=0)) for part in numbers) + 1
    one, other = (part[: len(part) - step] * base + part[step:] if len(part) > step else part[:0] for part in numbers)
    return _numbered(one, other)


def _numbered(one: I64, other: I64) -> tuple[I64, I64]:
    """Small numbers, equal for equal values."""
    found = np.unique(np.concatenate((one, other)), return_inverse=True)[1].astype(np.int64)
    return found[: len(one)], found[len(one) :]


def _meet(one: I64, other: I64) -> bool:
    return bool(np.isin(one, other).any())
