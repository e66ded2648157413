# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Groups of records: their shape, and the names in them, read without making Python objects of the rest; narrow sizes.

A group is packed by msgpack, see docs/design/file-format.md. Every length is checked before it is used.

Measured against msgpack's own unpacking, of all records or with Unpacker.skip: a query of 100 hashes with 67 matches takes
14 to 18 % less time, and each query of a bundle of 300 takes 20 to 27 % less.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset


cdef struct Packed:
    const uint8_t* bytes
    Py_ssize_t next, end


cdef inline uint64_t take_number(Packed* packed, int size) noexcept nogil:
    """Return the next bytes, which must be there, as a big-endian number."""
    cdef uint64_t number = 0
    cdef int i
    for i in range(size):
        number = number << 8 | packed.bytes[packed.next + i]
    packed.next += size
    return number


cdef bint skip(Packed* packed, uint64_t count) noexcept nogil:
    """Go on to the value after the next `count` values; return False if these are malformed or do not end in time."""
    cdef int tag, size
    cdef uint64_t length
    while count:
        if packed.next >= packed.end:
            return False
        tag = packed.bytes[packed.next]
        packed.next += 1
        count -= 1
        size, length = 0, 0
        if tag < 0x80 or tag >= 0xe0 or tag == 0xc0 or tag == 0xc2 or tag == 0xc3:  # small integers, nil, booleans
            continue
        elif tag < 0x90:  # a small map
            count += 2 * (tag & 15)
        elif tag < 0xa0:  # a small array
            count += tag & 15
        elif tag < 0xc0:  # a short string
            length = tag & 31
        elif 0xc4 <= tag <= 0xc6:  # bytes
            size = 1 << (tag - 0xc4)
        elif tag == 0xca or tag == 0xcb:  # floating point
            length = 4 if tag == 0xca else 8
        elif 0xcc <= tag <= 0xd3:  # unsigned and signed integers
            length = 1 << (tag & 3)
        elif 0xd9 <= tag <= 0xdb:  # a string
            size = 1 << (tag - 0xd9)
        elif 0xdc <= tag <= 0xdf:  # an array or a map
            size = 2 << (tag & 1)
        else:
            return False
        if size > packed.end - packed.next:
            return False
        if size:
            length = take_number(packed, size)
        if length > <uint64_t>(packed.end - packed.next):
            return False
        if tag >= 0xdc:  # so many values follow, of a byte at least
            count += length if tag < 0xde else 2 * length
        else:
            packed.next += length
    return True


cdef Py_ssize_t enter(Packed* packed, bint map) noexcept nogil:
    """Go into the array, or the map, that comes next; return how many values, or pairs, are in it, or -1."""
    cdef int tag
    if packed.next >= packed.end:
        return -1
    tag = packed.bytes[packed.next]
    packed.next += 1
    if tag & 0xf0 == (0x80 if map else 0x90):
        return tag & 15
    if tag != (0xde if map else 0xdc) or packed.end - packed.next < 2:  # none that is larger is allowed
        return -1
    return <Py_ssize_t>take_number(packed, 2)


cdef bint skip_flat(Packed* packed, Py_ssize_t count) noexcept nogil:
    """Skip as `skip` does, and return False also where a value is an array or a map."""
    cdef int tag
    cdef Py_ssize_t i
    for i in range(count):
        tag = packed.bytes[packed.next] if packed.next < packed.end else 0xc1
        if 0x80 <= tag < 0xa0 or tag >= 0xdc and tag < 0xe0 or not skip(packed, 1):
            return False
    return True


cdef bint skip_row(Packed* packed, Py_ssize_t longest, Py_ssize_t labels) noexcept nogil:
    """Skip a row: nil, or an array of flat values and maps of flat values; return False where it is something else."""
    cdef Py_ssize_t i, count, pairs
    cdef int tag
    if packed.next < packed.end and packed.bytes[packed.next] == 0xc0:
        packed.next += 1
        return True
    count = enter(packed, False)
    if not 0 <= count <= longest:
        return False
    for i in range(count):
        tag = packed.bytes[packed.next] if packed.next < packed.end else 0xc1
        if tag & 0xf0 == 0x80 or tag == 0xde or tag == 0xdf:
            pairs = enter(packed, True)
            if not 0 <= pairs <= labels or not skip_flat(packed, 2 * pairs):
                return False
        elif not skip_flat(packed, 1):
            return False
    return True


