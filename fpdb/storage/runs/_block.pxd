# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The parts of a posting block, found and checked. docs/file-format.md is the only authority for the bytes."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fpdb.storage._bits cimport SortedColumn, packed_bytes

cdef enum:
    MAX_BLOCK = 4072        # bytes of a value: one overflow page under either LMDB file format
    ROW = MAX_BLOCK + 8     # bytes from one block to the next while they are encoded
    CHECKSUM = 8            # bytes in front of every value
    HEADER = 20             # bytes of a posting block after the checksum
    POSITION_HEADER = 8
    PADDING = 8             # zero bytes at the end, so that 64 bits may be loaded at any bit of a column
    MAX_POSTINGS = 65535    # in a block


cdef struct Block:
    Py_ssize_t postings, hashes     # postings, and distinct hashes among them
    uint64_t first                  # the first hash
    uint32_t base                   # the smallest document id
    int width                       # bits of a packed document id
    SortedColumn sequence           # the distinct hashes, or the document ids of a block of one hash; less the first
    const uint8_t* starts           # bit p set: posting p has another hash than posting p - 1; NULL: every bit is set
    const uint8_t* documents        # packed, less the base; unless the block is of one hash


cdef inline int parse_block(const uint8_t* value, Py_ssize_t size, Block* block) noexcept nogil:
    """Find the parts of a block; return 0, or -1 where the value cannot be a posting block."""
    cdef uint16_t n, m, high
    cdef Py_ssize_t need
    cdef SortedColumn* sequence = &block.sequence
    if size < CHECKSUM + HEADER + PADDING or size > MAX_BLOCK:
        return -1
    value += CHECKSUM
    memcpy(&n, value, 2)
    memcpy(&m, value + 2, 2)
    memcpy(&high, value + 4, 2)
    sequence.low = value[6]
    block.width = value[7]
    memcpy(&block.first, value + 8, 8)
    memcpy(&block.base, value + 16, 4)
    if n == 0 or m == 0 or m > n or sequence.low > 63 or block.width > 32 or high & 7 or high == 0:
        return -1
    block.postings = n
    block.hashes = m
    sequence.high_bytes = high
    sequence.high = value + HEADER
    sequence.lows = sequence.high + high
    block.starts = NULL
    block.documents = NULL
    if m == 1:
        if block.width:
            return -1
        need = HEADER + high + packed_bytes(n, sequence.low)
    else:
        block.documents = sequence.lows + packed_bytes(m, sequence.low)
        if n != m:
            block.starts = block.documents
            block.documents += (n + 7) >> 3
        need = (block.documents - value) + packed_bytes(n, block.width)
    return 0 if CHECKSUM + need + PADDING == size else -1
