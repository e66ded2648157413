# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Blocks of keys in order, each with a number: searched and changed as bytes, see docs/design/file-format.md.

A key is stored as the length of what it has in common with the one before, and the rest. Every length is checked before
it is used.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

import numpy as np

cdef enum:
    LONGEST = 480           # bytes of a key
    NUMBER_BYTES = 5        # at most
    HEADER = 2              # bytes of a block that tell how many keys it has
    LARGEST = 0xffffffff    # number


cdef struct Entries:
    const uint8_t* bytes
    Py_ssize_t start, next, end # of the current key, of the next, and of the block
    Py_ssize_t left             # keys that follow
    Py_ssize_t shared           # bytes of the current key that the one before has, too
    const uint8_t* rest         # of the current key
    Py_ssize_t size             # of the current key
    int64_t number              # of the current key
    uint8_t key[LONGEST]        # where keys are kept


cdef int64_t take_number(Entries* entries) noexcept nogil:
    """Return a number of seven bits a byte, the lowest first; -1 if it does not end in time."""
    cdef int64_t number = 0
    cdef int i, byte
    for i in range(NUMBER_BYTES):
        if entries.next >= entries.end:
            return -1
        byte = entries.bytes[entries.next]
        entries.next += 1
        number |= <int64_t>(byte & 0x7f) << 7 * i
        if byte < 0x80:
            return number
    return -1


cdef int take(Entries* entries, bint keep) except -1:
    """Go on to the next key, where there is one, and return 1; 0 at the end.

    keep: copy the key, and raise ValueError also if it is out of order.
    """
    cdef int64_t shared, rest, step
    if entries.next >= entries.end and not entries.left:
        return 0
    entries.left, entries.start = entries.left - 1, entries.next
    if entries.left < 0:
        raise ValueError("there are more names than are counted")
    shared, rest = take_number(entries), take_number(entries)
    if not 0 <= shared <= entries.size or rest < 1 or rest > LONGEST - shared or rest > entries.end - entries.next:
        raise ValueError("a name has an impossible length")
    entries.rest = entries.bytes + entries.next
    if keep:
        if shared < entries.size and entries.rest[0] <= entries.key[shared]:
            raise ValueError("names are out of order")
        memcpy(entries.key + shared, entries.rest, <size_t>rest)
    entries.shared, entries.size = shared, shared + rest
    entries.next += rest
    step = take_number(entries)
    entries.number += -(step >> 1) - 1 if step & 1 else step >> 1
    if step < 0 or not 0 <= entries.number <= LARGEST:
        raise ValueError("a name leads to no document")
    return 1


cdef int begin(Entries* entries, const uint8_t[::1] block) except -1:
    """Go to the beginning of a block, which may be empty."""
    entries.start = entries.next = entries.end = entries.left = entries.shared = entries.size = entries.number = 0
    if 0 < block.shape[0] <= HEADER:
        raise ValueError("there is no name")
    if block.shape[0]:
        entries.bytes, entries.next, entries.end = &block[0], HEADER, block.shape[0]
        entries.left = block[0] | <Py_ssize_t>block[1] << 8
    return 0


cdef int64_t number_of(const uint8_t[::1] block, bytes key) except -2:
    """Return the number of a key, -1 if it is not there."""
    cdef Entries entries
    cdef const uint8_t* sought = <const uint8_t*>PyBytes_AS_STRING(key)
    cdef Py_ssize_t size = len(key), matched = 0, i, rest
    begin(&entries, block)
    while take(&entries, False):
        # The keys before are less, and have `matched` bytes in common with the one that is sought, as the last of them.
        if entries.shared > matched:
            continue
        if entries.shared < matched:
            return -1
        i, rest = 0, entries.size - entries.shared
        while i < rest and matched + i < size and entries.rest[i] == sought[matched + i]:
            i += 1
        if i == rest and matched + i == size:
            return entries.number
        if i < rest and (matched + i == size or entries.rest[i] > sought[matched + i]):
            return -1
        matched += i
    return -1


def find(const uint8_t[::1] block, list keys, Py_ssize_t start, Py_ssize_t end):
    """Return the numbers of the keys from start to end, -1 for one that is not there. Raises ValueError."""
    cdef Py_ssize_t i
    return [number_of(block, keys[i]) for i in range(start, end)]


def unpack(const uint8_t[::1] block):
    """Return the keys of a block, ascending, and their numbers; uint32, shape (n,). Raises ValueError."""
    cdef Entries entries
    keys, numbers = [], []
    begin(&entries, block)
    while take(&entries, True):
        keys.append(PyBytes_FromStringAndSize(<const char*>entries.key, entries.size))
        numbers.append(entries.number)
    if not keys:
        raise ValueError("there is no name")
    return keys, np.array(numbers, np.uint32)