def check_shape(const uint8_t[::1] group, int rows, Py_ssize_t longest, Py_ssize_t labels):
    """Raise ValueError unless unpacking a group makes few objects, however few bytes they take.

    rows: the number of rows, 15 at most. longest: the most values of a row. labels: the most pairs of a map.
    """
    cdef Packed packed = Packed(NULL, 1, group.shape[0])
    cdef int row
    if packed.end:
        packed.bytes = &group[0]
    if packed.end == 0 or packed.bytes[0] != (0x90 | rows):
        raise ValueError("a group is not an array of its rows")
    for row in range(rows):
        if not skip_row(&packed, longest, labels):
            raise ValueError("a row is not an array of plain values")


def describe(const uint8_t[::1] group, int rows, list places, Py_ssize_t longest, list names, list counts):
    """Append the first value, a name, and the fifth, a count, of some rows of a packed group to two lists.

    rows: the number of rows, 15 at most. places: of the rows to read, ascending. longest: the length of names. A count is
    below 2^63. Raises LookupError where a row is nil, ValueError where it cannot be read so.
    """
    cdef Packed packed = Packed(NULL, 1, group.shape[0])
    cdef Packed value
    cdef Py_ssize_t place, row = 0, start
    cdef int tag
    cdef uint64_t count
    if packed.end:
        packed.bytes = &group[0]
    if packed.end == 0 or packed.bytes[0] != (0x90 | rows):
        raise ValueError("a group is not an array of its rows")
    for place in places:
        if not row <= place < rows:
            raise ValueError("a row is asked for that there is not")
        if not skip(&packed, place - row) or packed.next >= packed.end:
            raise ValueError("a group ends before its rows do")
        row = place
        tag = packed.bytes[packed.next]
        if tag == 0xc0:
            raise LookupError
        if not 0x95 <= tag <= 0x9f:
            raise ValueError("a row is not an array")
        value = Packed(packed.bytes, packed.next + 1, packed.end)
        tag = packed.bytes[value.next] if value.next < packed.end else 0
        start = value.next + 1 + (1 << (tag & 3))
        if not skip(&value, 1) or not 0xc4 <= tag <= 0xc6:
            raise ValueError("a name is not bytes")
        if not 0 < value.next - start <= longest:
            raise ValueError("a name cannot be")
        names.append(PyBytes_FromStringAndSize(<const char*>packed.bytes + start, value.next - start))
        if not skip(&value, 3):
            raise ValueError("a count is not a number")
        start = value.next + 1
        count = tag = packed.bytes[value.next] if value.next < packed.end else 0xc0
        if not skip(&value, 1) or not (tag < 0x80 or 0xcc <= tag <= 0xcf):
            raise ValueError("a count is not a number")
        if tag >= 0x80:
            value.next = start
            count = take_number(&value, 1 << (tag & 3))
        if count >> 63:
            raise ValueError("a count cannot be")
        counts.append(count)


cdef bint take_text(Packed* packed, bint binary, const char** text, Py_ssize_t* length) noexcept nogil:
    """Go on behind a string, or bytes, and tell where it stands; return False where something else comes next."""
    cdef int tag = packed.bytes[packed.next] if packed.next < packed.end else 0xc1
    cdef Py_ssize_t start = packed.next + 1
    if binary and not 0xc4 <= tag <= 0xc6 or not binary and not (0xa0 <= tag < 0xc0 or 0xd9 <= tag <= 0xdb):
        return False
    if tag >= 0xc4:
        start += 1 << (tag - (0xc4 if binary else 0xd9))
    if not skip(packed, 1):
        return False
    text[0] = <const char*>packed.bytes + start
    length[0] = packed.next - start
    return True


cdef bint take_count(Packed* packed, int64_t* count) noexcept nogil:
    """Go on behind a number of 0 to 2^63 - 1, and tell it; return False where something else comes next."""
    cdef int tag = packed.bytes[packed.next] if packed.next < packed.end else 0xc0
    cdef Py_ssize_t start = packed.next + 1
    if not (tag < 0x80 or 0xcc <= tag <= 0xcf) or not skip(packed, 1):
        return False
    count[0] = tag
    if tag >= 0x80:
        packed.next = start
        count[0] = <int64_t>take_number(packed, 1 << (tag & 3))
    return count[0] >= 0


