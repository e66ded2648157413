# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Hash k-grams with a keyed rolling hash. `hashing` writes the formulas out.

Source: Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003), 2.2. The loops release the GIL.
"""

from libc.stdint cimport uint64_t

from fpdb.fingerprint._mix cimport GOLDEN, mix
from fpdb.readers._folding cimport symbol_t

import numpy as np


cdef class Rolling:
    """The constants of the rolling hash of k-grams, and its tables for the symbols below TABLE."""

    def __init__(self, Py_ssize_t k, uint64_t base, uint64_t spread, uint64_t multiplier):
        cdef Py_ssize_t i
        self.k = k
        self.base = base
        self.spread = spread
        self.multiplier = multiplier
        self.power = 1
        for i in range(k):
            self.power *= base
        for i in range(TABLE):
            self.incoming[i] = mix(spread + <uint64_t>i * GOLDEN) * base
            self.outgoing[i] = self.incoming[i] * self.power


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
