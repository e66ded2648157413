from libc.stdint cimport uint32_t, uint64_t

from fpdb.fingerprint._mix cimport GOLDEN, mix
from fpdb.readers._folding cimport symbol_t

cdef enum:
    TABLE = 0x800  # symbols whose spread is looked up: the letters of Europe and of the Near East

cdef class Rolling:
    cdef readonly Py_ssize_t k
    cdef uint64_t base, spread, multiplier, power
    cdef uint64_t incoming[TABLE]
    cdef uint64_t outgoing[TABLE]


cdef inline uint64_t enter(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol >= TABLE:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base
    return rolling.incoming[symbol]


cdef inline uint64_t leave(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol >= TABLE:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base * rolling.power
    return rolling.outgoing[symbol]


cdef inline uint64_t finalise(uint64_t x, uint64_t multiplier) noexcept nogil:
    x = (x ^ (x >> 32)) * multiplier
    return x ^ (x >> 32)


cdef inline uint64_t roll(
    Rolling rolling, const symbol_t* symbols, Py_ssize_t first, Py_ssize_t count, uint64_t h, uint64_t* out
) noexcept nogil:
    """Write the hashes of `count` k-grams from `first` on to `out`.

    Takes the hash of the k-gram before, and returns that of the last k-gram, both not finalised.
    """
    # Two k-grams per iteration, the second from h as well: multiplications wait for each other half as often.
    cdef uint64_t base = rolling.base, square = rolling.base * rolling.base
    cdef uint64_t multiplier = rolling.multiplier, change, next_change
    cdef Py_ssize_t i = 0, k = rolling.k
    cdef const symbol_t* oldest = symbols + first
    cdef const symbol_t* newest = symbols + first + k - 1
    if first == 0 and count > 0:
        h = 0
        for i in range(k):
            h = h * base + enter(rolling, symbols[i])
        out[0] = finalise(h, multiplier)
        i = 1
    while i + 1 < count:
        change = enter(rolling, newest[i]) - leave(rolling, oldest[i - 1])
        next_change = enter(rolling, newest[i + 1]) - leave(rolling, oldest[i])
        out[i] = finalise(h * base + change, multiplier)
        h = h * square + (change * base + next_change)
        out[i + 1] = finalise(h, multiplier)
        i += 2
    if i < count:
        h = h * base + enter(rolling, newest[i]) - leave(rolling, oldest[i - 1])
        out[i] = finalise(h, multiplier)
    return h
