# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What many queries look up, and whom they share it with: the loops of `match.candidates` that numpy does too slowly."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np


cdef struct Tally:
    uint32_t document
    uint32_t count      # 0: the place is free


cdef inline bint held(const uint64_t* ordered, Py_ssize_t n, uint64_t x, Py_ssize_t* at) noexcept nogil:
    """Whether x is among the sorted numbers from at[0] on; moves at[0] to the first that is not below it."""
    cdef Py_ssize_t low = at[0], end = n, middle
    while low < end:
        middle = (low + end) >> 1
        if ordered[middle] < x:
            low = middle + 1
        else:
            end = middle
    at[0] = low
    return low < n and ordered[low] == x


def deal(const uint64_t[::1] hashes, const uint32_t[::1] owners, Py_ssize_t queries, const uint64_t[::1] boilerplate,
         Py_ssize_t most):
    """What so many queries have to look up.

    hashes: those of all, sorted; owners: whose each is, ascending where hashes are equal; shape (n,). boilerplate:
    sorted, distinct. most: only the smallest so many distinct hashes of each query that are no boilerplate.

    Returns (every, at, bounds, distinct, boilerplate): the distinct hashes to be looked up, sorted; query q's are
    every[at[bounds[q]:bounds[q + 1]]], ascending; how many distinct hashes it has beside boilerplate, and in it, shape
    (queries,).
    """
    cdef Py_ssize_t n = hashes.shape[0], i, used = 0, place = 0, count = 0
    cdef bint known = False
    cdef uint32_t owner
    wanted_array = np.empty(n, np.int64)
    at_array = np.empty(n, np.uint32)
    every_array = np.empty(n, np.uint64)
    bounds_array = np.zeros(queries + 1, np.int64)
    distinct_array, discarded_array = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    cdef int64_t[::1] wanted = wanted_array, bounds = bounds_array
    cdef int64_t[::1] distinct = distinct_array, discarded = discarded_array
    cdef int64_t[::1] filled
    cdef uint32_t[::1] at = at_array
    cdef uint64_t[::1] every = every_array
    with nogil:
        for i in range(n):
            if i == 0 or hashes[i] != hashes[i - 1]:
                known = boilerplate.shape[0] > 0 and held(&boilerplate[0], boilerplate.shape[0], hashes[i], &place)
            elif owners[i] == owners[i - 1]:
                continue
            if known:
                discarded[owners[i]] += 1
            else:
                distinct[owners[i]] += 1
                wanted[count] = i
                count += 1
        for i in range(queries):
            bounds[i + 1] = bounds[i] + min(distinct[i], <int64_t>most)
    filled = bounds_array[:queries].copy()
    with nogil:
        for i in range(count):
            owner = owners[wanted[i]]
            if filled[owner] < bounds[owner + 1]:
                if used == 0 or every[used - 1] != hashes[wanted[i]]:
                    every[used] = hashes[wanted[i]]
                    used += 1
                at[filled[owner]] = <uint32_t>(used - 1)
                filled[owner] += 1
    return every_array[:used].copy(), at_array[:bounds[queries]], bounds_array, distinct_array, discarded_array


cdef void shell_sort(uint64_t* a, Py_ssize_t n) noexcept nogil:
    """In place; with gaps after Knuth, volume 3, section 5.2.1."""
    cdef Py_ssize_t gap = 1, i, j
    cdef uint64_t x
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, n):
            x = a[i]
            j = i
            while j >= gap and a[j - gap] > x:
                a[j] = a[j - gap]
                j -= gap
            a[j] = x
        gap //= 3


def share(const uint32_t[::1] documents, const int64_t[::1] starts, const int64_t[::1] ends, const uint32_t[::1] at,
          const int64_t[::1] bounds, const int64_t[::1] fewest, const uint32_t[::1] left_out,
          const int64_t[::1] left_out_bounds):
    """The documents that share `fewest` hashes with each of many queries, shape (queries,), 1 or more; 0: of this query
    none is wanted.

    documents[starts[i]:ends[i]]: those that hold hash i. at, bounds: as `deal` gives them, of these queries. left_out,
    left_out_bounds: likewise, documents that are no matches of each query.

    Returns (documents, shared, counts): one query after the other, ids ascending, with how many hashes each shares,
    shape (found,); and how many there are of each query, shape (queries,). Room is taken for all hits.
    """
    cdef Py_ssize_t queries = fewest.shape[0], q, i, used = 0, begin, touched
    cdef int64_t hits, most = 0, total = 0, j
    cdef uint32_t mask = 0, slot, document
    cdef int shift = 32
    cdef bint there
    for q in range(queries):
        if fewest[q]:
            hits = 0
            for i in range(bounds[q], bounds[q + 1]):
                hits += ends[at[i]] - starts[at[i]]
            most = max(most, hits)
            total += hits
    while shift > 1 and (<int64_t>1 << (32 - shift)) < 2 * most:
        shift -= 1
    mask = <uint32_t>((<uint64_t>1 << (32 - shift)) - 1)
    found_array = np.empty(total, np.uint64)
    counts_array = np.zeros(queries, np.int64)
    cdef uint64_t[::1] found = found_array
    cdef int64_t[::1] counts = counts_array
    # Open addressing (Knuth, volume 3, section 6.4, algorithm L), emptied after each query.
    cdef Tally* table = <Tally*>calloc(<size_t>mask + 1, sizeof(Tally))
    cdef uint32_t* slots = <uint32_t*>malloc((most + 1) * sizeof(uint32_t))
    try:
        if table == NULL or slots == NULL:
            raise MemoryError
        with nogil:
            for q in range(queries):
                if fewest[q] == 0:
                    continue
                touched = 0
                begin = used
                for i in range(bounds[q], bounds[q + 1]):
                    for j in range(starts[at[i]], ends[at[i]]):
                        document = documents[j]
                        slot = 0 if mask == 0 else (document * <uint32_t>0x9E3779B1) >> shift
                        while table[slot].count and table[slot].document != document:
                            slot = (slot + 1) & mask
                        if table[slot].count == 0:
                            table[slot].document = document
                            slots[touched] = slot
                            touched += 1
                        table[slot].count += 1
                for i in range(touched):
                    slot = slots[i]
                    document = table[slot].document
                    there = table[slot].count >= fewest[q]
                    for j in range(left_out_bounds[q], left_out_bounds[q + 1]):
                        there = there and left_out[j] != document
                    if there:
                        found[used] = <uint64_t>document << 32 | table[slot].count
                        used += 1
                    table[slot].count = 0
                if used > begin + 1:
                    shell_sort(&found[begin], used - begin)
                counts[q] = used - begin
    finally:
        free(table)
        free(slots)
    found_array = found_array[:used]
    return (found_array >> np.uint64(32)).astype(np.uint32), found_array.astype(np.uint32), counts_array
