# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorting postings, and grouping and gathering sorted ones: the loops that numpy does too slowly."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from fpdb.storage._bits cimport width_of

cdef struct Posting:
    uint64_t hash
    uint32_t document
    uint32_t position

cdef enum:
    INSERTION_LIMIT = 32    # postings that insertion sorts faster
    DIGIT = 11              # bits of a radix pass at most
    BUCKET = 18             # bits of the number of postings that a bucket has at most, if hashes are uniform
    BUCKET_BITS = 8
    MOST_BUCKETS = 256


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
    """Sort a by hash, of which bits below `top` differ; stable. The result is left in a, or in spare."""
    cdef Py_ssize_t counts[2049]
    cdef Py_ssize_t i, start, end
    cdef int bits, shift
    cdef uint64_t mask
    if n <= INSERTION_LIMIT or top == 0:
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


def sort_postings(uint64_t[::1] hashes, uint32_t[::1] documents, uint32_t[::1] positions):
    """Sort postings by hash in place; those of one hash keep their order. Arrays of shape (n,).

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
            a[i].position = positions[i]
            differing |= hashes[i] ^ hashes[0]
        radix_sort(a, spare, n, width_of(differing), False)
        for i in range(n):
            hashes[i] = a[i].hash
            documents[i] = a[i].document
            positions[i] = a[i].position


cdef class PostingBuckets:
    """Postings of documents, divided among buckets by the top bits of their hashes; a bucket is sorted on demand.

    A bucket fits into a processor's cache, and several threads may each sort another one.

    Attributes:
        count: The number of buckets, at least 1.
    """
    cdef uint64_t[::1] room
    cdef list spares
    cdef Py_ssize_t starts[MOST_BUCKETS + 1]
    cdef int shift
    cdef readonly Py_ssize_t count

    def __init__(self, const uint64_t[::1] hashes, const uint32_t[::1] positions, const int64_t[::1] offsets,
                 uint32_t first_id):
        """Divide the postings of documents first_id and following.

        Args:
            hashes: Shape (n,).
            positions: Encoded; shape (n,), or None if all are 0.
            offsets: The index of each document's first posting, and the one behind the last; shape (documents + 1,).
            first_id: The id of the first document.
        """
        cdef Py_ssize_t documents = offsets.shape[0] - 1, begin = offsets[0], end = offsets[documents], i, row, bucket
        cdef Py_ssize_t nexts[MOST_BUCKETS + 1]
        cdef uint64_t differing = 0
        cdef uint64_t mask
        cdef int shift, top
        cdef const uint32_t* places = NULL
        cdef Posting* out
        if begin < 0 or end > hashes.shape[0] or positions is not None and end > positions.shape[0]:
            raise ValueError("offsets exceed the postings")
        for row in range(documents):
            if offsets[row] > offsets[row + 1]:
                raise ValueError("offsets do not ascend")
        if positions is not None:
            places = &positions[0]
        # Through numpy, which asks for huge pages: half of the time would go into page faults and misses of the TLB.
        self.room = np.empty(2 * (end - begin) + 1, np.uint64)
        self.spares = []
        out = <Posting*>&self.room[0]
        with nogil:
            for i in range(begin, end):
                differing |= hashes[i] ^ hashes[begin]
            top = width_of(differing)
            shift = top - min(max(width_of(end - begin) - <int>BUCKET, 0), <int>BUCKET_BITS, top)
            mask = (<uint64_t>1 << (top - shift)) - 1
            shift = min(shift, 63)  # where it is 64, there is one bucket
            memset(nexts, 0, sizeof(nexts))
            for i in range(begin, end):
                nexts[((hashes[i] >> shift) & mask) + 1] += 1
            for bucket in range(<Py_ssize_t>mask + 1):
                nexts[bucket + 1] += nexts[bucket]
            memcpy(self.starts, nexts, sizeof(nexts))
            for row in range(documents):
                for i in range(offsets[row], offsets[row + 1]):
                    bucket = (hashes[i] >> shift) & mask
                    out[nexts[bucket]] = Posting(hashes[i], first_id + <uint32_t>row, places[i] if places else 0)
                    nexts[bucket] += 1
        self.shift = shift if mask else top
        self.count = <Py_ssize_t>mask + 1

    def sort(self, Py_ssize_t bucket):
        """Return a bucket's hashes, document ids and encoded positions by hash; those of one hash keep their order.

        They take the place of the bucket, which cannot be sorted again.
        """
        cdef Py_ssize_t start = self.starts[bucket], n = self.starts[bucket + 1] - start, i
        whole = self.room.base[2 * start : 2 * (start + n)]
        halves = whole[n:].view(np.uint32)
        cdef uint64_t[::1] hashes = whole[:n], spare
        cdef uint32_t[::1] documents = halves[:n], positions = halves[n:]
        cdef Posting* a
        cdef Posting* ordered
        if n:
            spare = self.take_spare(2 * n)
            a, ordered = <Posting*>&hashes[0], <Posting*>&spare[0]
            with nogil:
                radix_sort(a, ordered, n, self.shift, True)
                for i in range(n):
                    hashes[i] = ordered[i].hash
                    documents[i] = ordered[i].document
                    positions[i] = ordered[i].position
            self.spares.append(spare.base)
        return whole[:n], halves[:n], halves[n:]

    cdef object take_spare(self, Py_ssize_t size):
        """Return memory that no other thread sorts in; it is kept, as the system takes long to give new memory."""
        spare = self.spares.pop() if self.spares else None
        return np.empty(size, np.uint64) if spare is None or len(spare) < size else spare


def is_ascending(const uint64_t[::1] hashes, const uint32_t[::1] documents, const uint32_t[::1] positions):
    """Return True if postings are strictly ascending by (hash, document, position). Arrays of shape (n,)."""
    cdef Py_ssize_t i, n = hashes.shape[0]
    cdef bint wrong = False
    with nogil:
        for i in range(1, n):
            if hashes[i] > hashes[i - 1]:
                continue
            if hashes[i] < hashes[i - 1] or documents[i] < documents[i - 1]:
                wrong = True
                break
            if documents[i] == documents[i - 1] and positions[i] <= positions[i - 1]:
                wrong = True
                break
    return not wrong


def first_of_pair(const uint64_t[::1] hashes, const uint32_t[::1] documents):
    """Return which postings begin another (hash, document); bool, shape (n,). Postings are sorted by both."""
    cdef Py_ssize_t n = hashes.shape[0], i
    mask = np.empty(n, np.bool_)
    cdef uint8_t[::1] out = mask.view(np.uint8)
    with nogil:
        for i in range(n):
            out[i] = i == 0 or hashes[i] != hashes[i - 1] or documents[i] != documents[i - 1]
    return mask


def run_lengths(const uint32_t[::1] ordered):
    """Return the distinct values of a sorted array of shape (n,), and how often each occurs, int64."""
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


def gather_slices(const uint32_t[::1] values, const int64_t[::1] starts, const int64_t[::1] ends):
    """Return values[start:end] for each of the bounds, one after the other. The bounds must lie within."""
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


cdef struct Sequence:
    const int64_t* counts       # of documents, by hash
    const uint32_t* documents   # not yet taken


cdef void interleave_into(Sequence* sequences, Py_ssize_t count, const uint8_t[::1] left_out,
                          uint32_t[::1] joined) noexcept nogil:
    cdef Py_ssize_t i, k, filled = 0
    cdef int64_t j
    for i in range(left_out.shape[0]):
        for k in range(count):
            if not left_out[i]:
                for j in range(sequences[k].counts[i]):
                    joined[filled] = sequences[k].documents[j]
                    filled += 1
            sequences[k].documents += sequences[k].counts[i]


def interleave(list counts, list documents, const uint8_t[::1] left_out):
    """Return what several sequences hold of each hash, one after the other, for one hash after the other.

    Args:
        counts: How many documents each sequence holds of each hash; int64, shape (n,).
        documents: Of each sequence, the documents of one hash after the other; uint32.
        left_out: Other than 0 for hashes of which none are wanted; shape (n,).
    """
    cdef Py_ssize_t n = left_out.shape[0], i, k, total = 0
    cdef const int64_t[::1] count
    cdef const uint32_t[::1] some
    cdef Sequence* sequences = <Sequence*>malloc((len(counts) + 1) * sizeof(Sequence))
    try:
        if sequences == NULL:
            raise MemoryError
        for k in range(len(counts)):
            count, some = counts[k], documents[k]
            if count.shape[0] != n or int(counts[k].sum()) != some.shape[0]:
                raise ValueError("counts and documents differ in length")
            sequences[k] = Sequence(NULL, NULL)
            if n:
                sequences[k].counts = &count[0]
            if some.shape[0]:
                sequences[k].documents = &some[0]
            for i in range(n):
                total += 0 if left_out[i] else count[i]
        joined = np.empty(total, np.uint32)
        if total:
            interleave_into(sequences, len(counts), left_out, joined)
        return joined
    finally:
        free(sequences)