cdef bint find_labels(Packed* row, list keys, list found) except -1:
    """Append the value of each key in the map that comes next, None for one that it lacks; False if it is malformed."""
    cdef Py_ssize_t pairs, i, length = 0, place, first = len(found)
    cdef const char* text = NULL
    pairs = enter(row, True)
    if pairs < 0:
        return False
    found.extend([None] * len(keys))
    for i in range(pairs):
        if not take_text(row, False, &text, &length):
            return False
        key = PyUnicode_DecodeUTF8(text, length, "surrogateescape")
        if not take_text(row, False, &text, &length):
            return False
        for place in range(len(keys)):
            if keys[place] == key:
                found[first + place] = PyUnicode_DecodeUTF8(text, length, "surrogateescape")
    return True


def read_columns(bytes group, int rows, tuple limits, list keys, tuple columns,
                 int64_t[:, ::1] counts, uint8_t[:, ::1] digests):
    """Read what most records have in common out of a group; return the places of those that are there.

    Args:
        group: A packed group.
        rows: The number of rows, 15 at most.
        limits: The length of names, the latest time, the index of labels, and the most values of a record.
        keys: Of labels that are read.
        columns: Three lists that names, kinds and values of labels, one record's after the other's, are appended to.
        counts: Is given symbols, k-grams, fingerprints, hashes and the time of each record; shape (rows, 5).
        digests: Is given the digests; shape (rows, bytes of a digest).

    Raises ValueError where a row cannot be read so.
    """
    cdef Packed packed = Packed(<const uint8_t*>PyBytes_AS_STRING(group), 1, len(group))
    cdef Py_ssize_t longest = limits[0], labels_index = limits[2], most = limits[3], size = digests.shape[1], length = 0, count
    cdef int64_t latest = limits[1]
    cdef list names = columns[0], kinds = columns[1], values = columns[2], places = []
    cdef const char* text = NULL
    cdef const char* kind_text = NULL
    cdef Py_ssize_t kind_length = 0
    cdef str kind = ""
    cdef int row, i, found = 0
    if packed.end == 0 or packed.bytes[0] != (0x90 | rows):
        raise ValueError("a group is not an array of its rows")
    for row in range(rows):
        if packed.next < packed.end and packed.bytes[packed.next] == 0xc0:
            packed.next += 1
            continue
        count = enter(&packed, False)
        if not 8 <= count <= most or not take_text(&packed, True, &text, &length) or not 0 < length <= longest:
            raise ValueError("a name cannot be")
        names.append(PyBytes_FromStringAndSize(text, length))
        if not take_text(&packed, False, &text, &length):
            raise ValueError("a kind is not a string")
        if length != kind_length or memcmp(text, kind_text, length):
            kind_text, kind_length = text, length
            kind = PyUnicode_DecodeUTF8(text, length, "surrogateescape")
            kind = kinds[len(kinds) - 1] if kinds and kinds[len(kinds) - 1] == kind else kind
        kinds.append(kind)
        if not take_text(&packed, True, &text, &length) or length != size:
            raise ValueError("a digest cannot be")
        memcpy(&digests[found, 0], text, size)
        for i in range(5):
            if not take_count(&packed, &counts[found, i]):
                raise ValueError("a count is not a number")
        if counts[found, 3] > counts[found, 2] or counts[found, 4] > latest:
            raise ValueError("its counts, or when it was added, cannot be")
        count -= 8
        if keys and count > labels_index - 8:
            if not skip(&packed, labels_index - 8) or not find_labels(&packed, keys, values):
                raise ValueError("labels cannot be")
            count -= labels_index - 7
        elif keys:
            for _ in keys:
                values.append(None)
        if not skip(&packed, count):
            raise ValueError("a group ends before its rows do")
        places.append(row)
        found += 1
    return places


cdef enum:
    DIGEST = 16         # bytes
    ROW_ROOM = 64       # bytes of a packed row, but for its name, kind, labels and the values that all rows have


cdef struct Writer:
    uint8_t* next


cdef inline void put_number(Writer* out, uint64_t number, int size) noexcept nogil:
    """Write the last bytes of a number, the highest first."""
    cdef int i
    for i in range(size):
        out.next[i] = <uint8_t>(number >> 8 * (size - 1 - i))
    out.next += size


