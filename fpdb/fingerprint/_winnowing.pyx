# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Select the minimum hash of each window (winnowing), of an array of hashes, of symbols, or of many short texts.

Source: Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003), Definitions 1 and 3, and figure 5 without its circular
buffer: hashes lie in a row, and the last w - 1 of a chunk are moved in front of the next chunk. Where the paper scans
the whole window again, which takes O(w) a step on ascending hashes, the scan here records the minima of all suffixes
of the window, which serve the following steps: each hash is read three times at most. The loops release the GIL.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove

from fpdb.fingerprint._hashing cimport Rolling, roll
from fpdb.fingerprint._mix cimport mix
from fpdb.readers._folding cimport Progress, Text, fold_table, fold_text, symbol_t, view_text

import numpy as np

cdef enum:
    CHUNK = 2048

# Indices count from the start of the buffer of hashes.
cdef struct Winnower:
    Py_ssize_t window  # the window asked for, in hashes
    Py_ssize_t w  # the same, but at most the number of hashes
    bint robust
    Py_ssize_t right  # last hash of the next window
    Py_ssize_t selected  # hash that the last window selected
    uint64_t minimum  # its value
    Py_ssize_t base  # position in the document of the buffer's start
    Py_ssize_t* suffix_minima  # minima of the scanned window's suffixes: that of the shortest first, the current one last
    Py_ssize_t depth  # number of suffix minima that are left
    Py_ssize_t unseen  # first hash that neither the scan nor `newer_minimum` covers
    Py_ssize_t newer_minimum  # rightmost minimum of the hashes between the scanned window and `unseen`, or -1
    uint64_t* hashes  # selected so far
    uint32_t* positions
    Py_ssize_t count
    Py_ssize_t room
    uint64_t* buffer  # hashes of the k-grams of a chunk and of the window before it, for `winnow_stream`
    Py_ssize_t chunk


cdef Py_ssize_t scan(Winnower* self, const uint64_t* h) noexcept nogil:
    """Return the rightmost minimum of the window that ends at self.right, whose former minimum has just left it."""
    cdef Py_ssize_t right = self.right, i
    cdef uint64_t minimum
    if self.depth > 1:
        self.depth -= 1
        i = self.suffix_minima[self.depth - 1]
        if self.newer_minimum < 0:
            self.newer_minimum = self.unseen
        minimum = h[self.newer_minimum]
        while self.unseen <= right:
            if h[self.unseen] <= minimum:
                minimum = h[self.unseen]
                self.newer_minimum = self.unseen
            self.unseen += 1
        if minimum > h[i]:
            return i
        self.depth = 0
        return self.newer_minimum
    minimum = h[right]
    self.suffix_minima[0] = right
    self.depth = 1
    for i in range(right - 1, right - self.w, -1):
        if h[i] < minimum:
            minimum = h[i]
            self.suffix_minima[self.depth] = i
            self.depth += 1
    self.unseen = right + 1
    self.newer_minimum = -1
    return self.suffix_minima[self.depth - 1]


cdef int reserve(Winnower* self, Py_ssize_t more) noexcept nogil:
    """Make room for more selected hashes; return -1 when memory runs out."""
    cdef Py_ssize_t room = self.count + more
    cdef void* grown
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
    return 0


cdef int winnow_chunk(Winnower* self, const uint64_t* h, Py_ssize_t stop) noexcept nogil:
    """Select from the windows that end at self.right .. stop - 1; return -1 when memory runs out."""
    cdef Py_ssize_t right = self.right, selected = self.selected, limit
    cdef uint64_t minimum = self.minimum
    if reserve(self, max(stop - right, 0)):
        return -1
    while right < stop:
        limit = min(selected + self.w, stop)
        if self.robust:
            while right < limit and h[right] >= minimum:
                right += 1
        else:
            while right < limit and h[right] > minimum:
                right += 1
        if right < limit:  # a new minimum has entered
            selected = right
            self.depth = 0
        elif right < stop:  # the minimum has left
            self.right = right
            selected = scan(self, h)
        else:
            break
        minimum = h[selected]
        self.hashes[self.count] = minimum
        self.positions[self.count] = <uint32_t>(self.base + selected)
        self.count += 1
        right += 1
    self.right = right
    self.selected = selected
    self.minimum = minimum
    return 0


cdef void move_start(Winnower* self, Py_ssize_t distance) noexcept nogil:
    """Count indices from a buffer that starts `distance` hashes later."""
    cdef Py_ssize_t i
    self.base += distance
    self.right -= distance
    self.selected -= distance
    self.unseen -= distance
    if self.newer_minimum >= 0:
        self.newer_minimum -= distance
    for i in range(self.depth):
        self.suffix_minima[i] -= distance


cdef void begin(Winnower* self, Py_ssize_t count) noexcept nogil:
    """Begin a document of `count` hashes, whose selection is appended."""
    self.w = min(self.window, count)
    self.right = self.w - 1
    self.selected = -1
    self.minimum = 0
    self.base = self.depth = self.unseen = 0
    self.newer_minimum = -1


cdef int start(Winnower* self, Py_ssize_t window, bint robust, Py_ssize_t chunk) except -1:
    """Begin a selection; chunk: k-grams to hash at a time, 0 if the hashes exist already. Ends with `finish`."""
    self.window = window
    self.robust = robust
    self.chunk = chunk
    self.count = self.room = 0
    begin(self, window)
    self.hashes = NULL
    self.positions = NULL
    self.suffix_minima = <Py_ssize_t*>malloc((window + 1) * sizeof(Py_ssize_t))
    self.buffer = <uint64_t*>malloc((chunk + window) * sizeof(uint64_t)) if chunk else NULL
    if self.suffix_minima == NULL or (chunk and self.buffer == NULL):
        finish(self, -1)
    return 0