cdef class Blocks:
    """Blocks that are written: each of `room` bytes at most, and ended once it has `enough`."""

    cdef uint8_t* buffer
    cdef Py_ssize_t used, room, enough, size, count
    cdef int64_t number
    cdef uint8_t key[LONGEST]
    cdef list written

    def __cinit__(self, Py_ssize_t room, Py_ssize_t enough):
        self.buffer = <uint8_t*>PyMem_Malloc(<size_t>room + LONGEST + 3 * NUMBER_BYTES)
        if self.buffer == NULL:
            raise MemoryError
        self.begin()
        self.room, self.enough = room, enough
        self.written = []

    def __dealloc__(self):
        PyMem_Free(self.buffer)

    cdef void begin(self) noexcept:
        self.used, self.size, self.number, self.count = HEADER, 0, 0, 0

    cdef void put_number(self, int64_t number) noexcept:
        while number >= 0x80:
            self.buffer[self.used] = <uint8_t>(number & 0x7f | 0x80)
            self.used += 1
            number >>= 7
        self.buffer[self.used] = <uint8_t>number
        self.used += 1

    cdef void put(self, const uint8_t* key, Py_ssize_t size, int64_t number) noexcept:
        cdef Py_ssize_t shared = 0
        cdef int64_t step = number - self.number
        while shared < size and shared < self.size and key[shared] == self.key[shared]:
            shared += 1
        self.put_number(shared)
        self.put_number(size - shared)
        memcpy(self.buffer + self.used, key + shared, <size_t>(size - shared))
        self.used += size - shared
        self.put_number(-step * 2 - 1 if step < 0 else step * 2)

    cdef int add(self, const uint8_t* key, Py_ssize_t size, int64_t number) except -1:
        cdef Py_ssize_t before = self.used
        self.put(key, size, number)
        if self.count and (before >= self.enough or self.used > self.room):
            self.used = before
            self.end()
            self.put(key, size, number)
        memcpy(self.key, key, <size_t>size)
        self.size, self.number = size, number
        self.count += 1
        return 0

    cdef int copy(self, Entries* entries) except -1:
        """Write a key of a block, after the one before it in that block."""
        cdef Py_ssize_t size = entries.next - entries.start
        if self.used >= self.enough or self.used + size > self.room:
            return self.add(entries.key, entries.size, entries.number)
        memcpy(self.buffer + self.used, entries.bytes + entries.start, <size_t>size)
        memcpy(self.key + entries.shared, entries.rest, <size_t>(entries.size - entries.shared))
        self.size, self.number = entries.size, entries.number
        self.used += size
        self.count += 1
        return 0

    cdef int end(self) except -1:
        if self.count:
            self.buffer[0], self.buffer[1] = <uint8_t>(self.count & 0xff), <uint8_t>(self.count >> 8)
            self.written.append(PyBytes_FromStringAndSize(<const char*>self.buffer, self.used))
        self.begin()
        return 0


cdef inline int compare(Entries* entries, const uint8_t* key, Py_ssize_t size) noexcept nogil:
    cdef int order = memcmp(entries.key, key, <size_t>min(entries.size, size))
    return order if order else (entries.size > size) - (entries.size < size)


cdef inline int move(Entries* entries, Blocks blocks, bint neighbours) except -1:
    """Write the current key, and go on; neighbours: after the one before it."""
    if neighbours:
        blocks.copy(entries)
    else:
        blocks.add(entries.key, entries.size, entries.number)
    return take(entries, True)


def change(const uint8_t[::1] block, list keys, const int64_t[::1] numbers, range part, tuple limits):
    """Return the blocks that take a block's place, and True if all keys that are set follow those that were there.

    Args:
        block: The block; empty if there is none.
        keys: Ascending, each of 1 to LONGEST bytes.
        numbers: Which they get; -1 for a key that is deleted.
        part: Of the keys, which are to be set.
        limits: The most bytes of a block, and how many are enough.

    Raises ValueError where the block is malformed.
    """
    cdef Entries entries
    cdef Blocks blocks = Blocks(*limits)
    cdef Py_ssize_t row, size, end = part.stop
    cdef bytes key
    cdef const uint8_t* given
    cdef bint follow = True, neighbours = False
    begin(&entries, block)
    cdef bint more = take(&entries, True)
    for row in range(part.start, end):
        key = keys[row]
        given, size = <const uint8_t*>PyBytes_AS_STRING(key), len(key)
        if size > LONGEST:
            raise ValueError("a name is too long")
        while more and compare(&entries, given, size) < 0:
            more = move(&entries, blocks, neighbours)
            neighbours = True
        if more:
            follow = False
            if compare(&entries, given, size) == 0:
                more, neighbours = take(&entries, True), False
        if numbers[row] >= 0:
            blocks.add(given, size, numbers[row])
            neighbours = False
    while more:
        more = move(&entries, blocks, neighbours)
        neighbours = True
    blocks.end()
    return blocks.written, follow


def first_key(const uint8_t[::1] block):
    """Return the first key of a block. Raises ValueError."""
    cdef Entries entries
    begin(&entries, block)
    if not take(&entries, True):
        raise ValueError("there is no name")
    return PyBytes_FromStringAndSize(<const char*>entries.key, entries.size)
