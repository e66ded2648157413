# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorting and merging of postings, in memory: the loops that numpy does too slowly."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from *:
    """
    #define fpdb_clz(x) __builtin_clzll(x)
    """
    int fpdb_clz(uint64_t x) noexcept nogil


cdef inline int width_of(uint64_t x) noexcept nogil:
    """Bits needed for x; 0 for 0."""
    return 0 if x == 0 else 64 - fpdb_clz(x)


# ---------------------------------------------------------------- sorting

cdef struct Posting:
    uint64_t hash
    uint32_t document
    uint32_t number

cdef enum:
    FEW = 32            # postings that insertion sorts faster
    DIGIT = 11          # bits of a radix pass at most


cdef void insertion_sort(Posting* a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Posting x
    for i in range(1, n):
        x = a[i]
        j = i
        while j and a[j - 1].hash > x.hash:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x


cdef void radix_sort(Posting* a, Posting* spare, Py_ssize_t n, int top, bint into_spare) noexcept nogil:
    """Sorts a by hash, of which bits below `top` differ; stable. The result is left in a, or in spare."""
    cdef Py_ssize_t counts[2049]
    cdef Py_ssize_t i, start, end
    cdef int bits, shift
    cdef uint64_t mask
    if n <= FEW or top == 0:
        if top:
            insertion_sort(a, n)
        if into_spare:
            memcpy(spare, a, n * sizeof(Posting))
        return
    bits = min(width_of(n) - 2, <int>DIGIT, top)
    shift = top - bits
    mask = (<uint64_t>1 << bits) - 1
    memset(counts, 0, ((<Py_ssize_t>1 << bits) + 1) * sizeof(Py_ssize_t))
    for i in range(n):
        counts[((a[i].hash >> shift) & mask) + 1] += 1
    for i in range(1, <Py_ssize_t>mask + 1):
        counts[i] += counts[i - 1]
    for i in range(n):
        end = (a[i].hash >> shift) & mask
        spare[counts[end]] = a[i]
        counts[end] += 1
    start = 0
    for i in range(<Py_ssize_t>mask + 1):
        end = counts[i]
        if end > start:
            radix_sort(spare + start, a + start, end - start, shift, not into_spare)
        start = end


def sort(uint64_t[::1] hashes, uint32_t[::1] documents, uint32_t[::1] numbers):
    """Sorts postings by hash in place; those of one hash keep their order. Arrays of shape (n,).

    A radix sort from the top bits down: stored hashes are uniform, so two or three passes bring each to its place.
    """
    cdef Py_ssize_t n = hashes.shape[0], i
    cdef uint64_t differing = 0
    # Through numpy, which asks for huge pages: half of the time would go into page faults and misses of the TLB.
    cdef uint64_t[::1] room = np.empty(4 * n + 1, np.uint64)
    cdef Posting* a = <Posting*>&room[0]
    cdef Posting* spare = a + n
    with nogil:
        for i in range(n):
            a[i].hash = hashes[i]
            a[i].document = documents[i]
            a[i].number = numbers[i]
            differing |= hashes[i] ^ hashes[0]
        radix_sort(a, spare, n, width_of(differing), False)
        for i in range(n):
            hashes[i] = a[i].hash
            documents[i] = a[i].document
            numbers[i] = a[i].number


# ---------------------------------------------------------------- merging

cdef class Stream:
    """A sorted sequence of postings that arrives in pieces.

    Runs and the merge's inputs are in order of document ids, so that equal hashes come from the earlier stream first.
    """
    cdef const uint64_t[::1] hashes
    cdef const uint32_t[::1] documents
    cdef const uint32_t[::1] numbers
    cdef readonly Py_ssize_t at
    cdef readonly Py_ssize_t left
    cdef public bint ended

    def __init__(self):
        self.at = 0
        self.left = 0
        self.ended = False

    def refill(self, const uint64_t[::1] hashes, const uint32_t[::1] documents, const uint32_t[::1] numbers):
        """Replaces the piece that has been used up; numbers is position + 1, 0 for none."""
        self.hashes, self.documents, self.numbers = hashes, documents, numbers
        self.at = 0
        self.left = hashes.shape[0]


cdef inline Py_ssize_t comes_before(const uint64_t* heads, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """1 if so, else 0; without a jump, which nobody could predict."""
    return <Py_ssize_t>(heads[a] < heads[b]) | (<Py_ssize_t>(heads[a] == heads[b]) & <Py_ssize_t>(a < b))


cdef void build(const uint64_t* heads, Py_ssize_t* losers, Py_ssize_t count) noexcept nogil:
    """Plays all games of a tree of losers (Knuth, volume 3, section 5.4.1): stream i enters at node (i + count) / 2,
    and each node keeps who lost there; losers[0] is who lost none."""
    cdef Py_ssize_t i, node, winner, other
    for i in range(count):
        losers[i] = -1
    for i in range(count):
        winner = i
        node = (i + count) >> 1
        while node:
            other = losers[node]
            if other < 0:  # waits for an opponent
                losers[node] = winner
                winner = -1
                break
            if comes_before(heads, other, winner):
                losers[node], winner = winner, other
            node >>= 1
        if winner >= 0:
            losers[0] = winner


def merge(list streams, uint64_t[::1] hashes, uint32_t[::1] documents, uint32_t[::1] numbers, Py_ssize_t at,
          const uint8_t[::1] dead, uint32_t first):
    """Moves postings from the streams, in order, into the arrays from index `at` on, leaving out those of dead
    documents (dead[document - first] != 0; one beyond its end is not dead). Stops when the arrays are full or a stream that
    has not ended runs dry. Returns (the next free index, the index of the dry stream or -1)."""
    cdef Py_ssize_t count = len(streams), room = hashes.shape[0], i, best, node, other, swapped
    cdef const uint64_t** h = <const uint64_t**>malloc((count + 1) * sizeof(void*))
    cdef const uint32_t** d = <const uint32_t**>malloc((count + 1) * sizeof(void*))
    cdef const uint32_t** p = <const uint32_t**>malloc((count + 1) * sizeof(void*))
    cdef Py_ssize_t* left = <Py_ssize_t*>malloc((count + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t* source = <Py_ssize_t*>malloc((count + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t* losers = <Py_ssize_t*>malloc((count + 1) * sizeof(Py_ssize_t))
    cdef uint64_t* heads = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
    cdef Py_ssize_t live = 0, dry = -1
    cdef uint32_t known = <uint32_t>dead.shape[0]
    cdef Stream stream
    try:
        if h == NULL or d == NULL or p == NULL or left == NULL or source == NULL or losers == NULL or heads == NULL:
            raise MemoryError
        for i in range(count):
            stream = streams[i]
            if stream.left:
                h[live] = &stream.hashes[stream.at]
                d[live] = &stream.documents[stream.at]
                p[live] = &stream.numbers[stream.at]
                heads[live] = h[live][0]
                left[live] = stream.left
                source[live] = i
                live += 1
            elif not stream.ended:
                return at, i
        if live:
            with nogil:
                build(heads, losers, live)
                best = losers[0]
                while at < room:
                    if d[best][0] - first >= known or not dead[d[best][0] - first]:
                        hashes[at] = heads[best]
                        documents[at] = d[best][0]
                        numbers[at] = p[best][0]
                        at += 1
                    h[best] += 1
                    d[best] += 1
                    p[best] += 1
                    left[best] -= 1
                    if left[best] == 0:
                        dry = best
                        break
                    heads[best] = h[best][0]
                    node = (best + live) >> 1
                    while node:
                        other = losers[node]
                        swapped = (best ^ other) & -comes_before(heads, other, best)
                        losers[node] = other ^ swapped
                        best ^= swapped
                        node >>= 1
        for i in range(live):
            stream = streams[source[i]]
            stream.at += stream.left - left[i]
            stream.left = left[i]
        return at, -1 if dry < 0 else source[dry]
    finally:
        free(h)
        free(d)
        free(p)
        free(left)
        free(source)
        free(losers)
        free(heads)


def first_of_pair(const uint64_t[::1] hashes, const uint32_t[::1] documents):
    """Marks the first posting of each (hash, document): bool, shape (n,), of postings sorted by (hash, document)."""
    cdef Py_ssize_t n = hashes.shape[0], i
    mask = np.empty(n, np.bool_)
    cdef uint8_t[::1] out = mask.view(np.uint8)
    with nogil:
        for i in range(n):
            out[i] = i == 0 or hashes[i] != hashes[i - 1] or documents[i] != documents[i - 1]
    return mask


def run_lengths(const uint32_t[::1] ordered):
    """The distinct values of a sorted array of shape (n,), and how often each occurs, int64."""
    cdef Py_ssize_t n = ordered.shape[0], i, at = 0, start = 0
    values = np.empty(n, np.uint32)
    counts = np.empty(n, np.int64)
    cdef uint32_t[::1] out = values
    cdef int64_t[::1] lengths = counts
    with nogil:
        for i in range(1, n + 1):
            if i == n or ordered[i] != ordered[start]:
                out[at] = ordered[start]
                lengths[at] = i - start
                at += 1
                start = i
    return values[:at], counts[:at]


def stretches(const uint32_t[::1] values, const int64_t[::1] starts, const int64_t[::1] ends):
    """values[start:end] for each of the bounds, one after the other. The bounds must lie within."""
    cdef Py_ssize_t n = starts.shape[0], i, at = 0
    cdef int64_t total = 0
    for i in range(n):
        total += ends[i] - starts[i]
    joined = np.empty(total, np.uint32)
    cdef uint32_t[::1] out = joined
    with nogil:
        for i in range(n):
            if ends[i] > starts[i]:
                memcpy(&out[at], &values[starts[i]], (ends[i] - starts[i]) * sizeof(uint32_t))
                at += ends[i] - starts[i]
    return joined


def interleaved(list counts, list documents, const uint8_t[::1] left_out):
    """What several sequences hold of each hash, one after the other, for one hash after the other.

    counts: int64, shape (n,): how many documents each sequence holds of each hash; documents: of one hash after the
    other, uint32. left_out: shape (n,), other than 0 for hashes of which none are wanted. Returns the documents.
    """
    cdef Py_ssize_t sequences = len(counts), n = left_out.shape[0], i, k, total = 0
    cdef const int64_t[::1] count
    cdef const uint32_t[::1] some
    cdef const int64_t** lengths = <const int64_t**>malloc(sequences * sizeof(void*))
    cdef const uint32_t** heads = <const uint32_t**>malloc(sequences * sizeof(void*))
    try:
        if lengths == NULL or heads == NULL:
            raise MemoryError
        for k in range(sequences):
            count, some = counts[k], documents[k]
            if count.shape[0] != n or int(counts[k].sum()) != some.shape[0]:
                raise ValueError("counts and documents differ in length")
            lengths[k] = &count[0] if n else NULL
            heads[k] = &some[0] if some.shape[0] else NULL
            for i in range(n):
                total += 0 if left_out[i] else count[i]
        joined = np.empty(total, np.uint32)
        if total:
            interleave(lengths, heads, sequences, left_out, joined)
        return joined
    finally:
        free(lengths)
        free(heads)


cdef void interleave(const int64_t** lengths, const uint32_t** heads, Py_ssize_t sequences,
                     const uint8_t[::1] left_out, uint32_t[::1] joined) noexcept nogil:
    cdef Py_ssize_t i, k, at = 0
    cdef int64_t j
    for i in range(left_out.shape[0]):
        for k in range(sequences):
            if not left_out[i]:
                for j in range(lengths[k][i]):
                    joined[at] = heads[k][j]
                    at += 1
            heads[k] += lengths[k][i]
