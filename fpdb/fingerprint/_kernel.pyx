# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that numpy does too slowly: folding characters, rolling hashes, winnowing, grouping and counting.

Arrays in, arrays out, the GIL released in every loop; it knows nothing of kinds, recipes or files.
Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003): 2.2 (rolling hash), Definitions 1 and 3, figure 5;
Ganguly, Veda, "A new randomized algorithm for Document Fingerprinting": III.C (COUNTSKETCH).
The formulas are written out in `hashing`.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove

import numpy as np

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    bint PyUnicode_IS_ASCII(object text)

cdef extern from *:
    int __builtin_ctzll(unsigned long long) nogil

ctypedef fused symbol_t:
    uint8_t
    uint32_t

ctypedef fused unit_t:
    uint8_t
    uint16_t
    uint32_t


# --- Folding -----------------------------------------------------------------------------------------------
# A page maps 256 code points. An entry is the one symbol of its code point, or 0 (no symbol), or EXPANDS | n:
# page[n] symbols follow at page[n + 1]. Pages are written once, under the GIL, and never change or go away.

cdef enum:
    PAGE_COUNT = 0x110000 >> 8
    EXPANDS = 0x80000000
    EXPANDS_MASK = 0x7FFFFFFF

# Why folding stopped: at the end, at a code point whose page is missing, at a symbol too wide for the
# output, for want of room in the output.
DONE, NO_PAGE, TOO_WIDE, NO_ROOM = range(4)

cdef const uint32_t* pages[PAGE_COUNT]
cdef list owners = [None] * PAGE_COUNT


def set_page(Py_ssize_t number, page):
    """Give the symbols of the code points 256 * number onwards (uint32, 256 entries, then expansions)."""
    cdef const uint32_t[::1] view = page
    if pages[number] == NULL:
        owners[number] = page
        pages[number] = &view[0]


cdef struct Progress:
    Py_ssize_t read
    Py_ssize_t written
    int stopped


cdef Progress fold_units(
    const unit_t* text, Py_ssize_t length, Progress at, symbol_t* out, Py_ssize_t room
) noexcept nogil:
    # Invariant: at.written + (length - at.read) <= room, so a code point with one symbol always fits.
    cdef Py_ssize_t i = at.read, j = at.written, n
    cdef uint32_t code, entry
    cdef const uint32_t* page
    cdef const uint32_t* expansion
    at.stopped = 0
    while i < length:
        code = text[i]
        page = pages[code >> 8]
        if page == NULL:
            at.stopped = 1
            break
        entry = page[code & 255]
        if entry < EXPANDS:
            if symbol_t is uint8_t:
                if entry > 255:
                    at.stopped = 2
                    break
            out[j] = <symbol_t>entry
            j += entry != 0
        else:
            expansion = page + (entry & EXPANDS_MASK)
            if j + expansion[0] + (length - i - 1) > room:
                at.stopped = 3
                break
            if symbol_t is uint8_t:
                for n in range(expansion[0]):
                    if expansion[n + 1] > 255:
                        at.stopped = 2
                if at.stopped:
                    break
            for n in range(expansion[0]):
                out[j] = <symbol_t>expansion[n + 1]
                j += 1
        i += 1
    at.read = i
    at.written = j
    return at


def fold(str text, Py_ssize_t read, symbol_t[::1] out, Py_ssize_t written):
    """Fold text[read:] into out[written:]; returns (read, written, why it stopped) to go on from there.

    `out` has room for at least one symbol more a character than is left of the text; TOO_WIDE is only
    returned for uint8 output, whose symbols must be < 256.
    """
    cdef Py_ssize_t length = len(text), room = out.shape[0]
    cdef Progress at = Progress(read, written, 0)
    cdef int width = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    if length == read:
        return read, written, DONE
    if room - written < length - read:
        return read, written, NO_ROOM
    with nogil:
        if width == 1:
            at = fold_units(<const uint8_t*>data, length, at, &out[0], room)
        elif width == 2:
            at = fold_units(<const uint16_t*>data, length, at, &out[0], room)
        else:
            at = fold_units(<const uint32_t*>data, length, at, &out[0], room)
    return at.read, at.written, at.stopped


