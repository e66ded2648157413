from libc.stdint cimport uint8_t, uint32_t

ctypedef fused symbol_t:
    uint8_t
    uint32_t

cdef struct Text:
    const void* units
    const uint32_t** pages  # of the version of the readers, see `set_page`
    Py_ssize_t length
    int width  # bytes per unit; 0 for ASCII, which is folded by a table of bytes

cdef struct Progress:
    Py_ssize_t read
    Py_ssize_t written
    int reason  # why folding stopped: DONE, NO_PAGE, TOO_WIDE or NO_ROOM

cdef Text view_text(object text, int version)
cdef Progress fold_text(Text text, Progress progress, symbol_t* out, Py_ssize_t room) noexcept nogil


cdef inline Progress fold_table(Text text, const uint8_t* table, uint8_t* out) noexcept nogil:
    """Fold bytes by a table; NO_PAGE if they are not all ASCII. `out` has room for text.length symbols."""
    cdef Py_ssize_t i, j = 0, length = text.length
    cdef const uint8_t* units = <const uint8_t*>text.units
    cdef uint8_t symbol, union_of_bits = 0
    for i in range(length):
        symbol = table[units[i]]
        union_of_bits |= units[i]
        out[j] = symbol
        j += symbol != 0
    return Progress(length, j, union_of_bits >> 7)
