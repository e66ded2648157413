# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Tile two sequences greedily: the loops that numpy does too slowly. `fpdb.regions.tiling` says what is done.

Memory is 24 bytes a match and a byte a symbol. Time grows with the symbols that matches cover, and with n log n of the
number n of matches.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, llabs, qsort, realloc
from libc.string cimport memchr, memset

import numpy as np

cdef enum:
    NO_ANCHOR = -2147483648
    ALL_PAIRS = 1024    # occurrences in a times those in b up to which all pairs of an equal hash are looked at


cdef struct Match:      # equal symbols [a, a + length) of one sequence and [b, b + length) of the other one
    int64_t a
    int64_t b
    int64_t length


cdef struct Matches:    # a growing array, or a heap
    Match* items
    Py_ssize_t count
    Py_ssize_t room


cdef class SymbolSequence:
    """A sequence of symbols, prepared for tiling, and its anchors.

    Attributes:
        length: The number of symbols.
    """
    cdef const uint32_t[::1] symbols
    cdef const uint8_t[::1] barred      # shape (0,): none is
    cdef const int64_t[::1] places      # shape (0,): symbols are next to each other
    cdef const uint64_t[::1] hashes
    cdef const int64_t[::1] starts
    cdef readonly Py_ssize_t length
    cdef Py_ssize_t last_start          # of the anchors; NO_ANCHOR if there is none

    def __init__(self, const uint32_t[::1] symbols, const uint64_t[::1] hashes, const int64_t[::1] starts,
                 const uint8_t[::1] barred, const int64_t[::1] places):
        """Prepare a sequence.

        Args:
            symbols: Shape (n,).
            hashes: Of the anchors: passages of one length that match where their hashes are equal; shape (m,).
            starts: Where each anchor begins in the symbols, ascending.
            barred: 1 for a symbol that no match is extended to; shape (n,), or (0,) if none is.
            places: The distances between symbols that follow each other are those of their places; shape (n,), or (0,).
        """
        order = np.argsort(hashes, kind="stable")
        self.symbols, self.barred, self.places = symbols, barred, places
        self.hashes, self.starts = np.asarray(hashes)[order], np.asarray(starts)[order]
        self.length = symbols.shape[0]
        self.last_start = np.max(starts) if starts.shape[0] else NO_ANCHOR
        if any(n and n != self.length for n in (barred.shape[0], places.shape[0])) or hashes.shape[0] != starts.shape[0]:
            raise ValueError("arrays of symbols, or of anchors, differ in length")

    cdef inline bint bars(self, Py_ssize_t index) noexcept nogil:
        return self.barred.shape[0] and self.barred[index]


def tile(SymbolSequence a, SymbolSequence b, Py_ssize_t width, Py_ssize_t slack, bint repeats):
    """Return the tiles of two sequences, in order of a; shape (n, 4).

    The columns: where a tile begins in a and in b, its length, and the number of shared anchors of a in it.

    Args:
        a: A sequence.
        b: Another one.
        width: The symbols of an anchor, and the fewest of a tile.
        slack: The largest difference of two distances, if the sequences have places.
        repeats: Whatever of a is in no tile is then matched with what is already in one in b; any length counts.
    """
    cdef Matches matches = Matches(NULL, 0, 0), tiles = Matches(NULL, 0, 0), again = Matches(NULL, 0, 0)
    cdef uint8_t[::1] flags = np.zeros(2 * a.length + b.length + 1, np.uint8)
    cdef uint8_t* shared = &flags[0]
    cdef uint8_t* in_a = shared + a.length
    cdef uint8_t* in_b = in_a + a.length
    cdef bint done
    if a.last_start + width > a.length or b.last_start + width > b.length:
        raise ValueError("an anchor reaches beyond the last symbol")
    try:
        with nogil:
            done = find_matches(a, b, width, slack, &matches, shared)
            if done and repeats:
                done = copy(&matches, &again)
            done = done and choose(&matches, in_a, in_b, width, &tiles)
            if done and repeats:
                done = choose(&again, in_a, NULL, 1, &tiles)
            if done and tiles.count > 1:
                qsort(tiles.items, tiles.count, sizeof(Match), by_start)
        if not done:
            raise MemoryError
        return rows_of(&tiles, shared, width)
    finally:
        free(matches.items)
        free(tiles.items)
        free(again.items)


cdef object rows_of(const Matches* tiles, const uint8_t* shared, Py_ssize_t width):
    """Return tiles as rows, each with the number of shared anchors that lie in it."""
    cdef Py_ssize_t row, i
    cdef const Match* one
    result = np.zeros((tiles.count, 4), np.int64)
    cdef int64_t[:, ::1] rows = result
    for row in range(tiles.count):
        one = &tiles.items[row]
        rows[row, 0], rows[row, 1], rows[row, 2] = one.a, one.b, one.length
        for i in range(one.length - width + 1):
            rows[row, 3] += shared[one.a + i]
    return result


