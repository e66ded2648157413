# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Blocks to postings and positions. Every count and offset of a block is checked before it is used."""

from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from fpdb.storage._bits cimport packed_bytes, unpack, unpack_sorted
from fpdb.storage.runs._block cimport Block, CHECKSUM, MAX_POSTINGS, PADDING, POSITION_HEADER, parse_block


cdef int decode_block(const Block* block, uint64_t* hashes, uint32_t* documents, uint64_t* scratch) noexcept nogil:
    """Write the block's postings; scratch takes MAX_POSTINGS numbers. Return -1 where the block is damaged."""
    cdef Py_ssize_t i, index = -1, n = block.postings
    if block.hashes == 1:
        if unpack_sorted(&block.sequence, n, scratch) != n:
            return -1
        for i in range(n):
            if scratch[i] > <uint32_t>~block.base:
                return -1
            hashes[i] = block.first
            documents[i] = block.base + <uint32_t>scratch[i]
        return 0
    if unpack_sorted(&block.sequence, block.hashes, scratch) != block.hashes:
        return -1
    if scratch[0] or block.first + scratch[block.hashes - 1] < block.first:
        return -1
    for i in range(1, block.hashes):
        if scratch[i] <= scratch[i - 1]:
            return -1
    if block.starts == NULL:
        for i in range(n):
            hashes[i] = block.first + scratch[i]
    else:
        for i in range(n):
            index += (block.starts[i >> 3] >> (i & 7)) & 1
            if index < 0 or index >= block.hashes:
                return -1
            hashes[i] = block.first + scratch[index]
        if index != block.hashes - 1:
            return -1
    unpack(block.documents, block.width, n, documents)
    for i in range(n):
        if documents[i] > <uint32_t>~block.base:
            return -1
        documents[i] += block.base
    return 0


cdef bint are_ordered(const uint64_t* hashes, const uint32_t* documents, Py_ssize_t n, uint32_t first_id,
                      uint32_t last_id) noexcept nogil:
    """Return True if the documents are in their range, and ascend within each hash."""
    cdef Py_ssize_t i
    cdef uint32_t wrong = 0, span = last_id - first_id
    for i in range(n):
        wrong |= documents[i] - first_id > span
    for i in range(1, n):
        wrong |= (documents[i] < documents[i - 1]) & (hashes[i] == hashes[i - 1])
    return wrong == 0


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
                    damaged = decode_block(&block, &h[done], &d[done], scratch)
                if not damaged and not are_ordered(&h[done], &d[done], block.postings, first_id, last_id):
                    damaged = -1
            PyBuffer_Release(&view)
            if damaged:
                raise ValueError("a posting block is damaged")
            done += block.postings
    finally:
        free(scratch)
    if done != postings:
        raise ValueError(f"{done} postings where {postings} were expected")
    return hashes, documents


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
