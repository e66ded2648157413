from libc.stdint cimport uint64_t

from fpdb.readers._fold cimport symbol_t

cdef class Rolling:
    cdef readonly Py_ssize_t k
    cdef uint64_t base, spread, multiplier, power
    cdef uint64_t incoming[256]
    cdef uint64_t outgoing[256]

cdef uint64_t roll(
    Rolling rolling, const symbol_t* symbols, Py_ssize_t first, Py_ssize_t count, uint64_t h, uint64_t* out
) noexcept nogil
