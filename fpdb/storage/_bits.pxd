# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns of packed numbers, and sorted sequences coded after Elias and Fano.

P. Elias, "Efficient storage and retrieval by content and address of static files", JACM 21, 1974: the low bits of each
number are packed, the high bits are a bit vector in which element i sets bit (high_i + i).
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    /* Where the processor's own instruction may not be counted on, __builtin_popcountll is a call. */
    static inline int fpdb_popcount(uint64_t x) {
    #if defined(__POPCNT__) || defined(__aarch64__)
        return __builtin_popcountll(x);
    #else
        x -= x >> 1 & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return (int)(x * 0x0101010101010101u >> 56);
    #endif
    }
    #define fpdb_ctz(x) __builtin_ctzll(x)
    #define fpdb_clz(x) __builtin_clzll(x)
    """
    int popcount "fpdb_popcount"(uint64_t x) noexcept nogil
    int trailing_zeros "fpdb_ctz"(uint64_t x) noexcept nogil
    int leading_zeros "fpdb_clz"(uint64_t x) noexcept nogil


cdef inline uint64_t load64(const uint8_t* source) noexcept nogil:
    cdef uint64_t x
    memcpy(&x, source, 8)
    return x


cdef inline int width_of(uint64_t x) noexcept nogil:
    """Return the number of bits that x needs; 0 for 0."""
    return 0 if x == 0 else 64 - leading_zeros(x)


# ---------------------------------------------------------------- packed columns

cdef inline uint64_t packed_bytes(uint64_t count, int width) noexcept nogil:
    return (count * <uint64_t>width + 7) >> 3


cdef inline uint64_t get_bits(const uint8_t* column, uint64_t index, int width) noexcept nogil:
    """Return a number of a packed column, behind which 8 bytes can be read."""
    cdef uint64_t bit = index * <uint64_t>width
    cdef const uint8_t* source = column + (bit >> 3)
    cdef int shift = bit & 7
    cdef uint64_t x
    if width == 0:
        return 0
    x = load64(source) >> shift
    if shift + width > 64:
        x |= <uint64_t>source[8] << (64 - shift)
    if width < 64:
        x &= (<uint64_t>1 << width) - 1
    return x


cdef struct Packer:
    uint8_t* target     # of the next 8 bytes of a packed column
    uint64_t word       # the bits that do not fill them yet
    int used            # how many these are


cdef inline void put_bits(Packer* packer, int width, uint64_t x) noexcept nogil:
    """Append x, which has no bits beyond width."""
    packer.word |= x << packer.used
    packer.used += width
    if packer.used >= 64:
        memcpy(packer.target, &packer.word, 8)
        packer.target += 8
        packer.used -= 64
        packer.word = x >> (width - packer.used) if packer.used else 0


cdef inline void finish_bits(Packer* packer) noexcept nogil:
    memcpy(packer.target, &packer.word, (packer.used + 7) >> 3)


ctypedef fused Number:
    uint32_t
    uint64_t


cdef inline void unpack(const uint8_t* column, int width, Py_ssize_t count, Number* out) noexcept nogil:
    """Decode a packed column; its numbers fit into out."""
    cdef Py_ssize_t i
    cdef uint64_t bit = 0, mask = (<uint64_t>1 << width) - 1
    if width > 57:  # a number and the bits before it in its first byte may exceed 64
        for i in range(count):
            out[i] = <Number>get_bits(column, i, width)
        return
    for i in range(count):
        out[i] = <Number>((load64(column + (bit >> 3)) >> (bit & 7)) & mask)
        bit += width


# ---------------------------------------------------------------- Elias-Fano sequences

cdef inline int low_width(uint64_t span, uint64_t count) noexcept nogil:
    """Return floor(log2(span / count)), 0 where the sequence is dense: the bits of the low parts."""
    cdef uint64_t mean = span // count
    return 0 if mean == 0 else 63 - leading_zeros(mean)


cdef inline uint64_t high_bytes(uint64_t span, uint64_t count, int low) noexcept nogil:
    """Return the bytes of the high bit vector, a multiple of 8."""
    return ((count + (span >> low) + 64) >> 6) << 3


cdef struct SortedPacker:
    uint8_t* high       # zeroed
    int low             # bits of the low parts
    uint64_t count      # of elements so far
    Packer lows


cdef inline void put_sorted(SortedPacker* packer, uint64_t x) noexcept nogil:
    """Append x, which is not below the element before."""
    cdef uint64_t bit = (x >> packer.low) + packer.count
    packer.high[bit >> 3] |= <uint8_t>(1 << (bit & 7))
    put_bits(&packer.lows, packer.low, x & ((<uint64_t>1 << packer.low) - 1))
    packer.count += 1


cdef struct SortedColumn:
    const uint8_t* high
    Py_ssize_t high_bytes
    const uint8_t* lows
    int low             # bits of the low parts


cdef inline Py_ssize_t unpack_sorted(const SortedColumn* column, Py_ssize_t count, uint64_t* out) noexcept nogil:
    """Decode a sorted sequence; return how many numbers it held: count, unless it is damaged."""
    cdef Py_ssize_t i = 0, word
    cdef uint64_t bits
    unpack(column.lows, column.low, count, out)
    for word in range(column.high_bytes >> 3):
        bits = load64(column.high + 8 * word)
        while bits and i < count:
            out[i] |= (<uint64_t>(64 * word + trailing_zeros(bits)) - <uint64_t>i) << column.low
            bits &= bits - 1
            i += 1
    return i
