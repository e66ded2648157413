# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The names in a group of records, read without making Python's objects of all the rest.

A group is packed by msgpack, see docs/design/file-format.md. Every length is checked before it is used; what does not hold
raises ValueError.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t


cdef inline uint64_t number(const uint8_t* at, int size) noexcept nogil:
    """Bytes as a number, the highest first."""
    cdef uint64_t x = 0
    cdef int i
    for i in range(size):
        x = x << 8 | at[i]
    return x


cdef Py_ssize_t past(const uint8_t* packed, Py_ssize_t at, Py_ssize_t end, uint64_t count) noexcept nogil:
    """Where the value after so many values of msgpack begins; -1 where these do not end before `end`."""
    cdef int tag, size
    cdef uint64_t length
    while count:
        if at >= end:
            return -1
        tag = packed[at]
        at += 1
        count -= 1
        size = 0
        length = 0
        if tag < 0x80 or tag >= 0xe0 or tag == 0xc0 or tag == 0xc2 or tag == 0xc3:  # small numbers, nil, booleans
            continue
        elif tag < 0x90:  # a map
            count += 2 * (tag & 15)
            continue
        elif tag < 0xa0:  # an array
            count += tag & 15
            continue
        elif tag < 0xc0:  # a string
            length = tag & 31
        elif 0xc4 <= tag <= 0xc6:  # bytes, and how many
            size = 1 << (tag - 0xc4)
        elif tag == 0xca or tag == 0xcb:  # floating point
            length = 4 if tag == 0xca else 8
        elif 0xcc <= tag <= 0xd3:  # a number, without and with a sign
            length = 1 << (tag & 3)
        elif 0xd9 <= tag <= 0xdb:  # a string, and how long
            size = 1 << (tag - 0xd9)
        elif 0xdc <= tag <= 0xdf:  # an array or a map, and of how many
            size = 2 << (tag & 1)
        else:
            return -1
        if size > end - at:
            return -1
        if 0xdc <= tag:
            length = number(packed + at, size)
            if length > <uint64_t>(end - at):
                return -1
            count += length if tag < 0xde else 2 * length
            length = 0
        elif size:
            length = number(packed + at, size)
        at += size
        if length > <uint64_t>(end - at):
            return -1
        at += length
    return at


def describe(const uint8_t[::1] packed, int rows, list places, Py_ssize_t longest, list names, list counts):
    """Adds, for some rows of a packed group of so many (up to 15), the first value, 1 to `longest` bytes, to names, and
    the fifth, a number below 2^63, to counts; nothing else of the group is looked at.

    places: ascending. Raises LookupError where a row is nil, ValueError where it cannot be read so.
    """
    cdef Py_ssize_t end = packed.shape[0], at = 1, begin, after, row = 0, place
    cdef const uint8_t* p = &packed[0] if end else NULL
    cdef int size
    cdef uint64_t count
    if end == 0 or p[0] != (0x90 | rows):
        raise ValueError("a group is not an array of its rows")
    for place in places:
        if not row <= place < rows:
            raise ValueError("a row is asked for that there is not")
        at = past(p, at, end, place - row)
        row = place
        if at < 0 or at >= end:
            raise ValueError("a group ends before its rows do")
        if p[at] == 0xc0:
            raise LookupError
        if not 0x95 <= p[at] <= 0x9f:
            raise ValueError("a row is not an array")
        begin = at + 1
        after = past(p, begin, end, 1)
        if after < 0 or not 0xc4 <= p[begin] <= 0xc6:
            raise ValueError("a name is not bytes")
        size = 1 << (p[begin] - 0xc4)
        if not 0 < after - begin - 1 - size <= longest:
            raise ValueError("a name cannot be")
        names.append(PyBytes_FromStringAndSize(<const char*>p + begin + 1 + size, after - begin - 1 - size))
        begin = past(p, after, end, 3)
        after = past(p, begin, end, 1) if begin >= 0 else -1
        if after < 0 or not (p[begin] < 0x80 or 0xcc <= p[begin] <= 0xcf):
            raise ValueError("a count is not a number")
        count = p[begin] if p[begin] < 0x80 else number(p + begin + 1, after - begin - 1)
        if count >> 63:
            raise ValueError("a count cannot be")
        counts.append(count)
