# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Postings and positions to blocks. docs/file-format.md is the only authority for the bytes."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from fpdb.storage._bits cimport (
    Packer, SortedPacker, finish_bits, high_bytes, low_width, packed_bytes, put_bits, put_sorted, width_of,
)
from fpdb.storage.runs._block cimport CHECKSUM, HEADER, MAX_BLOCK, MAX_POSTINGS, PADDING, POSITION_HEADER, ROW

POSTINGS_PER_BLOCK = MAX_POSTINGS
BLOCK_BYTES = MAX_BLOCK

cdef enum:                          # in a full block
    FEWEST_POSTINGS = 300           # each has at most 100 bits: 63 and 3 of a hash, 1 that marks it, 32 of a document
    FEWEST_POSITIONS = 1012         # of 32 bits

cdef struct Postings:
    const uint64_t* hashes
    const uint32_t* documents
    Py_ssize_t count

cdef struct Content:                # of a block
    Py_ssize_t postings, hashes     # postings, and distinct hashes among them
    uint64_t span                   # from the first hash to the last
    uint32_t smallest, largest      # document ids


cdef Py_ssize_t size_of(const Content* content) noexcept nogil:
    """Return the bytes of a block, checksum and padding included."""
    cdef int low
    cdef Py_ssize_t n = content.postings, m = content.hashes
    cdef uint64_t documents = content.largest - content.smallest
    if m == 1:
        low = low_width(documents, n)
        return CHECKSUM + HEADER + high_bytes(documents, n, low) + packed_bytes(n, low) + PADDING
    low = low_width(content.span, m)
    return (CHECKSUM + HEADER + high_bytes(content.span, m, low) + packed_bytes(m, low)
            + (0 if n == m else (n + 7) >> 3) + packed_bytes(n, width_of(documents)) + PADDING)


cdef void extend(Content* content, const Postings* postings, Py_ssize_t end) noexcept nogil:
    """Add postings up to `end` to what a block holds."""
    cdef Py_ssize_t i
    cdef const uint64_t* hashes = postings.hashes
    cdef const uint32_t* documents = postings.documents
    cdef Content more = content[0]
    for i in range(more.postings, end):
        if i == 0 or hashes[i] != hashes[i - 1]:
            more.hashes += 1
        if documents[i] < more.smallest:
            more.smallest = documents[i]
        if documents[i] > more.largest:
            more.largest = documents[i]
    more.postings = end
    more.span = hashes[end - 1] - hashes[0]
    content[0] = more


cdef Content fill(const Postings* postings) noexcept nogil:
    """Return what one block takes of the postings: grow in steps, halved whenever the next one does not fit."""
    cdef Content content = Content(0, 0, 0, 0xFFFFFFFF, 0), before
    cdef Py_ssize_t step = 32, end
    while step:
        end = min(content.postings + step, postings.count, <Py_ssize_t>MAX_POSTINGS)
        if end == content.postings:
            break
        before = content
        extend(&content, postings, end)
        if size_of(&content) > MAX_BLOCK:
            content = before
            step >>= 1
    return content


cdef Py_ssize_t encode_block(const Postings* postings, uint8_t* out, Py_ssize_t* size) noexcept nogil:
    """Pack as many of the postings as one block takes into out, zeroed bytes of a row; return how many."""
    cdef Content content = fill(postings)
    cdef Py_ssize_t n = content.postings, m = content.hashes, i
    cdef const uint64_t* hashes = postings.hashes
    cdef const uint32_t* documents = postings.documents
    cdef uint32_t smallest = content.smallest
    cdef bint one_hash = m == 1
    cdef uint64_t span = content.largest - content.smallest if one_hash else content.span
    cdef int low = low_width(span, n if one_hash else m)
    cdef int width = 0 if one_hash else width_of(content.largest - content.smallest)
    cdef uint16_t counts[3]
    cdef uint8_t* starts
    cdef SortedPacker sequence
    cdef Packer packer
    size[0] = size_of(&content)
    counts[0], counts[1] = <uint16_t>n, <uint16_t>m
    counts[2] = <uint16_t>high_bytes(span, n if one_hash else m, low)
    out += CHECKSUM
    memcpy(out, counts, 6)
    out[6] = <uint8_t>low
    out[7] = <uint8_t>width
    memcpy(out + 8, hashes, 8)
    memcpy(out + 16, &smallest, 4)
    out += HEADER
    sequence = SortedPacker(out, low, 0, Packer(out + counts[2], 0, 0))
    if one_hash:
        for i in range(n):
            put_sorted(&sequence, documents[i] - smallest)
        finish_bits(&sequence.lows)
        return n
    starts = out + counts[2] + packed_bytes(m, low)
    for i in range(n):
        if i == 0 or hashes[i] != hashes[i - 1]:
            put_sorted(&sequence, hashes[i] - hashes[0])
            if n != m:
                starts[i >> 3] |= <uint8_t>(1 << (i & 7))
    finish_bits(&sequence.lows)
    packer = Packer(starts + (0 if n == m else (n + 7) >> 3), 0, 0)
    for i in range(n):
        put_bits(&packer, width, documents[i] - smallest)
    finish_bits(&packer)
    return n