cdef int by_start(const void* one, const void* other) noexcept nogil:
    cdef const Match* x = <const Match*> one
    cdef const Match* y = <const Match*> other
    if x.a != y.a:
        return -1 if x.a < y.a else 1
    return -1 if x.b < y.b else x.b > y.b


cdef int by_diagonal(const void* one, const void* other) noexcept nogil:
    cdef const Match* x = <const Match*> one
    cdef const Match* y = <const Match*> other
    if x.a - x.b != y.a - y.b:
        return -1 if x.a - x.b < y.a - y.b else 1
    return -1 if x.a < y.a else x.a > y.a


cdef bint append(Matches* matches, int64_t a, int64_t b, int64_t length) noexcept nogil:
    """Append a match; return False if there is no memory."""
    cdef Py_ssize_t room
    cdef void* items
    if matches.count == matches.room:
        room = max(2 * matches.room, <Py_ssize_t> 64)
        items = realloc(matches.items, room * sizeof(Match))
        if items == NULL:
            return False
        matches.items, matches.room = <Match*> items, room
    matches.items[matches.count] = Match(a, b, length)
    matches.count += 1
    return True


cdef bint copy(const Matches* matches, Matches* result) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(matches.count):
        if not append(result, matches.items[i].a, matches.items[i].b, matches.items[i].length):
            return False
    return True


cdef bint find_matches(
    SymbolSequence a, SymbolSequence b, Py_ssize_t width, Py_ssize_t slack, Matches* matches, uint8_t* shared
) noexcept nogil:
    """Find all maximal matches that hold an anchor of both; return False if there is no memory.

    shared: receives 1 where an anchor of a begins whose hash b has, too.
    """
    cdef Py_ssize_t i, end, count = 0
    cdef Match anchor
    cdef Match* last = NULL
    if not pair_anchors(a, b, matches, shared):
        return False
    qsort(matches.items, matches.count, sizeof(Match), by_diagonal)
    for i in range(matches.count):  # anchors on one diagonal become matches, which take the places of anchors before
        anchor = matches.items[i]
        end = 0
        if last != NULL and last.a - last.b == anchor.a - anchor.b:
            end = last.a + last.length
        if end < anchor.a or (end == anchor.a and not (end and joined(a, b, anchor.a, anchor.b, slack))):
            last = &matches.items[count]
            count += 1
            last[0] = anchor
            extend_back(a, b, last, end, slack)
            last.length = anchor.a - last.a
        if last.a + last.length < anchor.a + width:
            last.length = anchor.a + width - last.a
            extend(a, b, last, slack)
    matches.count = count
    return True


cdef bint pair_anchors(SymbolSequence a, SymbolSequence b, Matches* matches, uint8_t* shared) noexcept nogil:
    """List the pairs of anchors with equal hashes; of hashes that occur too often, those of equal rank."""
    cdef Py_ssize_t i = 0, j = 0, i_end, j_end, n = a.hashes.shape[0], m = b.hashes.shape[0], x, y
    cdef uint64_t value
    while i < n and j < m:
        value = a.hashes[i]
        if value < b.hashes[j]:
            i += 1
            continue
        if value > b.hashes[j]:
            j += 1
            continue
        i_end, j_end = i + 1, j + 1
        while i_end < n and a.hashes[i_end] == value:
            i_end += 1
        while j_end < m and b.hashes[j_end] == value:
            j_end += 1
        for x in range(i, i_end):
            shared[a.starts[x]] = 1
        if (i_end - i) * (j_end - j) <= ALL_PAIRS:
            for x in range(i, i_end):
                for y in range(j, j_end):
                    if not append(matches, a.starts[x], b.starts[y], 0):
                        return False
        else:
            for x in range(max(i_end - i, j_end - j)):
                if not append(matches, a.starts[i + x % (i_end - i)], b.starts[j + x % (j_end - j)], 0):
                    return False
        i, j = i_end, j_end
    return True