cdef Py_ssize_t locate_units(const unit_t* text, Py_ssize_t length, int64_t* out) noexcept nogil:
    cdef Py_ssize_t i, j = 0, n
    cdef uint32_t code, entry
    for i in range(length):
        code = text[i]
        entry = pages[code >> 8][code & 255]
        if entry < EXPANDS:
            if entry:
                out[j] = i
                j += 1
        else:
            for n in range(pages[code >> 8][entry & EXPANDS_MASK]):
                out[j] = i
                j += 1
    return j


def locate(str text, Py_ssize_t count):
    """Character index in `text`, which `fold` has folded to `count` symbols, of each symbol (int64)."""
    offsets = np.empty(count, np.int64)
    cdef int64_t[::1] out = offsets
    cdef Py_ssize_t length = len(text)
    cdef int width = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    if count:
        with nogil:
            if width == 1:
                locate_units(<const uint8_t*>data, length, &out[0])
            elif width == 2:
                locate_units(<const uint16_t*>data, length, &out[0])
            else:
                locate_units(<const uint32_t*>data, length, &out[0])
    return offsets


cdef Progress fold_table(
    const uint8_t* text, Py_ssize_t length, const uint8_t[::1] table, uint8_t* out
) noexcept nogil:
    # Stops where no ASCII is; out has room for as many symbols.
    cdef Py_ssize_t i, j = 0
    cdef const uint8_t* map = &table[0]
    cdef uint8_t symbol, every = 0
    for i in range(length):
        symbol = map[text[i]]
        every |= text[i]
        out[j] = symbol
        j += symbol != 0
    return Progress(length, j, every >> 7)


def fold_ascii(const uint8_t[::1] text, const uint8_t[::1] table):
    """Symbols (uint8) of ASCII bytes by a table of 256 entries, 0 for a byte that has none."""
    cdef Py_ssize_t length = text.shape[0]
    cdef Progress at
    symbols = np.empty(length, np.uint8)
    if length == 0:
        return symbols
    cdef uint8_t[::1] view = symbols
    with nogil:
        at = fold_table(&text[0], length, table, &view[0])
    return symbols[:at.written]


def locate_ascii(const uint8_t[::1] text, const uint8_t[::1] table, Py_ssize_t count):
    """Index in `text` of each of the `count` symbols that `fold_ascii` makes of it (int64)."""
    offsets = np.empty(count, np.int64)
    cdef int64_t[::1] out = offsets
    cdef Py_ssize_t i, j = 0
    with nogil:
        for i in range(text.shape[0]):
            if table[text[i]]:
                out[j] = i
                j += 1
    return offsets


# --- Hashing -----------------------------------------------------------------------------------------------

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t finalise(uint64_t x, uint64_t multiplier) noexcept nogil:
    x = (x ^ (x >> 32)) * multiplier
    return x ^ (x >> 32)


cdef class Rolling:
    """The keyed rolling hash of k-grams: its constants, and tables for the symbols below 256."""

    cdef readonly Py_ssize_t k
    cdef uint64_t base, spread, multiplier, shifted
    cdef uint64_t incoming[256]
    cdef uint64_t outgoing[256]

    def __init__(self, Py_ssize_t k, uint64_t base, uint64_t spread, uint64_t multiplier):
        cdef Py_ssize_t i
        self.k = k
        self.base = base
        self.spread = spread
        self.multiplier = multiplier
        self.shifted = 1
        for i in range(k):
            self.shifted *= base
        for i in range(256):
            self.incoming[i] = mix(spread + <uint64_t>i * GOLDEN) * base
            self.outgoing[i] = self.incoming[i] * self.shifted


