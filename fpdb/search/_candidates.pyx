# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops of `search.candidates` over the hashes of many queries, and over the documents that hold them."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np


cdef struct Slot:
    uint32_t document_id
    uint32_t count      # 0: the slot is free


cdef struct Table:  # counts of documents; open addressing (Knuth, volume 3, section 6.4, algorithm L)
    Slot* slots
    uint32_t* used      # the slots in use, in order of first use
    Py_ssize_t size     # how many these are
    uint32_t mask
    int shift


cdef inline bint contains(const uint64_t[::1] ordered, uint64_t x, Py_ssize_t* start) noexcept nogil:
    """Return True if x is among the ascending numbers from start[0] on; move start[0] to the first not below x."""
    cdef Py_ssize_t low = start[0], high = ordered.shape[0], middle
    while low < high:
        middle = (low + high) >> 1
        if ordered[middle] < x:
            low = middle + 1
        else:
            high = middle
    start[0] = low
    return low < ordered.shape[0] and ordered[low] == x


def partition_hashes(const uint64_t[::1] hashes, const uint32_t[::1] owners, Py_ssize_t queries,
                     const uint64_t[::1] boilerplate, Py_ssize_t smallest):
    """Return the distinct hashes that queries look up, and which of them each query has.

    hashes: of all queries, ascending; owners: the query of each, ascending where hashes are equal; shape (n,). queries:
    their number. boilerplate: ascending, distinct; is not looked up. smallest: the largest number of hashes of a query.

    Returns (looked_up, indices, bounds, distinct, discarded): the hashes to look up, ascending; query q has
    looked_up[indices[bounds[q]:bounds[q + 1]]], ascending; how many distinct hashes each has outside and in boilerplate.
    """
    cdef Py_ssize_t n = hashes.shape[0], i, used = 0, place = 0, count = 0
    cdef bint is_boilerplate = False
    cdef uint32_t owner
    cdef int64_t[::1] wanted = np.empty(n, np.int64)  # where the hashes begin that are no boilerplate
    indices_array, looked_up_array = np.empty(n, np.uint32), np.empty(n, np.uint64)
    bounds_array = np.zeros(queries + 1, np.int64)
    distinct_array, discarded_array = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    cdef int64_t[::1] bounds = bounds_array, distinct = distinct_array, discarded = discarded_array, filled
    cdef uint32_t[::1] indices = indices_array
    cdef uint64_t[::1] looked_up = looked_up_array
    with nogil:
        for i in range(n):
            if i == 0 or hashes[i] != hashes[i - 1]:
                is_boilerplate = contains(boilerplate, hashes[i], &place)
            elif owners[i] == owners[i - 1]:
                continue
            if is_boilerplate:
                discarded[owners[i]] += 1
            else:
                distinct[owners[i]] += 1
                wanted[count] = i
                count += 1
        for i in range(queries):
            bounds[i + 1] = bounds[i] + min(distinct[i], <int64_t>smallest)
    filled = bounds_array[:queries].copy()
    with nogil:
        for i in range(count):
            owner = owners[wanted[i]]
            if filled[owner] < bounds[owner + 1]:
                if used == 0 or looked_up[used - 1] != hashes[wanted[i]]:
                    looked_up[used] = hashes[wanted[i]]
                    used += 1
                indices[filled[owner]] = <uint32_t>(used - 1)
                filled[owner] += 1
    return looked_up_array[:used].copy(), indices_array[:bounds[queries]], bounds_array, distinct_array, discarded_array


cdef void shell_sort(uint64_t* a, Py_ssize_t n) noexcept nogil:
    """Sort in place; with gaps after Knuth, volume 3, section 5.2.1."""
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