cdef inline bint agree(SymbolSequence a, SymbolSequence b, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return a.symbols[i] == b.symbols[j] and not a.bars(i) and not b.bars(j)


cdef inline bint joined(SymbolSequence a, SymbolSequence b, Py_ssize_t i, Py_ssize_t j, Py_ssize_t slack) noexcept nogil:
    """Return True if symbols i and j are as far from those before them, give or take the slack."""
    if not a.places.shape[0]:
        return True
    return llabs((a.places[i] - a.places[i - 1]) - (b.places[j] - b.places[j - 1])) <= slack


cdef void extend_back(SymbolSequence a, SymbolSequence b, Match* match, Py_ssize_t first, Py_ssize_t slack) noexcept nogil:
    cdef Py_ssize_t i = match.a, j = match.b
    while i > first and j > 0 and agree(a, b, i - 1, j - 1) and joined(a, b, i, j, slack):
        i -= 1
        j -= 1
    match.a, match.b = i, j


cdef void extend(SymbolSequence a, SymbolSequence b, Match* match, Py_ssize_t slack) noexcept nogil:
    cdef Py_ssize_t i = match.a + match.length, j = match.b + match.length
    while i < a.length and j < b.length and agree(a, b, i, j) and joined(a, b, i, j, slack):
        i += 1
        j += 1
    match.length = i - match.a


cdef bint choose(Matches* heap, uint8_t* in_a, uint8_t* in_b, Py_ssize_t shortest, Matches* tiles) noexcept nogil:
    """Choose tiles, the longest match first, and take their symbols; of a match that is partly taken, free parts remain.

    in_b may be NULL: then symbols of b are taken any number of times. Return False if there is no memory.
    """
    cdef Py_ssize_t i, start, end
    cdef Match match
    for i in range(heap.count // 2 - 1, -1, -1):
        sift_down(heap, i)
    while heap.count:
        match = pop(heap)
        start = next_free(&match, 0, in_a, in_b)
        end = next_taken(&match, start, in_a, in_b)
        if start == 0 and end == match.length:
            if not append(tiles, match.a, match.b, match.length):
                return False
            memset(in_a + match.a, 1, match.length)
            if in_b != NULL:
                memset(in_b + match.b, 1, match.length)
            continue
        while start < match.length:
            if end - start >= shortest and not push(heap, match.a + start, match.b + start, end - start):
                return False
            start = next_free(&match, end, in_a, in_b)
            end = next_taken(&match, start, in_a, in_b)
    return True


cdef Py_ssize_t next_free(const Match* match, Py_ssize_t start, uint8_t* in_a, uint8_t* in_b) noexcept nogil:
    """Return the offset of the first symbol, from an offset on, that is not taken, or the length."""
    while start < match.length and (in_a[match.a + start] or (in_b != NULL and in_b[match.b + start])):
        start += 1
    return start


cdef Py_ssize_t next_taken(const Match* match, Py_ssize_t start, uint8_t* in_a, uint8_t* in_b) noexcept nogil:
    """Return the offset of the first symbol, from an offset on, that is taken, or the length."""
    cdef Py_ssize_t end = match.length
    cdef uint8_t* found
    if start < end:
        found = <uint8_t*> memchr(in_a + match.a + start, 1, end - start)
        if found != NULL:
            end = found - (in_a + match.a)
    if in_b != NULL and start < end:
        found = <uint8_t*> memchr(in_b + match.b + start, 1, end - start)
        if found != NULL:
            end = found - (in_b + match.b)
    return end


cdef inline bint is_before(const Match* x, const Match* y) noexcept nogil:
    """Return True if x is chosen before y: the longest first, then by position, equally in both sequences."""
    if x.length != y.length:
        return x.length > y.length
    if x.a + x.b != y.a + y.b:
        return x.a + x.b < y.a + y.b
    if llabs(x.a - x.b) != llabs(y.a - y.b):
        return llabs(x.a - x.b) < llabs(y.a - y.b)
    return x.a < y.a


cdef void sift_down(Matches* heap, Py_ssize_t index) noexcept nogil:
    cdef Py_ssize_t child
    cdef Match match = heap.items[index]
    while True:
        child = 2 * index + 1
        if child >= heap.count:
            break
        if child + 1 < heap.count and is_before(&heap.items[child + 1], &heap.items[child]):
            child += 1
        if not is_before(&heap.items[child], &match):
            break
        heap.items[index] = heap.items[child]
        index = child
    heap.items[index] = match


cdef Match pop(Matches* heap) noexcept nogil:
    cdef Match first = heap.items[0]
    heap.count -= 1
    if heap.count:
        heap.items[0] = heap.items[heap.count]
        sift_down(heap, 0)
    return first


cdef bint push(Matches* heap, int64_t a, int64_t b, int64_t length) noexcept nogil:
    cdef Py_ssize_t index = heap.count, parent
    if not append(heap, a, b, length):
        return False
    cdef Match match = heap.items[index]
    while index:
        parent = (index - 1) // 2
        if not is_before(&match, &heap.items[parent]):
            break
        heap.items[index] = heap.items[parent]
        index = parent
    heap.items[index] = match
    return True
