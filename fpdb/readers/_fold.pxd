from libc.stdint cimport uint8_t, uint32_t

ctypedef fused symbol_t:
    uint8_t
    uint32_t

cdef struct Text:
    const void* units
    Py_ssize_t length
    int width  # bytes per unit; 0 for ASCII, which is folded by a table of bytes

cdef struct Progress:
    Py_ssize_t read
    Py_ssize_t written
    int reason  # why folding stopped: DONE, NO_PAGE, TOO_WIDE or NO_ROOM

cdef Text view_text(object text)
cdef Progress fold_text(Text text, Progress progress, symbol_t* out, Py_ssize_t room) noexcept nogil
cdef Progress fold_table(Text text, const uint8_t[::1] table, uint8_t* out) noexcept nogil
