# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Values sealed with a checksum over key and value, and read through it.

The checksum is the XXH3-64 of the value, seeded with the digest of its key; of blocks, with their number, whose
big-endian bytes are the key. It stands in the 8 bytes in front of the value.
"""

from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np
from xxhash import xxh3_64_intdigest as digest
from xxhash import xxh3_128_digest as content_digest

cdef extern from *:
    """
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define fpdb_big(x) __builtin_bswap64(x)
    #else
    #define fpdb_big(x) (x)
    #endif
    """
    uint64_t big_endian "fpdb_big"(uint64_t x) noexcept nogil

cdef enum:
    CHECKSUM = 8


cdef inline object block_key(uint64_t number):
    number = big_endian(number)
    return PyBytes_FromStringAndSize(<char*>&number, 8)


cdef Py_ssize_t read_checksum(value, uint64_t* checksum) except -1:
    """Read the checksum, if there is one; return the size of the value."""
    cdef Py_buffer view
    PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
    cdef Py_ssize_t size = view.len
    if size >= CHECKSUM:
        memcpy(checksum, view.buf, CHECKSUM)
    PyBuffer_Release(&view)
    return size


cpdef bint is_sound(uint64_t number, value) except -1:
    """Return True if the value of a block matches its checksum."""
    cdef uint64_t checksum = 0
    return read_checksum(value, &checksum) > CHECKSUM and digest(memoryview(value)[CHECKSUM:], number) == checksum


def unseal(bytes key, value):
    """Return a view of the value that was sealed under a key, without the checksum. Raises ValueError."""
    cdef uint64_t checksum = 0
    cdef Py_ssize_t size = read_checksum(value, &checksum)
    body = memoryview(value)[CHECKSUM:]
    if size < CHECKSUM or digest(body, digest(key)) != checksum:
        raise ValueError
    return body


def seal(bytes key, body):
    """Return the value stored under a key: a checksum over key and body, then the body."""
    cdef uint64_t checksum = digest(body, digest(key))
    cdef Py_buffer view
    PyObject_GetBuffer(body, &view, PyBUF_SIMPLE)
    try:
        value = PyBytes_FromStringAndSize(NULL, CHECKSUM + view.len)
        memcpy(PyBytes_AS_STRING(value), &checksum, CHECKSUM)
        memcpy(PyBytes_AS_STRING(value) + CHECKSUM, view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return value


def change_seals(bytes node, list changes):
    """Return a node of a tree of seals after changes, without the zeros at its end.

    changes: places in the node and checksums of 8 bytes, not empty.
    """
    cdef Py_ssize_t size = max(len(node), CHECKSUM * (1 + max([place for place, _ in changes]))), place
    cdef uint64_t checksum = 0
    changed = bytearray(size)
    cdef char* seals = PyByteArray_AS_STRING(changed)
    memcpy(seals, PyBytes_AS_STRING(node), len(node))
    for place, seal in changes:
        read_checksum(seal, &checksum)
        memcpy(seals + CHECKSUM * place, &checksum, CHECKSUM)
    while size:
        memcpy(&checksum, seals + size - CHECKSUM, CHECKSUM)
        if checksum:
            break
        size -= CHECKSUM
    return PyBytes_FromStringAndSize(seals, size)


def read_blocks(getmulti, uint64_t first, const int64_t[::1] indices, Py_ssize_t per_call):
    """Return the values of the blocks with the numbers first + index, checksums included.

    Args:
        getmulti: Keys in, pairs of key and value out, without those that are missing.
        first: The number of the block with index 0.
        indices: Shape (n,).
        per_call: The most keys of one call of getmulti.

    Raises:
        LookupError: A block is missing.
        ValueError: A block does not match its checksum.
    """
    cdef Py_ssize_t n = indices.shape[0], start, i, end
    values = []
    for start in range(0, n, per_call):
        end = min(start + per_call, n)
        pairs = getmulti([block_key(first + <uint64_t>indices[i]) for i in range(start, end)])
        if len(pairs) != end - start:
            raise LookupError
        i = start
        for _, value in pairs:
            if not is_sound(first + <uint64_t>indices[i], value):
                raise ValueError
            values.append(value)
            i += 1
    return values


def seal_blocks(uint64_t first, uint8_t[:, ::1] rows, list sizes):
    """Write the checksums of blocks numbered from `first` on; return their keys and values.

    rows: each begins with a block, whose first 8 bytes are for the checksum; the values are views of them.
    """
    cdef Py_ssize_t row, length = rows.shape[1]
    cdef uint64_t checksum
    items = []
    view = memoryview(rows.base).cast("B")
    for row in range(len(sizes)):
        value = view[row * length : row * length + <Py_ssize_t>sizes[row]]
        checksum = digest(value[CHECKSUM:], first + row)
        memcpy(&rows[row, 0], &checksum, CHECKSUM)
        items.append((block_key(first + row), value))
    return items


def digest_documents(const uint64_t[::1] hashes, const uint32_t[::1] positions, const int64_t[::1] offsets):
    """Return the xxh3-128 of the bytes of each document's hashes, with those of its positions after them.

    hashes, positions: shape (n,); positions may be None. offsets: of each document's first, and behind the last one's;
    shape (documents + 1,). The digests are one after the other.
    """
    cdef Py_ssize_t row, start, count, size = sizeof(uint64_t), documents = offsets.shape[0] - 1
    cdef bytearray digests = bytearray(16 * documents)
    for row in range(documents):
        start, count = offsets[row], offsets[row + 1] - offsets[row]
        body = PyBytes_FromStringAndSize(NULL, count * (size + (0 if positions is None else sizeof(uint32_t))))
        if count:
            memcpy(PyBytes_AS_STRING(body), &hashes[start], count * size)
            if positions is not None:
                memcpy(PyBytes_AS_STRING(body) + count * size, &positions[start], count * sizeof(uint32_t))
        memcpy(PyByteArray_AS_STRING(digests) + 16 * row, PyBytes_AS_STRING(content_digest(body)), 16)
    return bytes(digests)
