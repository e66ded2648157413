# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Count the hashes that documents share, one document after the other: the loops that numpy does too slowly.

A posting list is the ascending ranks of the documents that hold one hash, 4 bytes each, with LAST set in the last one.
For a document, all members behind it in its lists are counted in an array by rank: the rows of a sparse matrix product
after Gustavson (1978), of which no pair below the thresholds is handed out.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import os

import numpy as np

cdef extern from *:
    """
    #define fpdb_prefetch(at) __builtin_prefetch(at)
    """
    void fpdb_prefetch(const void* at) noexcept nogil

cdef enum:
    AHEAD = 8           # lists that are prefetched before their turn: they lie anywhere in memory
    PAGE_BITS = 12

cdef uint32_t LAST = 0x80000000
cdef uint32_t RANK = 0x7FFFFFFF
cdef uint32_t NONE = 0xFFFFFFFF
cdef double SLACK = 1 + 1e-9    # whatever passes is compared again, exactly

PAGE = 1 << PAGE_BITS


def ranks_of(const uint32_t[::1] document_ids, const uint32_t[::1] pages, const uint32_t[::1] table):
    """Return the rank of each document, or NONE; shape (n,).

    pages: the page of the table for each PAGE ids; ids beyond have no rank. table: ranks by page.
    """
    cdef Py_ssize_t n = document_ids.shape[0], i
    cdef uint32_t known = <uint32_t>pages.shape[0], page
    result = np.empty(n, np.uint32)
    cdef uint32_t[::1] ranks = result
    with nogil:
        for i in range(n):
            page = document_ids[i] >> PAGE_BITS
            ranks[i] = NONE if page >= known else table[
                (<uint64_t>pages[page] << PAGE_BITS) + (document_ids[i] & ((1 << PAGE_BITS) - 1))]
    return result


cdef Py_ssize_t take(const uint32_t* ranks, Py_ssize_t count, uint32_t first, uint32_t last, uint32_t* members) noexcept nogil:
    """Copy the ranks from first to last, both included, each once where equal ones follow each other; return how many."""
    cdef Py_ssize_t i, end = 0
    for i in range(count):
        if first <= ranks[i] <= last and (end == 0 or members[end - 1] != ranks[i]):
            members[end] = ranks[i]
            end += 1
    return end


def posting_lists(const uint64_t[::1] hashes, const uint32_t[::1] ranks, uint32_t new):
    """Return the posting lists of postings sorted by hash, each rank once in a list, without NONE.

    Of one hash, ranks below `new` ascend, and so do the others, mixed as they may be.
    """
    cdef Py_ssize_t n = hashes.shape[0], i, end = 0, start = 0, taken
    result = np.empty(n, np.uint32)
    cdef uint32_t[::1] members = result
    with nogil:
        for i in range(1, n + 1):
            if i < n and hashes[i] == hashes[start]:
                continue
            taken = take(&ranks[start], i - start, 0, new - 1, &members[end]) if new else 0
            taken += take(&ranks[start], i - start, new, NONE - 1, &members[end + taken])
            if taken:
                end += taken
                members[end - 1] |= LAST
            start = i
    return result[:end]


def lists_of_new(const uint32_t[::1] lists, uint32_t new):
    """Return those of some posting lists that hold a rank below `new`, and another one."""
    cdef Py_ssize_t n = lists.shape[0], start = 0, end = 0, i, documents
    result = np.empty(n, np.uint32)
    cdef uint32_t[::1] members = result
    with nogil:
        while start < n:
            documents = length(&lists[start])
            if documents > 1 and lists[start] < new:
                for i in range(documents):
                    members[end + i] = lists[start + i]
                end += documents
            start += documents
    return result[:end].copy()


cdef inline Py_ssize_t length(const uint32_t* members) noexcept nogil:
    cdef Py_ssize_t n = 1
    while not members[n - 1] & LAST:
        n += 1
    return n


cdef class Frequencies:
    """The df of hashes: the number of owners that hold a hash, or of documents if no owners are given.

    owners: numbers by rank, or shape (0,). cap_owners: True if max_df is a number of owners, too.
    """
    cdef const uint32_t[::1] owners
    cdef uint64_t[::1] seen     # by owner: the last list that it was found in
    cdef uint64_t list_number
    cdef bint cap_owners

    def __init__(self, const uint32_t[::1] owners, bint cap_owners=False):
        """Begin with no list."""
        self.owners, self.cap_owners, self.list_number = owners, cap_owners, 0
        self.seen = np.zeros(np.max(owners) + 1 if owners.shape[0] else 0, np.uint64)

    cdef inline Py_ssize_t df(self, const uint32_t* members, Py_ssize_t documents) noexcept nogil:
        """Return the df of the hash of a list of so many documents."""
        cdef Py_ssize_t i, found = 0
        cdef uint32_t owner
        if self.owners.shape[0] == 0 or documents == 1:
            return documents
        self.list_number += 1
        for i in range(documents):
            owner = self.owners[members[i] & RANK]
            found += self.seen[owner] != self.list_number
            self.seen[owner] = self.list_number
        return found


cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    """Return the next number of splitmix64 (Steele, Lea and Flood, 2014)."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t x = state[0]
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef class Survey:
    """Sizes of documents, summed over posting lists; arrays by rank.

    sizes: hashes that fewer than max_df documents hold, or any number if it is 0. paired: those of them that a new
    document shares with another one. totals: the sums of weights[df] of the hashes; shape (0,) without weights.
    common: the number of hashes that max_df or more documents hold. common_sizes, common_totals: sizes and totals of
    these. signatures: the sum of a random number for each hash, so that equal sums are those of equal sets; shape (0,)
    if max_df is 0.
    """
    cdef readonly object sizes, paired, totals, common_sizes, common_totals, signatures
    cdef readonly Py_ssize_t common
    cdef uint32_t[::1] _sizes, _paired, _common_sizes
    cdef double[::1] _totals, _common_totals
    cdef uint64_t[::1] _signatures
    cdef const double[::1] _weights
    cdef Py_ssize_t _max_df
    cdef uint32_t _new
    cdef uint64_t _random
    cdef Frequencies _frequencies

    def __init__(self, Py_ssize_t documents, uint32_t new, Py_ssize_t max_df, const double[::1] weights,
                 Frequencies frequencies):
        """Begin with zeros; the first `new` documents by rank are new."""
        cdef Py_ssize_t weighed = documents if weights.shape[0] else 0, capped = documents if max_df else 0
        self.sizes = self._sizes = np.zeros(documents, np.uint32)
        self.paired = self._paired = np.zeros(documents, np.uint32)
        self.totals = self._totals = np.zeros(weighed, np.float64)
        self.common_sizes = self._common_sizes = np.zeros(documents, np.uint32)
        self.common_totals = self._common_totals = np.zeros(weighed, np.float64)
        self.signatures = self._signatures = np.zeros(capped, np.uint64)
        self._weights, self._max_df, self._new, self.common = weights, max_df, new, 0
        self._frequencies = frequencies
        self._random = int.from_bytes(os.urandom(8), "little")  # nobody can make sums equal on purpose

    def add(self, const uint32_t[::1] members):
        """Add posting lists."""
        cdef Py_ssize_t n = members.shape[0], max_df = self._max_df, start = 0, documents, df
        cdef Frequencies frequencies = self._frequencies
        with nogil:
            while start < n:
                documents = length(&members[start])
                df = frequencies.df(&members[start], documents)
                if max_df == 0:
                    self.add_list(&members[start], documents, df)
                elif (df if frequencies.cap_owners else documents) < max_df:
                    self.add_list(&members[start], documents, df)
                    self.sign(&members[start], documents)
                else:
                    self.add_common(&members[start], documents, df)
                    self.sign(&members[start], documents)
                start += documents

    cdef inline void add_list(self, const uint32_t* members, Py_ssize_t documents, Py_ssize_t df) noexcept nogil:
        """Add a list that counts."""
        # Local pointers: what is reached through an object would be loaded again after each write.
        cdef uint32_t* sizes = &self._sizes[0]
        cdef uint32_t* paired = &self._paired[0]
        cdef Py_ssize_t i
        if documents > 1 and members[0] < self._new:
            for i in range(documents):
                paired[members[i] & RANK] += 1
        for i in range(documents):
            sizes[members[i] & RANK] += 1
        if self._weights.shape[0]:
            for i in range(documents):
                self._totals[members[i] & RANK] += self._weights[df]

    cdef inline void add_common(self, const uint32_t* members, Py_ssize_t documents, Py_ssize_t df) noexcept nogil:
        """Add a list that is left out as common."""
        cdef Py_ssize_t i
        self.common += 1
        for i in range(documents):
            self._common_sizes[members[i] & RANK] += 1
            if self._weights.shape[0]:
                self._common_totals[members[i] & RANK] += self._weights[df]

    cdef inline void sign(self, const uint32_t* members, Py_ssize_t documents) noexcept nogil:
        """Add a random number of a list to the signatures of its members."""
        cdef uint64_t random = next_random(&self._random)
        cdef uint64_t* signatures = &self._signatures[0]
        cdef Py_ssize_t i
        for i in range(documents):
            signatures[members[i] & RANK] += random


cdef class PanelLists:
    """The posting lists that make pairs of a document in range a with a later one in range b.

    offsets, places: `places[offsets[i]:offsets[i + 1]]` are the indices of members at which document a_start + i stands,
    ascending, unless it is the last of a list.
    """
    cdef uint32_t a_start, a_end, b_start, b_end
    cdef Py_ssize_t _max_df, _end
    cdef Frequencies _df
    cdef uint32_t[::1] members, frequencies, places
    cdef int64_t[::1] offsets

    def __init__(self, panel, Py_ssize_t room, Py_ssize_t max_df, bint weighted, Frequencies frequencies):
        """Begin with no lists of a panel (a_start, a_end, b_start, b_end), and room for so many members.

        max_df: lists of this many documents do not count; 0 for no limit. weighted: keep the df of each member's list.
        """
        self.a_start, self.a_end, self.b_start, self.b_end = panel
        self._max_df, self._end, self._df = max_df, 0, frequencies
        self.members = np.empty(room, np.uint32)
        self.frequencies = np.empty(room if weighted else 0, np.uint32)

    def add(self, const uint32_t[::1] lists):
        """Keep, of each list that counts, the members in a or b, if the first is in a and another one follows."""
        cdef Py_ssize_t n = lists.shape[0], max_df = self._max_df, start = 0, end = self._end, i, first, documents, df
        cdef bint weighted = self.frequencies.shape[0] > 0
        cdef uint32_t a_start = self.a_start, a_end = self.a_end, b_start = self.b_start, b_end = self.b_end, rank
        cdef uint32_t[::1] members = self.members, frequencies = self.frequencies
        cdef Frequencies known = self._df
        with nogil:
            while start < n:
                documents = length(&lists[start])
                df = known.df(&lists[start], documents)
                if documents > 1 and (max_df == 0 or (df if known.cap_owners else documents) < max_df):
                    first = end
                    for i in range(start, start + documents):
                        rank = lists[i] & RANK
                        if a_start <= rank < a_end or b_start <= rank < b_end:
                            if end == first and not a_start <= rank < a_end:
                                break
                            members[end] = rank
                            if weighted:
                                frequencies[end] = <uint32_t>df
                            end += 1
                    if end - first < 2:
                        end = first
                    else:
                        members[end - 1] |= LAST
                start += documents
        self._end = end

    def finish(self):
        """Index the members, after the last lists were added."""
        cdef Py_ssize_t n = self._end, i
        cdef uint32_t start = self.a_start, width = self.a_end - self.a_start, row
        cdef uint32_t[::1] members = self.members
        cdef int64_t[::1] offsets = np.zeros(width + 2, np.int64)
        with nogil:
            for i in range(n):
                row = members[i] - start
                if row < width:  # a member with LAST set is beyond
                    offsets[row + 2] += 1
            for i in range(2, <Py_ssize_t>width + 2):
                offsets[i] += offsets[i - 1]
        cdef uint32_t[::1] places = np.empty(offsets[width + 1], np.uint32)
        with nogil:
            for i in range(n):
                row = members[i] - start
                if row < width:
                    places[offsets[row + 1]] = <uint32_t>i
                    offsets[row + 1] += 1
        self.offsets, self.places = offsets, places


cdef class Counter:
    """One thread's counters by rank, and the pairs found: their ranks a and b, hashes shared, and weight; (room,)."""
    cdef uint32_t[::1] counts, touched, _a, _b, _shared
    cdef double[::1] sums, _weight
    cdef readonly object a, b, shared, weight
    cdef const double[::1] weights, sizes
    cdef const uint32_t[::1] owners, sets
    cdef bint weighted, of_union

    def __init__(self, Py_ssize_t room, const double[::1] weights, const double[::1] sizes,
                 const uint32_t[::1] owners, const uint32_t[::1] sets, bint of_union):
        """Make counters for all documents.

        Args:
            room: The number of pairs that fit, at least that of documents.
            weights: The weight of a hash by its df, or shape (0,).
            sizes: The number of hashes of each document, or what they weigh.
            owners: Numbers by rank, which must differ in a pair, or shape (0,).
            sets: Likewise.
            of_union: Compare what a pair shares with the union of both documents, not with the smaller one.
        """
        cdef Py_ssize_t documents = sizes.shape[0]
        self.weights, self.sizes, self.owners, self.sets = weights, sizes, owners, sets
        self.of_union = of_union
        self.weighted = weights.shape[0] > 0
        self.counts = np.zeros(documents + 1, np.uint32)
        self.sums = np.zeros(documents + 1 if self.weighted else 1, np.float64)
        self.touched = np.empty(documents + 1, np.uint32)
        self.a, self.b, self.shared = (np.empty(room, np.uint32) for _ in range(3))
        self.weight = np.empty(room if self.weighted else 0, np.float64)
        self._a, self._b, self._shared, self._weight = self.a, self.b, self.shared, self.weight

    def count(self, PanelLists lists, uint32_t row, uint32_t end, uint32_t min_shared, double min_ratio):
        """Find, for each document from row to end, those in range b that stand behind it in its lists.

        Only pairs are kept that share min_shared hashes, and min_ratio of the smaller document or the union. Returns
        the row to go on with, which is below end if there was no room for more pairs, and the number of pairs.
        """
        cdef Py_ssize_t found, pairs = 0, room = self._a.shape[0], i
        with nogil:
            while row < end:
                found = self.count_row(lists, row)
                if pairs + found > room:  # the next call counts this row again
                    for i in range(found):
                        self.counts[self.touched[i]] = 0
                        if self.weighted:
                            self.sums[self.touched[i]] = 0
                    break
                pairs = self.keep_pairs(row, found, pairs, min_shared, min_ratio)
                row += 1
        return row, pairs

    cdef Py_ssize_t count_row(self, PanelLists lists, uint32_t row) noexcept nogil:
        """Count the documents behind a row in its lists, and return how many there are."""
        # Local pointers: what is reached through an object would be loaded again after each write.
        cdef uint32_t* counts = &self.counts[0]
        cdef uint32_t* touched = &self.touched[0]
        cdef double* sums = &self.sums[0]
        cdef const uint32_t* members = &lists.members[0]
        cdef const uint32_t* places = &lists.places[0]
        cdef uint32_t b_start = lists.b_start, width = lists.b_end - lists.b_start, b
        cdef bint weighted = self.weighted
        cdef Py_ssize_t found = 0
        cdef int64_t place, known = lists.places.shape[0]
        cdef uint64_t index
        cdef double weight = 0
        for place in range(lists.offsets[row - lists.a_start], lists.offsets[row - lists.a_start + 1]):
            if place + AHEAD < known:
                fpdb_prefetch(&members[places[place + AHEAD]])
                fpdb_prefetch(&members[places[place + AHEAD]] + 16)
                fpdb_prefetch(&members[places[place + AHEAD]] + 32)
            index = places[place]
            if weighted:
                weight = self.weights[lists.frequencies[index]]
            while True:
                index += 1
                b = members[index] & RANK
                if b - b_start < width:
                    touched[found] = b
                    found += counts[b] == 0
                    counts[b] += 1
                    if weighted:
                        sums[b] += weight
                if members[index] & LAST:
                    break
        return found

    cdef Py_ssize_t keep_pairs(self, uint32_t row, Py_ssize_t found, Py_ssize_t pairs, uint32_t min_shared,
                               double min_ratio) noexcept nogil:
        """Clear the counters of the documents found, append the pairs that pass, and return the number of pairs."""
        cdef bint weighted = self.weighted, owned = self.owners.shape[0] > 0, grouped = self.sets.shape[0] > 0
        cdef bint of_union = self.of_union
        cdef const double* sizes = &self.sizes[0]
        cdef const uint32_t* owners = &self.owners[0]
        cdef const uint32_t* sets = &self.sets[0]
        cdef uint32_t* counts = &self.counts[0]
        cdef const uint32_t* touched = &self.touched[0]
        cdef uint32_t b, shared
        cdef double value, bound
        cdef Py_ssize_t i
        for i in range(found):
            b = touched[i]
            shared = counts[b]
            counts[b] = 0
            value = shared
            if weighted:
                value = self.sums[b]
                self.sums[b] = 0
            if shared < min_shared or (owned and owners[row] == owners[b]) or (grouped and sets[row] == sets[b]):
                continue
            bound = sizes[row] + sizes[b] - value if of_union else min(sizes[row], sizes[b])
            if value * SLACK < min_ratio * bound:
                continue
            self._a[pairs] = row
            self._b[pairs] = b
            self._shared[pairs] = shared
            if weighted:
                self._weight[pairs] = value
            pairs += 1
        return pairs
