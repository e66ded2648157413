# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sets of document ids, in memory bounded by how many there are and not by how far apart they lie."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

import numpy as np

from fpdb.storage._bits cimport popcount

ABSENT = 2**32 - 1  # the row of an id that is not in a set


cdef class IdSet:
    """Ascending distinct ids, each of which has a row: how many come before it."""

    def __init__(self, const uint32_t[::1] ids):
        """Take ids, uint32, of shape (n,). Raises ValueError unless they ascend."""
        cdef Py_ssize_t n = ids.shape[0], i, used = 0
        cdef uint32_t page, last
        for i in range(1, n):
            if ids[i - 1] >= ids[i]:
                raise ValueError("ids do not ascend")
            used += ids[i - 1] >> PAGE_BITS != ids[i] >> PAGE_BITS
        self.count = n
        self.table = IdTable(NULL, NULL, 0, 0)
        if n == 0:
            return
        self.table.first = ids[0] >> PAGE_BITS
        self.table.pages = (ids[n - 1] >> PAGE_BITS) - self.table.first + 1
        slot_array = np.full(self.table.pages, -1, np.int32)
        bit_array, rank_array = np.zeros(WORDS * (used + 1), np.uint64), np.zeros(used + 1, np.uint32)
        cdef int32_t[::1] slots = slot_array
        cdef uint64_t[::1] bits = bit_array
        cdef uint32_t[::1] ranks = rank_array
        used, last = -1, 0
        for i in range(n):
            page = (ids[i] >> PAGE_BITS) - self.table.first
            if used < 0 or page != last:
                used, last = used + 1, page
                slots[page] = <int32_t>used
                ranks[used] = <uint32_t>i
            bits[WORDS * used + (ids[i] >> 6 & WORDS - 1)] |= <uint64_t>1 << (ids[i] & 63)
        self.slots, self.bits, self.ranks = slots, bits, ranks
        self.table.slots, self.table.bits = &self.slots[0], &self.bits[0]

    def __len__(self):
        """Return the number of ids."""
        return self.count

    def contains(self, const uint32_t[::1] ids):
        """Return which ids are in the set; bool, shape of ids."""
        cdef Py_ssize_t i, n = ids.shape[0]
        result = np.empty(n, np.uint8)
        cdef uint8_t[::1] found = result
        for i in range(n):
            found[i] = holds(&self.table, ids[i])
        return result.view(np.bool_)

    def rows(self, const uint32_t[::1] ids):
        """Return the row of each id, or ABSENT; uint32, shape of ids."""
        cdef Py_ssize_t i, n = ids.shape[0], before
        cdef const uint64_t* word
        cdef uint32_t row
        result = np.empty(n, np.uint32)
        cdef uint32_t[::1] rows = result
        for i in range(n):
            rows[i] = 0xffffffff
            word = find_word(&self.table, ids[i])
            if word != NULL and word[0] >> (ids[i] & 63) & 1:
                before = ids[i] >> 6 & WORDS - 1
                row = self.ranks[(word - self.table.bits) // WORDS] + popcount(word[0] & ((<uint64_t>1 << (ids[i] & 63)) - 1))
                while before:
                    row += popcount(word[-before])
                    before -= 1
                rows[i] = row
        return result