cdef int make_table(Table* table, int64_t hits) except -1:
    """Make an empty table for the documents of so many hits. Raises MemoryError."""
    table.shift = 32
    while table.shift > 1 and (<int64_t>1 << (32 - table.shift)) < 2 * hits:
        table.shift -= 1
    table.mask = <uint32_t>((<uint64_t>1 << (32 - table.shift)) - 1)
    table.size = 0
    table.slots = <Slot*>calloc(<size_t>table.mask + 1, sizeof(Slot))
    table.used = <uint32_t*>malloc((hits + 1) * sizeof(uint32_t))
    if table.slots == NULL or table.used == NULL:
        raise MemoryError
    return 0


cdef inline void count_document(Table* table, uint32_t document_id) noexcept nogil:
    cdef uint32_t slot = 0 if table.mask == 0 else (document_id * <uint32_t>0x9E3779B1) >> table.shift
    while table.slots[slot].count and table.slots[slot].document_id != document_id:
        slot = (slot + 1) & table.mask
    if table.slots[slot].count == 0:
        table.slots[slot].document_id = document_id
        table.used[table.size] = slot
        table.size += 1
    table.slots[slot].count += 1


cdef Py_ssize_t take_counts(Table* table, int64_t minimum, const uint32_t[::1] omitted, uint64_t* out) noexcept nogil:
    """Write id and count of the documents that reach the minimum and are not omitted, ascending; empty the table."""
    cdef Py_ssize_t i, j, written = 0
    cdef Slot* slot
    cdef bint passes
    for i in range(table.size):
        slot = &table.slots[table.used[i]]
        passes = slot.count >= minimum
        for j in range(omitted.shape[0]):
            passes = passes and omitted[j] != slot.document_id
        if passes:
            out[written] = <uint64_t>slot.document_id << 32 | slot.count
            written += 1
        slot.count = 0
    table.size = 0
    if written > 1:
        shell_sort(out, written)
    return written


def count_shared(posting_lists, query_hashes, const int64_t[::1] minimums, omitted):
    """Count the hashes that documents share with each of many queries.

    posting_lists: (document_ids, starts, ends): document_ids[starts[i]:ends[i]] hold hash i. query_hashes: (indices,
    bounds) of `partition_hashes`. minimums: how many hashes a document shares at least with each query, 1 or more; 0 for
    a query without documents. omitted: (document_ids, bounds), the documents left out for each query.

    Returns (document_ids, shared, counts): one query after the other, ids ascending, with the number of hashes shared;
    the number of documents of each query. Takes memory for all hits.
    """
    cdef const uint32_t[::1] document_ids, indices, omitted_ids
    cdef const int64_t[::1] starts, ends, bounds, omitted_bounds
    document_ids, starts, ends = posting_lists
    indices, bounds = query_hashes
    omitted_ids, omitted_bounds = omitted
    cdef Py_ssize_t queries = minimums.shape[0], q, i, found = 0
    cdef int64_t hits, largest = 0, total = 0, j
    for q in range(queries):
        if minimums[q]:
            hits = 0
            for i in range(bounds[q], bounds[q + 1]):
                hits += ends[indices[i]] - starts[indices[i]]
            largest = max(largest, hits)
            total += hits
    found_array = np.empty(total + 1, np.uint64)
    counts_array = np.zeros(queries, np.int64)
    cdef uint64_t[::1] out = found_array
    cdef int64_t[::1] counts = counts_array
    cdef Table table
    table.slots, table.used = NULL, NULL
    try:
        make_table(&table, largest)
        with nogil:
            for q in range(queries):
                if minimums[q]:
                    for i in range(bounds[q], bounds[q + 1]):
                        for j in range(starts[indices[i]], ends[indices[i]]):
                            count_document(&table, document_ids[j])
                    counts[q] = take_counts(
                        &table, minimums[q], omitted_ids[omitted_bounds[q]:omitted_bounds[q + 1]], &out[found]
                    )
                    found += counts[q]
    finally:
        free(table.slots)
        free(table.used)
    found_array = found_array[:found]
    return (found_array >> np.uint64(32)).astype(np.uint32), found_array.astype(np.uint32), counts_array