cdef finish(Winnower* self, int failed):
    """Return the positions (uint32) and hashes (uint64) selected, and free all memory; MemoryError if failed."""
    cdef uint32_t[::1] positions
    cdef uint64_t[::1] hashes
    try:
        if failed:
            raise MemoryError
        selected = np.empty(self.count, np.uint32), np.empty(self.count, np.uint64)
        if self.count:
            positions, hashes = selected
            memcpy(&positions[0], self.positions, self.count * sizeof(uint32_t))
            memcpy(&hashes[0], self.hashes, self.count * sizeof(uint64_t))
        return selected
    finally:
        free(self.suffix_minima)
        free(self.buffer)
        free(self.hashes)
        free(self.positions)


cdef int winnow_stream(
    Winnower* self, const symbol_t* symbols, Py_ssize_t count, Rolling rolling
) noexcept nogil:
    """Select from `count` k-grams, hashed a chunk at a time; return -1 when memory runs out."""
    cdef Py_ssize_t done = 0, filled = 0, step, surplus
    cdef uint64_t h = 0
    while done < count:
        step = min(self.chunk, count - done)
        h = roll(rolling, symbols, done, step, h, self.buffer + filled)
        done += step
        filled += step
        if winnow_chunk(self, self.buffer, filled):
            return -1
        surplus = filled - (self.w - 1)
        if surplus > 0:
            memmove(self.buffer, self.buffer + surplus, (self.w - 1) * sizeof(uint64_t))
            move_start(self, surplus)
            filled = self.w - 1
    return 0


def winnow_hashes(const uint64_t[::1] hashes, Py_ssize_t w, bint robust, Py_ssize_t chunk=CHUNK):
    """Return the positions (uint32) and hashes (uint64) that Definition 1 selects, or 3 if robust; w >= 1.

    Fewer than w hashes are one window.
    """
    cdef Winnower state
    cdef Py_ssize_t count = hashes.shape[0], stop = 0
    cdef int failed = 0
    start(&state, min(w, count), robust, 0)
    with nogil:
        while stop < count and not failed:
            stop = min(stop + chunk, count)
            failed = winnow_chunk(&state, &hashes[0], stop)
    return finish(&state, failed)


def winnow_symbols(
    const symbol_t[::1] symbols, Rolling rolling not None, Py_ssize_t w, bint robust, Py_ssize_t chunk=CHUNK
):
    """Return what `winnow_hashes` selects from the symbols' k-grams, holding only a window and a chunk of hashes."""
    cdef Winnower state
    cdef Py_ssize_t count = max(symbols.shape[0] - rolling.k + 1, 0)
    cdef int failed
    w = min(w, count)
    start(&state, w, robust, min(max(chunk, w), count))
    with nogil:
        failed = winnow_stream(&state, &symbols[0], count, rolling)
    return finish(&state, failed)


cdef struct SymbolBuffer:
    uint8_t* symbols
    Py_ssize_t room


cdef int winnow_text(
    Winnower* self, Text text, const uint8_t[::1] table, SymbolBuffer* buffer, Rolling rolling, int64_t* counts
) noexcept nogil:
    """Fold and winnow one text, and count its symbols and fingerprints; return -1 when memory runs out."""
    cdef Py_ssize_t before = self.count, count
    cdef Progress progress = Progress(0, 0, 0)
    cdef void* grown
    if text.length > buffer.room:
        buffer.room = text.length + (text.length >> 1)
        grown = realloc(buffer.symbols, buffer.room)
        if grown == NULL:
            return -1
        buffer.symbols = <uint8_t*>grown
    if text.width == 0:
        progress = fold_table(text, &table[0], buffer.symbols)
    else:
        progress = fold_text(text, progress, buffer.symbols, buffer.room)
    counts[0] = -1 if progress.reason else progress.written
    count = progress.written - rolling.k + 1
    if not progress.reason and count > 0:
        begin(self, count)
        if winnow_stream(self, buffer.symbols, count, rolling):
            return -1
    counts[1] = self.count - before
    return 0


def winnow_texts(
    list texts, int version, const uint8_t[::1] table, Rolling rolling not None, Py_ssize_t w, bint robust, uint64_t key
):
    """Return what folding, `winnow_symbols` and `remix` make of many texts, in one call.

    Positions (uint32) and stored hashes (uint64) of all texts in order; and for each text its numbers of symbols and of
    fingerprints, (n, 2) int64. A text has -1 symbols and no fingerprints if it has bytes beyond ASCII, symbols from 256
    on, or a code point whose page is not set. version: of the readers. table: symbols of ASCII bytes, as for `fold_ascii`.
    """
    cdef Winnower state
    cdef SymbolBuffer buffer = SymbolBuffer(NULL, 0)
    cdef Text text
    cdef Py_ssize_t i
    cdef int failed = 0
    counts = np.empty((len(texts), 2), np.int64)
    cdef int64_t[:, ::1] out = counts
    start(&state, w, robust, max(CHUNK, w))
    for i in range(len(texts)):
        text = view_text(texts[i], version)
        with nogil:
            failed = winnow_text(&state, text, table, &buffer, rolling, &out[i, 0])
        if failed:
            break
    free(buffer.symbols)
    for i in range(state.count):
        state.hashes[i] = mix(state.hashes[i] + key)
    return *finish(&state, failed), counts