cdef void put_count(Writer* out, uint64_t count) noexcept nogil:
    """Write a number as msgpack does, in as few bytes as possible."""
    cdef int power = 0
    if count < 0x80:
        put_number(out, count, 1)
        return
    while count >> (8 << power) and power < 3:
        power += 1
    put_number(out, 0xcc + power, 1)
    put_number(out, count, 1 << power)


cdef inline void put_bytes(Writer* out, bytes value):
    memcpy(out.next, PyBytes_AS_STRING(value), <size_t>len(value))
    out.next += len(value)


cdef void put_name(Writer* out, bytes name):
    """Write up to 65,535 bytes as msgpack does."""
    cdef int size = 1 if len(name) < 0x100 else 2
    put_number(out, 0xc3 + size, 1)
    put_number(out, <uint64_t>len(name), size)
    put_bytes(out, name)


def pack_group(list names, const uint8_t[:, ::1] digests, const int64_t[:, ::1] counts, tuple shared, list labels):
    """Pack rows of a group without source and contact, all of their documents there, as msgpack packs records.

    Args:
        names: Of 15 documents at most, each of up to 65,535 bytes.
        digests: Shape (documents, 16).
        counts: Of symbols, k-grams, fingerprints and distinct hashes; shape (documents, 4).
        shared: The packed kind, and what stands between the counts and the labels, packed.
        labels: Those of each document, packed.
    """
    cdef bytes kind = shared[0], middle = shared[1], name, label
    cdef Py_ssize_t rows = len(names), row, column, size = 1
    for row in range(rows):
        size += ROW_ROOM + len(kind) + len(middle) + len(<bytes>names[row]) + len(<bytes>labels[row])
    group = bytearray(size)
    cdef uint8_t[::1] room = group
    cdef Writer out = Writer(&room[0])
    put_number(&out, 0x90 | rows, 1)
    for row in range(rows):
        name, label = names[row], labels[row]
        put_number(&out, 0x9e, 1)
        put_name(&out, name)
        put_bytes(&out, kind)
        put_number(&out, 0xc4, 1)
        put_number(&out, DIGEST, 1)
        memcpy(out.next, &digests[row, 0], DIGEST)
        out.next += DIGEST
        for column in range(4):
            put_count(&out, <uint64_t>counts[row, column])
        put_bytes(&out, middle)
        put_bytes(&out, label)
        put_number(&out, 0, 1)
        put_number(&out, 0xc0, 1)
    return PyBytes_FromStringAndSize(<const char*>&room[0], out.next - &room[0])


def narrow_sizes(const uint8_t[::1] wide):
    """Return what `widen_sizes` makes these sizes of, or None: where any has boilerplate, is a sample, or is large."""
    cdef Py_ssize_t documents = wide.shape[0] // 12, i
    cdef bytes narrow = PyBytes_FromStringAndSize(NULL, 2 * documents)
    cdef uint8_t* hashes = <uint8_t*>PyBytes_AS_STRING(narrow)
    cdef const uint8_t* sizes = &wide[0] if documents else NULL
    cdef uint32_t size[3]
    cdef uint32_t others = 0, dead
    for i in range(documents):  # to the end: without branches it is faster than one that stops
        memcpy(size, sizes + 12 * i, 12)
        dead = size[0] == 0xffffffff
        others |= size[1] | (size[0] >= 0xffff) ^ dead | size[2] ^ (dead - 1)
        memcpy(hashes + 2 * i, size, 2)
    return None if others else narrow


def widen_sizes(const uint8_t[::1] narrow):
    """Return the sizes of documents without boilerplate that are no samples, packed; narrow: their hashes, 2 bytes each.

    65,535 stands for a document that does not exist.
    """
    cdef Py_ssize_t documents = narrow.shape[0] // 2, i
    cdef bytes wide = PyBytes_FromStringAndSize(NULL, 12 * documents)
    cdef uint8_t* size = <uint8_t*>PyBytes_AS_STRING(wide)
    memset(size, 0, <size_t>(12 * documents))
    for i in range(documents):
        size[0], size[1] = narrow[2 * i], narrow[2 * i + 1]
        if size[0] == 0xff and size[1] == 0xff:
            memset(size + 2, 0xff, 2)
        else:
            memset(size + 8, 0xff, 4)
        size += 12
    return wide
