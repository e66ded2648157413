# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Write answers as lines of JSON straight from arrays: the loop of `search.ranking` that writes most."""

# orjson writes neither ASCII alone nor ", " between values, which these lines have byte for byte. For 200,000 matches it
# took 4 times as long as this, since tuples must be made for it first; 0.6 times where hardly any ratio came twice.

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, strlen

from json.encoder import encode_basestring_ascii


cdef extern from "Python.h":
    char* PyOS_double_to_string(double value, char code, int precision, int flags, int* kind) except NULL
    int Py_DTSF_ADD_DOT_0


cdef enum:
    LONGEST = 24    # characters of a number, `repr`'s of a float among them
    TABLE_BITS = 12


cdef struct WrittenFloat:
    uint64_t bits
    int length      # 0: the place is free
    char text[LONGEST]


cdef struct Line:
    char* text
    Py_ssize_t length
    Py_ssize_t room


cdef int make_room(Line* line, Py_ssize_t more) except -1:
    """Make room for so many more bytes. Raises MemoryError."""
    cdef char* text
    if line.length + more > line.room:
        text = <char*> realloc(line.text, 2 * (line.length + more))
        if text == NULL:
            raise MemoryError
        line.text = text
        line.room = 2 * (line.length + more)
    return 0


cdef inline void put(Line* line, const char* text, Py_ssize_t length) noexcept nogil:
    """Append bytes that there is room for."""
    memcpy(line.text + line.length, text, length)
    line.length += length


cdef inline void put_count(Line* line, uint64_t count) noexcept nogil:
    cdef char digits[LONGEST]
    cdef int start = LONGEST
    while True:
        start -= 1
        digits[start] = c'0' + count % 10
        count //= 10
        if not count:
            break
    put(line, digits + start, LONGEST - start)


cdef inline int put_float(Line* line, double value, WrittenFloat* written) except -1:
    """Append a float as `repr` writes it; ratios of small numbers come again and again."""
    cdef uint64_t bits
    cdef WrittenFloat* place
    cdef char* text
    memcpy(&bits, &value, sizeof(bits))
    place = written + (bits * <uint64_t> 0x9e3779b97f4a7c15 >> (64 - TABLE_BITS))
    if not place.length or place.bits != bits:
        text = PyOS_double_to_string(value, c'r', 0, Py_DTSF_ADD_DOT_0, NULL)
        place.bits, place.length = bits, <int> strlen(text)
        memcpy(place.text, text, place.length)
        PyMem_Free(text)
    put(line, place.text, place.length)
    return 0


cdef bint is_plain(bytes name) noexcept:
    """Return True if no character of the name is escaped."""
    cdef const unsigned char* text = <const unsigned char*> PyBytes_AS_STRING(name)
    cdef Py_ssize_t i
    for i in range(PyBytes_GET_SIZE(name)):
        if not 0x20 <= text[i] <= 0x7e or text[i] == c'"' or text[i] == c'\\':
            return False
    return True


cdef bytes quoted(bytes name):
    if is_plain(name):
        return b'"' + name + b'"'
    return encode_basestring_ascii(name.decode("utf-8", "surrogateescape")).encode("ascii")


def answer_lines(list heads, list names, matches, const int64_t[::1] bounds):
    """Return a line of JSON for each query, ASCII with its line feed, as `json.dumps` writes its answer.

    heads: the JSON of each query. names: of documents; UTF-8 or not. matches: (name_indices, shared, containment,
    reverse_containment, resemblance) of each match. Query q's matches are those from bounds[q] to before bounds[q + 1].
    """
    cdef const int64_t[::1] name_indices, shared
    cdef const double[::1] containment, reverse, resemblance
    name_indices, shared, containment, reverse, resemblance = matches
    cdef list in_quotes = [quoted(name) for name in names], lines = []
    cdef Line line
    cdef WrittenFloat* written = <WrittenFloat*> calloc(1 << TABLE_BITS, sizeof(WrittenFloat))
    cdef Py_ssize_t query, i
    cdef bytes text
    line.length, line.room = 0, 1 << 12
    line.text = <char*> malloc(line.room)
    try:
        if written == NULL or line.text == NULL:
            raise MemoryError
        for query in range(len(heads)):
            text = heads[query]
            line.length = 0
            make_room(&line, PyBytes_GET_SIZE(text) + 64)
            put(&line, b'{"query": ', 10)
            put(&line, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
            put(&line, b', "matches": [', 14)
            for i in range(bounds[query], bounds[query + 1]):
                text = in_quotes[name_indices[i]]
                make_room(&line, PyBytes_GET_SIZE(text) + 4 * LONGEST + 128)
                if i > bounds[query]:
                    put(&line, b', ', 2)
                put(&line, b'{"name": ', 9)
                put(&line, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
                put(&line, b', "shared": ', 12)
                put_count(&line, shared[i])
                put(&line, b', "containment": ', 17)
                put_float(&line, containment[i], written)
                put(&line, b', "reverse_containment": ', 25)
                put_float(&line, reverse[i], written)
                put(&line, b', "resemblance": ', 17)
                put_float(&line, resemblance[i], written)
                put(&line, b'}', 1)
            put(&line, b']}\n', 3)
            lines.append(PyBytes_FromStringAndSize(line.text, line.length))
    finally:
        free(line.text)
        free(written)
    return lines
