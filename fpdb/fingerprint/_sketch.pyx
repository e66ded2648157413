# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find equal hashes, and count them by COUNTSKETCH.

Source: Ganguly, Veda, "A new randomized algorithm for Document Fingerprinting", III. The loops release the GIL.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from fpdb.fingerprint._mix cimport GOLDEN, mix

import numpy as np

cdef uint32_t EMPTY = 0xFFFFFFFF


def first_occurrences(const uint64_t[::1] hashes):
    """Return for each hash the position of the first equal one (uint32), of fewer than 2^32 - 1 hashes."""
    # Open addressing: a slot holds the position of the first hash that took it; at most half of the slots are taken.
    cdef Py_ssize_t i, count = hashes.shape[0]
    cdef int bits = 1
    cdef uint64_t slot, mask
    cdef uint32_t first
    while (<Py_ssize_t>1 << bits) < 2 * count:
        bits += 1
    mask = (<uint64_t>1 << bits) - 1
    positions = np.empty(count, np.uint32)
    cdef uint32_t[::1] out = positions
    cdef uint32_t[::1] slots = np.full(<Py_ssize_t>1 << bits, EMPTY, np.uint32)
    with nogil:
        for i in range(count):
            slot = (hashes[i] * GOLDEN) >> (64 - bits)
            first = slots[slot]
            while first != EMPTY and hashes[first] != hashes[i]:
                slot = (slot + 1) & mask
                first = slots[slot]
            if first == EMPTY:
                slots[slot] = first = <uint32_t>i
            out[i] = first
    return positions


cdef inline uint64_t scatter(uint64_t h, uint64_t key, Py_ssize_t row) noexcept nogil:
    return mix(h + key + <uint64_t>(row + 1) * GOLDEN)


def count_sketch(const uint64_t[::1] hashes, Py_ssize_t rows, int bits, uint64_t key):
    """Return the COUNTSKETCH of a stream of hashes (Ganguly and Veda, III.C).

    (rows, 2^bits) int64; 1 <= bits <= 32. In each row a keyed mix of a hash gives its bucket, by the top bits, and its
    sign, by the lowest one.
    """
    cdef Py_ssize_t i, row
    cdef uint64_t x
    sketch = np.zeros((rows, <Py_ssize_t>1 << bits), np.int64)
    cdef int64_t[:, ::1] out = sketch
    with nogil:
        for row in range(rows):
            for i in range(hashes.shape[0]):
                x = scatter(hashes[i], key, row)
                out[row, x >> (64 - bits)] += 1 - 2 * <int64_t>(x & 1)
    return sketch


def estimate_counts(const uint64_t[::1] hashes, const int64_t[:, ::1] sketch, int bits, uint64_t key):
    """Return the count of each hash in the stream (int64): the median of the estimates of the sketch's rows.

    The number of rows is odd, at most 64; `bits` and `key` are those of the sketch.
    """
    cdef Py_ssize_t i, j, row, rows = sketch.shape[0]
    cdef uint64_t x
    cdef int64_t value
    cdef int64_t[64] ordered
    counts = np.empty(hashes.shape[0], np.int64)
    cdef int64_t[::1] out = counts
    with nogil:
        for i in range(hashes.shape[0]):
            for row in range(rows):
                x = scatter(hashes[i], key, row)
                value = sketch[row, x >> (64 - bits)] * (1 - 2 * <int64_t>(x & 1))
                j = row
                while j > 0 and ordered[j - 1] > value:
                    ordered[j] = ordered[j - 1]
                    j -= 1
                ordered[j] = value
            out[i] = ordered[rows >> 1]
    return counts
