# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Blocks to postings and positions. Every count and offset of a block is checked before it is used."""

from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from fpdb.storage._bits cimport load64, packed_bytes, trailing_zeros, unpack, unpack_sorted
from fpdb.storage.runs._block cimport Block, CHECKSUM, MAX_POSTINGS, PADDING, POSITION_HEADER, parse_block


cdef bint decode_block(const Block* block, uint32_t first_id, uint32_t last_id, uint64_t* hashes, uint32_t* documents,
                       uint64_t* scratch) noexcept nogil:
    """Write the block's postings; scratch takes MAX_POSTINGS numbers.

    Return True if the block is damaged, if its hashes or the documents of one do not ascend, or if a document is out of
    its range.
    """
    cdef Py_ssize_t i, index = -1, n = block.postings, m = block.hashes
    cdef uint32_t room = last_id - block.base
    cdef bint wrong, begins
    if not first_id <= block.base <= last_id:
        return True
    if m == 1:
        wrong = unpack_sorted(&block.sequence, n, scratch) != n
        for i in range(n):
            wrong |= scratch[i] > room
            hashes[i] = block.first
            documents[i] = block.base + <uint32_t>scratch[i]
        for i in range(1, n):
            wrong |= documents[i] < documents[i - 1]
        return wrong
    wrong = unpack_sorted(&block.sequence, m, scratch) != m or scratch[0] != 0 or block.first + scratch[m - 1] < block.first
    for i in range(1, m):
        wrong |= scratch[i] <= scratch[i - 1]
    unpack(block.documents, block.width, n, documents)
    for i in range(n):
        wrong |= documents[i] > room
        documents[i] += block.base
    if block.starts == NULL:
        for i in range(n):
            hashes[i] = block.first + scratch[i]
        return wrong
    for i in range(n):
        begins = (block.starts[i >> 3] >> (i & 7)) & 1
        index += begins
        if index < 0 or index >= m:
            return True
        hashes[i] = block.first + scratch[index]
        wrong |= not begins and documents[i] < documents[i - 1]  # the first one begins, else index is below 0
    return wrong or index != m - 1


def decode_postings(values, Py_ssize_t postings, uint32_t first_id=0, uint32_t last_id=0xffffffff):
    """Unpack posting blocks.

    Args:
        values: Buffers, with their checksums.
        postings: The number of postings in all.
        first_id: The first document that may have any.
        last_id: The last one.

    Returns:
        Hashes, uint64, and document ids, uint32, each of shape (postings,).

    Raises:
        ValueError: A block is damaged or out of order, or the count differs.
    """
    hashes = np.empty(postings, np.uint64)
    documents = np.empty(postings, np.uint32)
    cdef uint64_t[::1] h = hashes
    cdef uint32_t[::1] d = documents
    cdef Py_buffer view
    cdef Block block
    cdef Py_ssize_t done = 0
    cdef int damaged
    cdef uint64_t* scratch = <uint64_t*>malloc(MAX_POSTINGS * 8)
    if scratch == NULL:
        raise MemoryError
    try:
        for value in values:
            PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
            with nogil:
                damaged = parse_block(<const uint8_t*>view.buf, view.len, &block)
                if not damaged and done + block.postings > postings:
                    damaged = -1
                if not damaged:
                    damaged = decode_block(&block, first_id, last_id, &h[done], &d[done], scratch)
            PyBuffer_Release(&view)
            if damaged:
                raise ValueError("a posting block is damaged")
            done += block.postings
    finally:
        free(scratch)
    if done != postings:
        raise ValueError(f"{done} postings where {postings} were expected")
    return hashes, documents


cdef struct Frequent:
    Py_ssize_t minimum      # postings of a hash that is frequent, 2 or more
    Py_ssize_t found        # hashes so far
    uint64_t* hashes
    uint64_t* scratch       # MAX_POSTINGS numbers


cdef int add_frequent(Frequent* frequent, const Block* block, Py_ssize_t index) noexcept nogil:
    """Append the block's distinct hash of this index; return other than 0 where the block is damaged."""
    if unpack_sorted(&block.sequence, block.hashes, frequent.scratch) != block.hashes:
        return 1
    frequent.hashes[frequent.found] = block.first + frequent.scratch[index]
    frequent.found += 1
    return 0


