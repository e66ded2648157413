from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef enum:
    PAGE_BITS = 9           # ids of a page, as a power of 2
    WORDS = 8               # of 64 bits, of a page


cdef struct IdTable:
    const int32_t* slots    # of each page of ids from the first one on: where its bits are; -1: none of its ids is there
    const uint64_t* bits    # WORDS of each page that has ids
    uint32_t first, pages   # the first page, and how many there are up to the last one


cdef inline const uint64_t* find_word(const IdTable* table, uint32_t id) noexcept nogil:
    """Return the word that holds an id's bit, or NULL where its page has no ids."""
    cdef uint32_t page = (id >> PAGE_BITS) - table.first
    cdef int32_t slot
    if page >= table.pages:
        return NULL
    slot = table.slots[page]
    return NULL if slot < 0 else table.bits + WORDS * <size_t>slot + (id >> 6 & WORDS - 1)


cdef inline bint holds(const IdTable* table, uint32_t id) noexcept nogil:
    cdef const uint64_t* word = find_word(table, id)
    return word != NULL and word[0] >> (id & 63) & 1


cdef class IdSet:
    cdef IdTable table
    cdef const int32_t[::1] slots
    cdef const uint64_t[::1] bits
    cdef const uint32_t[::1] ranks  # of each page that has ids: how many ids come before
    cdef Py_ssize_t count
