# Bit mixing for the kernels of this package. `hashing` writes the formulas out.

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define FPDB_GOLDEN 0x9E3779B97F4A7C15ULL
    """
    const uint64_t GOLDEN "FPDB_GOLDEN"


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)
