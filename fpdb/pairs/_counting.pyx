# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counting what documents share, a document at a time: the loops of `match.pairs` that numpy does too slowly.

A posting list is the ascending ranks of the documents that hold one hash, 4 bytes each, with LAST set in its last one.
For a document, all members behind it in its lists are counted in an array by rank: the rows of a sparse matrix product
after Gustavson (1978), of which no pair below the thresholds is handed out.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

cdef extern from *:
    """
    #define fpdb_prefetch(at) __builtin_prefetch(at)
    """
    void fpdb_prefetch(const void* at) noexcept nogil

cdef enum:
    AHEAD = 8           # lists whose memory is asked for before their turn: they lie anywhere
    PAGE_BITS = 12

cdef uint32_t LAST = 0x80000000
cdef uint32_t RANK = 0x7FFFFFFF
cdef uint32_t NONE = 0xFFFFFFFF
cdef double SLACK = 1 + 1e-9    # what passes is compared again, exactly

PAGE = 1 << PAGE_BITS


def ranks_of(const uint32_t[::1] documents, const uint32_t[::1] pages, const uint32_t[::1] table):
    """The rank of each document, shape (n,); NONE for one that has none. pages: for each PAGE ids, the page of the
    table that they have; an id beyond the pages has no rank."""
    cdef Py_ssize_t n = documents.shape[0], i
    cdef uint32_t known = <uint32_t>pages.shape[0], page
    out = np.empty(n, np.uint32)
    cdef uint32_t[::1] ranks = out
    with nogil:
        for i in range(n):
            page = documents[i] >> PAGE_BITS
            ranks[i] = NONE if page >= known else table[
                (<uint64_t>pages[page] << PAGE_BITS) + (documents[i] & ((1 << PAGE_BITS) - 1))]
    return out


def lists(const uint64_t[::1] hashes, const uint32_t[::1] ranks):
    """The posting lists of postings sorted by (hash, rank), one after the other, each rank once; NONE is left out."""
    cdef Py_ssize_t n = hashes.shape[0], i, at = 0, start = 0
    out = np.empty(n, np.uint32)
    cdef uint32_t[::1] members = out
    with nogil:
        for i in range(n):
            if i and hashes[i] != hashes[i - 1]:
                if at > start:
                    members[at - 1] |= LAST
                start = at
            if ranks[i] != NONE and (at == start or members[at - 1] != ranks[i]):
                members[at] = ranks[i]
                at += 1
        if at > start:
            members[at - 1] |= LAST
    return out[:at]


cdef inline Py_ssize_t length(const uint32_t* members) noexcept nogil:
    cdef Py_ssize_t n = 1
    while not members[n - 1] & LAST:
        n += 1
    return n


def survey(const uint32_t[::1] members, Py_ssize_t max_df, uint32_t rows, const double[::1] weights,
           uint32_t[::1] sizes, uint32_t[::1] paired, double[::1] totals):
    """Adds to each document's sizes its hashes that fewer than max_df documents hold (0: no limit), to paired those
    whose list begins below `rows` and goes on, to totals the weights[df] of its hashes where there are weights."""
    cdef Py_ssize_t n = members.shape[0], at = 0, df, i
    cdef bint weighted = weights.shape[0] > 0, pairs
    cdef uint32_t rank
    with nogil:
        while at < n:
            df = length(&members[at])
            if max_df == 0 or df < max_df:
                pairs = df > 1 and members[at] < rows
                for i in range(at, at + df):
                    rank = members[i] & RANK
                    sizes[rank] += 1
                    if pairs:
                        paired[rank] += 1
                    if weighted:
                        totals[rank] += weights[df]
            at += df


def keep(const uint32_t[::1] members, Py_ssize_t max_df, uint32_t a_start, uint32_t a_end, uint32_t b_start,
         uint32_t b_end, uint32_t[::1] kept, uint32_t[::1] frequencies, Py_ssize_t at):
    """Copies, to kept from index `at` on, of each list that `survey` counts the members in one of the two ranges, where
    the first is in range a and another follows; the df of its list for each, if frequencies are wanted. Returns the
    next free index."""
    cdef Py_ssize_t n = members.shape[0], start = 0, df, i, first
    cdef bint weighted = frequencies.shape[0] > 0
    cdef uint32_t rank
    with nogil:
        while start < n:
            df = length(&members[start])
            if df > 1 and (max_df == 0 or df < max_df):
                first = at
                for i in range(start, start + df):
                    rank = members[i] & RANK
                    if a_start <= rank < a_end or b_start <= rank < b_end:
                        if at == first and not a_start <= rank < a_end:
                            break
                        kept[at] = rank
                        if weighted:
                            frequencies[at] = <uint32_t>df
                        at += 1
                if at - first < 2:
                    at = first
                else:
                    kept[at - 1] |= LAST
            start += df
    return at