cdef inline uint64_t enter(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol > 255:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base
    return rolling.incoming[symbol]


cdef inline uint64_t leave(Rolling rolling, symbol_t symbol) noexcept nogil:
    if symbol_t is uint32_t:
        if symbol > 255:
            return mix(rolling.spread + symbol * GOLDEN) * rolling.base * rolling.shifted
    return rolling.outgoing[symbol]


cdef uint64_t roll(
    Rolling rolling, const symbol_t* symbols, Py_ssize_t first, Py_ssize_t count, uint64_t h, uint64_t* out
) noexcept nogil:
    # The hashes of the k-grams first .. first + count - 1 into out; h is the unfinalised hash of the k-gram
    # before, the last one's is returned. Two k-grams a turn, the second from h as well: multiplications wait
    # for one another half as often.
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


def hash_kgrams(const symbol_t[::1] symbols, Rolling rolling not None):
    """Hashes (uint64, the form that selection compares) of all k-grams, in order."""
    cdef Py_ssize_t count = symbols.shape[0] - rolling.k + 1
    hashes = np.empty(max(count, 0), np.uint64)
    cdef uint64_t[::1] out = hashes
    if count > 0:
        with nogil:
            roll(rolling, &symbols[0], 0, count, 0, &out[0])
    return hashes


def remix(const uint64_t[::1] hashes, uint64_t key):
    """The stored form of each hash: a second bijective mix, keyed (uint64)."""
    cdef Py_ssize_t i
    stored = np.empty(hashes.shape[0], np.uint64)
    cdef uint64_t[::1] out = stored
    with nogil:
        for i in range(hashes.shape[0]):
            out[i] = mix(hashes[i] + key)
    return stored


# --- Winnowing ---------------------------------------------------------------------------------------------
# Figure 5 of the paper without its circular buffer: hashes lie in a row, the last w - 1 of a chunk are moved
# in front of the next. Where the paper scans the whole window again, which takes O(w) a step on ascending
# hashes, the scan here leaves behind the minima of the window's ends (`ends`), which serve the following
# steps: each hash is looked at three times at most, whatever the input.

cdef struct Winnower:
    Py_ssize_t w
    bint robust
    Py_ssize_t right  # the next window's last hash; this and other indices count from the buffer's start
    Py_ssize_t at  # the hash that the last window selected
    uint64_t least  # and its value
    Py_ssize_t base  # position in the document of the buffer's start
    Py_ssize_t* ends  # minima of the scanned window's ends: the shortest end first, the current one last
    Py_ssize_t depth  # how many of them are left
    Py_ssize_t seen  # where hashes begin that neither that scan nor `newer` has looked at
    Py_ssize_t newer  # rightmost minimum of those between that scan and `seen`, or -1
    uint64_t* hashes
    uint32_t* positions
    Py_ssize_t count
    Py_ssize_t room


cdef Py_ssize_t scan(Winnower* self, const uint64_t* h) noexcept nogil:
    """The rightmost minimum of the window that ends at self.right, whose former minimum has just left it."""
    cdef Py_ssize_t right = self.right, i
    cdef uint64_t least
    if self.depth > 1:
        self.depth -= 1
        i = self.ends[self.depth - 1]
        if self.newer < 0:
            self.newer = self.seen
        least = h[self.newer]
        while self.seen <= right:
            if h[self.seen] <= least:
                least = h[self.seen]
                self.newer = self.seen
            self.seen += 1
        if least > h[i]:
            return i
        self.depth = 0
        return self.newer
    least = h[right]
    self.ends[0] = right
    self.depth = 1
    for i in range(right - 1, right - self.w, -1):
        if h[i] < least:
            least = h[i]
            self.ends[self.depth] = i
            self.depth += 1
    self.seen = right + 1
    self.newer = -1
    return self.ends[self.depth - 1]


cdef int winnow_chunk(Winnower* self, const uint64_t* h, Py_ssize_t end) noexcept nogil:
    """Select from the windows that end at self.right .. end - 1; returns -1 when memory runs out."""
    cdef Py_ssize_t right = self.right, at = self.at, limit, room
    cdef uint64_t least = self.least
    cdef void* grown
    room = self.count + max(end - right, 0)
    if room > self.room:
        room += room >> 1
        grown = realloc(self.hashes, room * sizeof(uint64_t))
        if grown == NULL:
            return -1
        self.hashes = <uint64_t*>grown
        grown = realloc(self.positions, room * sizeof(uint32_t))
        if grown == NULL:
            return -1
        self.positions = <uint32_t*>grown
        self.room = room
    while right < end:
        limit = min(at + self.w, end)
        if self.robust:
            while right < limit and h[right] >= least:
                right += 1
        else:
            while right < limit and h[right] > least:
                right += 1
        if right < limit:  # a new minimum has come in
            at = right
            self.depth = 0
        elif right < end:  # the minimum has left
            self.right = right
            at = scan(self, h)
        else:
            break
        least = h[at]
        self.hashes[self.count] = least
        self.positions[self.count] = <uint32_t>(self.base + at)
        self.count += 1
        right += 1
    self.right = right
    self.at = at
    self.least = least
    return 0


cdef void move_start(Winnower* self, Py_ssize_t by) noexcept nogil:
    """Count indices from a buffer that starts `by` hashes later."""
    cdef Py_ssize_t i
    self.base += by
    self.right -= by
    self.at -= by
    self.seen -= by
    if self.newer >= 0:
        self.newer -= by
    for i in range(self.depth):
        self.ends[i] -= by


cdef void begin(Winnower* self, Py_ssize_t w) noexcept nogil:
    """A new document, whose selection follows what is there; w is no more than it was at the start."""
    self.w = w
    self.right = w - 1
    self.at = -1
    self.least = 0
    self.base = self.depth = self.seen = 0
    self.newer = -1


cdef int start(Winnower* self, Py_ssize_t w, bint robust) except -1:
    self.robust = robust
    self.count = self.room = 0
    begin(self, w)
    self.hashes = NULL
    self.positions = NULL
    self.ends = <Py_ssize_t*>malloc(w * sizeof(Py_ssize_t))
    if self.ends == NULL:
        raise MemoryError
    return 0


cdef finish(Winnower* self, int failed):
    try:
        if failed:
            raise MemoryError
        positions = np.empty(self.count, np.uint32)
        hashes = np.empty(self.count, np.uint64)
        copy_out(self, positions, hashes)
        return positions, hashes
    finally:
        free(self.ends)
        free(self.hashes)
        free(self.positions)


cdef copy_out(Winnower* self, uint32_t[::1] positions, uint64_t[::1] hashes):
    if self.count:
        memcpy(&positions[0], self.positions, self.count * sizeof(uint32_t))
        memcpy(&hashes[0], self.hashes, self.count * sizeof(uint64_t))


cdef int winnow_all(
    Winnower* self, const symbol_t* symbols, Py_ssize_t count, Rolling rolling, uint64_t* buffer, Py_ssize_t chunk
) noexcept nogil:
    """Select from `count` k-grams; buffer: room for w hashes more than a chunk. Returns -1 when memory runs out."""
    cdef Py_ssize_t done = 0, held = 0, step, surplus
    cdef uint64_t h = 0
    while done < count:
        step = min(chunk, count - done)
        h = roll(rolling, symbols, done, step, h, buffer + held)
        done += step
        held += step
        if winnow_chunk(self, buffer, held):
            return -1
        surplus = held - (self.w - 1)
        if surplus > 0:
            memmove(buffer, buffer + surplus, (self.w - 1) * sizeof(uint64_t))
            move_start(self, surplus)
            held = self.w - 1
    return 0


def winnow_hashes(const uint64_t[::1] hashes, Py_ssize_t w, bint robust, Py_ssize_t chunk=2048):
    """Positions (uint32) and hashes (uint64) that Definition 1, or 3 if robust, selects; w >= 1.

    Fewer than w hashes are one window.
    """
    cdef Winnower state
    cdef Py_ssize_t count = hashes.shape[0], end = 0
    cdef int failed = 0
    if count == 0:
        return np.empty(0, np.uint32), np.empty(0, np.uint64)
    start(&state, min(w, count), robust)
    with nogil:
        while end < count and not failed:
            end = min(end + chunk, count)
            failed = winnow_chunk(&state, &hashes[0], end)
    return finish(&state, failed)


def winnow_symbols(
    const symbol_t[::1] symbols, Rolling rolling not None, Py_ssize_t w, bint robust, Py_ssize_t chunk=2048
):
    """The same for the hashes of the symbols' k-grams, of which only a window and a chunk are ever held."""
    cdef Winnower state
    cdef Py_ssize_t count = symbols.shape[0] - rolling.k + 1
    cdef uint64_t* buffer
    cdef int failed = 0
    if count <= 0:
        return np.empty(0, np.uint32), np.empty(0, np.uint64)
    w = min(w, count)
    chunk = min(max(chunk, w), count)
    start(&state, w, robust)
    buffer = <uint64_t*>malloc((chunk + w) * sizeof(uint64_t))
    if buffer == NULL:
        return finish(&state, 1)
    with nogil:
        failed = winnow_all(&state, &symbols[0], count, rolling, buffer, chunk)
    free(buffer)
    return finish(&state, failed)


def winnow_texts(
    list texts, const uint8_t[::1] table, Rolling rolling not None, Py_ssize_t w, bint robust, uint64_t key,
    Py_ssize_t chunk=2048,
):
    """What `fold` or `fold_ascii`, `winnow_symbols` and `remix` make of many texts, in one call.

    Returns positions (uint32) and hashes (uint64, in stored form) of all texts, one after the other; and for each the
    number of its symbols and of its fingerprints, (n, 2) int64. A text that this cannot read has -1 symbols and no
    fingerprints: bytes beyond ASCII, symbols from 256 on, or a page that `set_page` has not set yet.
    """
    cdef Winnower state
    cdef Py_ssize_t i, length, count, before, room = 0, j
    cdef int failed = 0, width
    cdef uint8_t* symbols = NULL
    cdef void* grown
    cdef void* data
    cdef uint64_t* buffer
    cdef Progress at
    numbers = np.empty((len(texts), 2), np.int64)
    cdef int64_t[:, ::1] out = numbers
    chunk = max(chunk, w)
    start(&state, w, robust)
    buffer = <uint64_t*>malloc((chunk + w) * sizeof(uint64_t))
    failed = buffer == NULL
    for i in range(len(texts)):
        if failed:
            break
        text = texts[i]
        length = len(text)
        if isinstance(text, bytes):
            data, width = <void*><char*>text, 0
        else:
            data = PyUnicode_DATA(text)
            width = 0 if PyUnicode_IS_ASCII(text) else PyUnicode_KIND(text)
        if length > room:
            room = length + (length >> 1)
            grown = realloc(symbols, room)
            if grown == NULL:
                failed = 1
                break
            symbols = <uint8_t*>grown
        before = state.count
        with nogil:
            at = Progress(0, 0, 0)
            if width == 0:
                at = fold_table(<const uint8_t*>data, length, table, symbols)
            elif width == 1:
                at = fold_units(<const uint8_t*>data, length, at, symbols, room)
            elif width == 2:
                at = fold_units(<const uint16_t*>data, length, at, symbols, room)
            else:
                at = fold_units(<const uint32_t*>data, length, at, symbols, room)
            out[i, 0] = -1 if at.stopped else at.written
            count = at.written - rolling.k + 1
            if not at.stopped and count > 0:
                begin(&state, min(w, count))
                failed = winnow_all(&state, symbols, count, rolling, buffer, chunk)
                for j in range(before, state.count):
                    state.hashes[j] = mix(state.hashes[j] + key)
            out[i, 1] = state.count - before
    free(symbols)
    free(buffer)
    return *finish(&state, failed), numbers


# --- Grouping and counting ---------------------------------------------------------------------------------

cdef uint32_t NOWHERE = 0xFFFFFFFF


cdef void find_firsts(
    const uint64_t* h, Py_ssize_t count, uint32_t* out, uint32_t* table, int shift, uint64_t mask
) noexcept nogil:
    # Open addressing: a slot holds the position of the first hash that came to it; at most half are taken.
    cdef Py_ssize_t i
    cdef uint64_t slot
    cdef uint32_t held
    for i in range(count):
        slot = (h[i] * GOLDEN) >> shift
        held = table[slot]
        while held != NOWHERE and h[held] != h[i]:
            slot = (slot + 1) & mask
            held = table[slot]
        if held == NOWHERE:
            table[slot] = held = <uint32_t>i
        out[i] = held


def first_occurrences(const uint64_t[::1] hashes):
    """For each hash the position of the first one that equals it (uint32); fewer than 2^32 - 1 hashes."""
    cdef Py_ssize_t count = hashes.shape[0]
    cdef int bits = 1
    firsts = np.empty(count, np.uint32)
    if count == 0:
        return firsts
    while (<Py_ssize_t>1 << bits) < 2 * count:
        bits += 1
    table = np.full(<Py_ssize_t>1 << bits, NOWHERE, np.uint32)
    cdef uint32_t[::1] out = firsts
    cdef uint32_t[::1] slots = table
    with nogil:
        find_firsts(&hashes[0], count, &out[0], &slots[0], 64 - bits, (<uint64_t>1 << bits) - 1)
    return firsts


def trailing_zeros(const uint64_t[::1] numbers):
    """How many zeros each number ends with (uint8); 64 for 0."""
    cdef Py_ssize_t i
    cdef uint64_t x
    zeros = np.empty(numbers.shape[0], np.uint8)
    cdef uint8_t[::1] out = zeros
    with nogil:
        for i in range(numbers.shape[0]):
            x = numbers[i]
            out[i] = __builtin_ctzll(x) if x else 64
    return zeros


cdef inline uint64_t scatter(uint64_t h, uint64_t key, Py_ssize_t row) noexcept nogil:
    return mix(h + key + <uint64_t>(row + 1) * GOLDEN)


def count_sketch(const uint64_t[::1] hashes, Py_ssize_t rows, int bits, uint64_t key):
    """COUNTSKETCH of a stream of hashes: (rows, 2^bits) int64; Ganguly and Veda, III.C; 1 <= bits <= 32.

    In each row a hash has a bucket, the top `bits` bits of a keyed mix of it, and a sign, by that mix's lowest bit.
    """
    cdef Py_ssize_t i, row
    cdef uint64_t x
    sketch = np.zeros((rows, <Py_ssize_t>1 << bits), np.int64)
    cdef int64_t[:, ::1] out = sketch
    with nogil:
        for row in range(rows):
            for i in range(hashes.shape[0]):
                x = scatter(hashes[i], key, row)
                out[row, x >> (64 - bits)] += 1 - 2 * <int64_t>(x & 1)
    return sketch


def estimate_counts(const uint64_t[::1] hashes, const int64_t[:, ::1] sketch, int bits, uint64_t key):
    """How often each hash was in the stream, by its sketch: the median of the rows' estimates (int64).

    The number of rows is odd, at most 64.
    """
    cdef Py_ssize_t i, j, row, rows = sketch.shape[0]
    cdef uint64_t x
    cdef int64_t value
    cdef int64_t[64] ordered
    counts = np.empty(hashes.shape[0], np.int64)
    cdef int64_t[::1] out = counts
    with nogil:
        for i in range(hashes.shape[0]):
            for row in range(rows):
                x = scatter(hashes[i], key, row)
                value = sketch[row, x >> (64 - bits)] * (1 - 2 * <int64_t>(x & 1))
                j = row
                while j > 0 and ordered[j - 1] > value:
                    ordered[j] = ordered[j - 1]
                    j -= 1
                ordered[j] = value
            out[i] = ordered[rows >> 1]
    return counts
