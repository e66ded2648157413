# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The fences of a run: whether they add up, and between which of them hashes lie."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

import numpy as np


def count_postings(const uint64_t[::1] first_hashes, const uint16_t[::1] counts, int limit):
    """Return the number of postings of a run, or -1 if its fences cannot be so.

    first_hashes, counts: of its blocks, shape (blocks,). limit: the most postings of a block.
    """
    cdef Py_ssize_t i
    cdef int64_t total = 0
    for i in range(counts.shape[0]):
        if not 0 < counts[i] <= limit or i and first_hashes[i] < first_hashes[i - 1]:
            return -1
        total += counts[i]
    return total


cdef inline Py_ssize_t first_above(const uint64_t* ordered, Py_ssize_t n, uint64_t x) noexcept nogil:
    """Return the index of the first number above x, or n."""
    cdef Py_ssize_t low = 0, half
    while n:
        half = n >> 1
        if ordered[low + half] <= x:
            low += half + 1
            n -= half + 1
        else:
            n = half
    return low


def find_blocks(const uint64_t[::1] first_hashes, const uint64_t[::1] hashes):
    """Return the first and last block that may hold each hash; last is -1 where none can. int64, shape (n,).

    first_hashes: of each block, sorted. hashes: sorted; shape (n,).
    """
    cdef Py_ssize_t n = hashes.shape[0], blocks = first_hashes.shape[0], i, end = 0
    low_array, high_array = np.empty(n, np.int64), np.empty(n, np.int64)
    cdef int64_t[::1] lows = low_array, highs = high_array
    with nogil:
        for i in range(n):
            end += first_above(&first_hashes[0] + end, blocks - end, hashes[i]) if end < blocks else 0
            highs[i] = lows[i] = end - 1
            if end and first_hashes[end - 1] == hashes[i]:  # then it may begin in a block before
                lows[i] = first_above(&first_hashes[0], end, hashes[i] - 1) - 1 if hashes[i] else 0
            lows[i] = max(lows[i], <int64_t>0)
    return low_array, high_array


def distinct_blocks(const int64_t[::1] lows, const int64_t[::1] highs):
    """Return the distinct blocks between the first and last blocks of sorted hashes.

    Returns:
        The blocks, int64; and each hash's first and last block as indices into them, uint32, shape (n,).
    """
    cdef Py_ssize_t n = lows.shape[0], i, used = 0
    cdef int64_t block, covered = 0, last = -1
    low_array, high_array = np.empty(n, np.uint32), np.empty(n, np.uint32)
    cdef uint32_t[::1] low_indices = low_array, high_indices = high_array
    for i in range(n):
        covered += max(highs[i] - max(lows[i], last + 1) + 1, 0)
        last = max(last, highs[i])
    block_array = np.empty(covered, np.int64)
    cdef int64_t[::1] blocks = block_array
    last = -1
    for i in range(n):
        for block in range(max(lows[i], last + 1), highs[i] + 1):
            blocks[used] = block
            used += 1
        last = max(last, highs[i])
        # The blocks added last are those up to `last`, one after the other, from this hash's first block on.
        low_indices[i] = <uint32_t>(used - 1 - (last - lows[i]))
        high_indices[i] = <uint32_t>(used - 1 - (last - highs[i]))
    return block_array, low_array, high_array