def index(const uint32_t[::1] members, uint32_t start, uint32_t end):
    """Where each document from start to end, not included, stands in the lists, unless it is the last of one.

    Returns (offsets, places): places[offsets[i]:offsets[i + 1]] are indices of members, ascending, for start + i."""
    cdef Py_ssize_t n = members.shape[0], i
    cdef uint32_t width = end - start, row
    offsets_array = np.zeros(width + 2, np.int64)
    cdef int64_t[::1] offsets = offsets_array
    with nogil:
        for i in range(n):
            row = members[i] - start
            if row < width:  # what has LAST set is beyond
                offsets[row + 2] += 1
        for i in range(2, <Py_ssize_t>width + 2):
            offsets[i] += offsets[i - 1]
    places_array = np.empty(offsets[width + 1], np.uint32)
    cdef uint32_t[::1] places = places_array
    with nogil:
        for i in range(n):
            row = members[i] - start
            if row < width:
                places[offsets[row + 1]] = <uint32_t>i
                offsets[row + 1] += 1
    return offsets_array[:width + 1], places_array


cdef class Counter:
    """One thread's counters, one a document, and room for the pairs that it finds; 36 bytes a document and more.

    room: pairs that fit; at least the number of documents."""
    cdef uint32_t[::1] counts
    cdef double[::1] sums
    cdef uint32_t[::1] touched
    cdef readonly object a, b, shared, weight
    cdef uint32_t[::1] out_a, out_b, out_shared
    cdef double[::1] out_weight

    def __init__(self, Py_ssize_t documents, Py_ssize_t room, bint weighted):
        self.counts = np.zeros(documents + 1, np.uint32)
        self.sums = np.zeros(documents + 1 if weighted else 1, np.float64)
        self.touched = np.empty(documents + 1, np.uint32)
        self.a, self.b, self.shared = (np.empty(room, np.uint32) for _ in range(3))
        self.weight = np.empty(room if weighted else 0, np.float64)
        self.out_a, self.out_b, self.out_shared, self.out_weight = self.a, self.b, self.shared, self.weight

    def count(self, const uint32_t[::1] members, const uint32_t[::1] frequencies, const double[::1] weights,
              const int64_t[::1] offsets, const uint32_t[::1] places, uint32_t first, uint32_t row, uint32_t end,
              uint32_t b_start, uint32_t b_end, uint32_t fewest, const double[::1] sizes, double least, bint of_both,
              const uint32_t[::1] owners):
        """Finds, for each document from row to end, those in the range b that stand behind it in its lists.

        offsets, places: as from `index`, of the documents from `first` on. weights: by df, or shape (0,). A pair must
        share `fewest` hashes; these, or their weights, must be `least` of the smaller of its sizes, or, of_both, of the
        union; owners, unless of shape (0,), must differ. Returns (the next row, the number of pairs found)."""
        cdef bint weighted = weights.shape[0] > 0, owned = owners.shape[0] > 0
        cdef uint32_t width = b_end - b_start, b, shared
        cdef Py_ssize_t room = self.out_a.shape[0], at = 0, found, i
        cdef int64_t place, known = places.shape[0]
        cdef uint64_t q
        cdef double weight = 0, value, bound
        # Pointers of its own: what is reached through self would be loaded again after each write.
        cdef uint32_t* counts = &self.counts[0]
        cdef uint32_t* touched = &self.touched[0]
        cdef double* sums = &self.sums[0]
        with nogil:
            while row < end:
                found = 0
                for place in range(offsets[row - first], offsets[row - first + 1]):
                    if place + AHEAD < known:
                        fpdb_prefetch(&members[places[place + AHEAD]])
                        fpdb_prefetch(&members[places[place + AHEAD]] + 16)
                        fpdb_prefetch(&members[places[place + AHEAD]] + 32)
                    q = places[place]
                    if weighted:
                        weight = weights[frequencies[q]]
                    while True:
                        q += 1
                        b = members[q] & RANK
                        if b - b_start < width:
                            touched[found] = b
                            found += counts[b] == 0
                            counts[b] += 1
                            if weighted:
                                sums[b] += weight
                        if members[q] & LAST:
                            break
                if at + found > room:  # the next call counts this row again
                    for i in range(found):
                        counts[touched[i]] = 0
                        if weighted:
                            sums[touched[i]] = 0
                    break
                for i in range(found):
                    b = touched[i]
                    shared = counts[b]
                    counts[b] = 0
                    value = shared
                    if weighted:
                        value = sums[b]
                        sums[b] = 0
                    if shared < fewest or (owned and owners[row] == owners[b]):
                        continue
                    if of_both:
                        bound = sizes[row] + sizes[b] - value
                    else:
                        bound = min(sizes[row], sizes[b])
                    if value * SLACK < least * bound:
                        continue
                    self.out_a[at] = row
                    self.out_b[at] = b
                    self.out_shared[at] = shared
                    if weighted:
                        self.out_weight[at] = value
                    at += 1
                row += 1
        return row, at