cdef int find_in_block(const Block* block, Frequent* frequent, int64_t* head, int64_t* tail) noexcept nogil:
    """Append the frequent hashes of a block, and count the postings of its first hash and its last one.

    Return other than 0 where the block is damaged.
    """
    cdef Py_ssize_t n = block.postings, index = 0, begin = 0, place, word
    cdef uint64_t bits
    if block.hashes == 1:
        head[0] = tail[0] = n
        if n >= frequent.minimum:
            frequent.hashes[frequent.found] = block.first
            frequent.found += 1
        return 0
    head[0] = tail[0] = 1
    if block.starts == NULL:
        return 0
    for word in range((n + 63) >> 6):
        bits = load64(block.starts + 8 * word)
        while bits:
            place = 64 * word + trailing_zeros(bits)
            bits &= bits - 1
            if place == 0 or place >= n:
                continue
            if index == 0:
                head[0] = place
            if place - begin >= frequent.minimum and add_frequent(frequent, block, index):
                return 1
            index += 1
            begin = place
            if index >= block.hashes:
                return 1
    tail[0] = n - begin
    return index != block.hashes - 1 or tail[0] >= frequent.minimum and add_frequent(frequent, block, index)


def find_frequent(values, Py_ssize_t postings, Py_ssize_t minimum):
    """Find hashes that have many postings in a block, without unpacking the others.

    Args:
        values: The blocks; see `decode_postings`.
        postings: The number of postings in all.
        minimum: The postings of a hash that is frequent, 2 or more.

    Returns:
        The frequent hashes, uint64; and the number of postings of the first hash of each block, and of its last one,
        int64, shape (blocks,).

    Raises:
        ValueError: A block is damaged, or the count differs.
    """
    if minimum < 2:
        raise ValueError("a hash of one posting is not frequent")
    found = np.empty(postings // minimum, np.uint64)
    scratch = np.empty(MAX_POSTINGS, np.uint64)
    heads, tails = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    cdef uint64_t[::1] hashes = found, unpacked = scratch
    cdef int64_t[::1] head = heads, tail = tails
    cdef Frequent frequent = Frequent(minimum, 0, NULL, &unpacked[0])
    cdef Py_buffer view
    cdef Block block
    cdef Py_ssize_t i, left = postings
    cdef int damaged
    if len(found):
        frequent.hashes = &hashes[0]
    for i, value in enumerate(values):
        PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
        damaged = parse_block(<const uint8_t*>view.buf, view.len, &block)
        if not damaged:
            left -= block.postings
            damaged = left < 0 or find_in_block(&block, &frequent, &head[i], &tail[i])
        PyBuffer_Release(&view)
        if damaged:
            raise ValueError("a posting block is damaged")
    if left:
        raise ValueError(f"{postings - left} postings where {postings} were expected")
    return found[: frequent.found], heads, tails


def decode_positions(values, Py_ssize_t postings):
    """Unpack position blocks; see `decode_postings`. Return encoded positions, uint32, shape (postings,)."""
    positions = np.empty(postings, np.uint32)
    cdef uint32_t[::1] out = positions
    cdef Py_buffer view
    cdef const uint8_t* header
    cdef Py_ssize_t done = 0
    cdef uint32_t count = 0
    cdef int width, damaged
    for value in values:
        PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
        header = <const uint8_t*>view.buf + CHECKSUM
        damaged = view.len < CHECKSUM + POSITION_HEADER + PADDING
        if not damaged:
            memcpy(&count, header, 4)
            width = header[4]
            damaged = (width > 32 or count == 0 or count > MAX_POSTINGS or done + <Py_ssize_t>count > postings
                       or CHECKSUM + POSITION_HEADER + <Py_ssize_t>packed_bytes(count, width) + PADDING != view.len)
        if not damaged:
            unpack(header + POSITION_HEADER, width, count, &out[done])
            done += count
        PyBuffer_Release(&view)
        if damaged:
            raise ValueError("a position block is damaged")
    if done != postings:
        raise ValueError(f"{done} positions where {postings} were expected")
    return positions
