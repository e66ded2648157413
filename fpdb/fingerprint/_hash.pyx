# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Hash k-grams with a keyed rolling hash. `hashing` writes the formulas out.

Source: Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003), 2.2. The loops release the GIL.
"""

from libc.stdint cimport uint32_t, uint64_t

from fpdb.fingerprint._mix cimport GOLDEN, mix
from fpdb.readers._fold cimport symbol_t

import numpy as np


cdef class Rolling:
    """The constants of the rolling hash of k-grams, and its tables for the symbols below 256."""

    def __init__(self, Py_ssize_t k, uint64_t base, uint64_t spread, uint64_t multiplier):
        cdef Py_ssize_t i
        self.k = k
        self.base = base
        self.spread = spread
        self.multiplier = multiplier
        self.power = 1
        for i in range(k):
            self.power *= base
        for i in range(256):
            self.incoming[i] = mix(spread + <uint64_t>i * GOLDEN) * base
            self.outgoing[i] = self.incoming[i] * self.power


cdef inline uint64_t enter(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol > 255:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base
    return rolling.incoming[symbol]


cdef inline uint64_t leave(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol > 255:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base * rolling.power
    return rolling.outgoing[symbol]


cdef inline uint64_t finalise(uint64_t x, uint64_t multiplier) noexcept nogil:
    x = (x ^ (x >> 32)) * multiplier
    return x ^ (x >> 32)


cdef uint64_t roll(
    Rolling rolling, const symbol_t* symbols, Py_ssize_t first, Py_ssize_t count, uint64_t h, uint64_t* out
) noexcept nogil:
    """Write the hashes of `count` k-grams from `first` on to `out`.

    Takes the hash of the k-gram before, and returns that of the last k-gram, both not finalised.
    """
    # Two k-grams per iteration, the second from h as well: multiplications wait for each other half as often.
    cdef uint64_t base = rolling.base, square = rolling.base * rolling.base
    cdef uint64_t multiplier = rolling.multiplier, change, next_change
    cdef Py_ssize_t i = 0, k = rolling.k
    cdef const symbol_t* oldest = symbols + first
    cdef const symbol_t* newest = symbols + first + k - 1
    if first == 0 and count > 0:
        h = 0
        for i in range(k):
            h = h * base + enter(rolling, symbols[i])
        out[0] = finalise(h, multiplier)
        i = 1
    while i + 1 < count:
        change = enter(rolling, newest[i]) - leave(rolling, oldest[i - 1])
        next_change = enter(rolling, newest[i + 1]) - leave(rolling, oldest[i])
        out[i] = finalise(h * base + change, multiplier)
        h = h * square + (change * base + next_change)
        out[i + 1] = finalise(h, multiplier)
        i += 2
    if i < count:
        h = h * base + enter(rolling, newest[i]) - leave(rolling, oldest[i - 1])
        out[i] = finalise(h, multiplier)
    return h


def hash_kgrams(const symbol_t[::1] symbols, Rolling rolling not None):
    """Return the hashes (uint64, in the form that schemes compare) of all k-grams, in order."""
    cdef Py_ssize_t count = symbols.shape[0] - rolling.k + 1
    hashes = np.empty(max(count, 0), np.uint64)
    cdef uint64_t[::1] out = hashes
    if count > 0:
        with nogil:
            roll(rolling, &symbols[0], 0, count, 0, &out[0])
    return hashes


def remix(const uint64_t[::1] hashes, uint64_t key):
    """Return mix(hash + key) of each hash (uint64): with the key `store`, its stored form before truncation."""
    cdef Py_ssize_t i
    mixed = np.empty(hashes.shape[0], np.uint64)
    cdef uint64_t[::1] out = mixed
    with nogil:
        for i in range(hashes.shape[0]):
            out[i] = mix(hashes[i] + key)
    return mixed