cdef Py_ssize_t encode_position_block(const uint32_t* positions, Py_ssize_t left, uint8_t* out,
                                      Py_ssize_t* size) noexcept nogil:
    """Pack as many of the positions as one block takes; return how many. Nothing is written where that is all."""
    cdef Py_ssize_t capacity = MAX_BLOCK - CHECKSUM - POSITION_HEADER - PADDING, i
    cdef int width = 0, wider
    cdef uint32_t taken = 0
    cdef Packer packer
    while taken < left and taken < MAX_POSTINGS:
        wider = max(width_of(positions[taken]), width)
        if packed_bytes(taken + 1, wider) > <uint64_t>capacity:
            break
        width = wider
        taken += 1
    out += CHECKSUM
    memcpy(out, &taken, 4)
    out[4] = <uint8_t>width
    packer = Packer(out + POSITION_HEADER, 0, 0)
    for i in range(taken):
        put_bits(&packer, width, positions[i])
    finish_bits(&packer)
    size[0] = CHECKSUM + POSITION_HEADER + packed_bytes(taken, width) + PADDING
    return taken


cdef class Rows:
    """Zeroed rows, one a block."""
    cdef object buffer, numbers
    cdef uint8_t[:, ::1] rows
    cdef int64_t[:, ::1] filled     # the size and the count of each block
    cdef Py_ssize_t used

    def __init__(self, Py_ssize_t blocks):
        self.rows = self.buffer = np.zeros((blocks, ROW), np.uint8)
        self.filled = self.numbers = np.empty((2, blocks), np.int64)

    cdef uint8_t* next_row(self) noexcept nogil:
        return &self.rows[self.used, 0]

    cdef void add(self, Py_ssize_t size, Py_ssize_t count) noexcept nogil:
        self.filled[0, self.used] = size
        self.filled[1, self.used] = count
        self.used += 1

    cdef tuple result(self):
        sizes, counts = self.numbers[:, : self.used].tolist()
        return self.buffer, sizes, counts


def encode_postings(const uint64_t[::1] hashes, const uint32_t[::1] documents, bint final):
    """Pack sorted postings into blocks.

    Args:
        hashes: Sorted; shape (n,).
        documents: Ids, sorted for each hash; shape (n,).
        final: Whether the last block, which may not be full, is written, too.

    Returns:
        A uint8 array with rows of BLOCK_BYTES + 8 bytes, of which the first ones begin with a block each, its first 8
        bytes zero for the checksum; the blocks' sizes in bytes; and their numbers of postings.
    """
    cdef Py_ssize_t n = hashes.shape[0], done = 0, size, taken
    cdef Rows rows = Rows(n // FEWEST_POSTINGS + 1)
    cdef Postings left
    with nogil:
        while done < n:
            left = Postings(&hashes[done], &documents[done], n - done)
            taken = encode_block(&left, rows.next_row(), &size)
            done += taken
            if done < n or final:
                rows.add(size, taken)
    return rows.result()


def encode_positions(const uint32_t[::1] positions, bint final):
    """Pack encoded positions, shape (n,), into blocks; see `encode_postings` for the rest."""
    cdef Py_ssize_t n = positions.shape[0], done = 0, size, taken
    cdef Rows rows = Rows(n // FEWEST_POSITIONS + 1)
    with nogil:
        while done < n:
            taken = encode_position_block(&positions[done], n - done, rows.next_row(), &size)
            done += taken
            if done < n or final:
                rows.add(size, taken)
    return rows.result()
