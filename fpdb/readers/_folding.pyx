# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fold characters to symbols, and locate the character of each symbol.

The loops release the GIL. `folding` defines the symbols of a code point and fills the table of pages.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

import numpy as np

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    bint PyUnicode_IS_ASCII(object text)

ctypedef fused unit_t:
    uint8_t
    uint16_t
    uint32_t

# A page maps 256 code points. An entry is the symbol of its code point, 0 (no symbol), or EXPANDS | n:
# page[n] symbols follow at page[n + 1]. A page is written once, under the GIL, and never changes or moves.
cdef enum:
    PAGE_COUNT = 0x110000 >> 8
    VERSIONS = 3  # of the readers, from 1 on
    EXPANDS = 0x80000000
    EXPANDS_MASK = 0x7FFFFFFF

# Why folding stopped: the end of the text, a code point without a page, a symbol too wide for the output, a full output.
DONE, NO_PAGE, TOO_WIDE, NO_ROOM = range(4)

cdef const uint32_t* all_pages[VERSIONS][PAGE_COUNT]
cdef list owners = []


def set_page(int version, Py_ssize_t number, page):
    """Set the symbols of 256 code points from 256 * number on: uint32, 256 entries, then the expansions."""
    cdef const uint32_t[::1] entries = page
    if all_pages[version][number] == NULL:
        owners.append(page)
        all_pages[version][number] = &entries[0]


cdef Text view_text(object text, int version):
    """Return the code points of a string, or the bytes of ASCII bytes; valid as long as the object lives."""
    cdef const uint32_t** pages = all_pages[version]
    if isinstance(text, bytes):
        return Text(<char*>text, pages, len(text), 0)
    return Text(PyUnicode_DATA(text), pages, len(text), 0 if PyUnicode_IS_ASCII(text) else PyUnicode_KIND(text))


cdef Progress fold_units(
    const unit_t* text, const uint32_t** pages, Py_ssize_t length, Progress progress, symbol_t* out, Py_ssize_t room
) noexcept nogil:
    # Invariant: progress.written + (length - progress.read) <= room, so a code point with one symbol always fits.
    cdef Py_ssize_t i = progress.read, j = progress.written, n
    cdef uint32_t code, entry
    cdef const uint32_t* page
    cdef const uint32_t* expansion
    progress.reason = 0
    while i < length:
        code = text[i]
        page = pages[code >> 8]
        if page == NULL:
            progress.reason = 1
            break
        entry = page[code & 255]
        if entry < EXPANDS:
            if symbol_t is uint8_t:
                if entry > 255:
                    progress.reason = 2
                    break
            out[j] = <symbol_t>entry
            j += entry != 0
        else:
            expansion = page + (entry & EXPANDS_MASK)
            if j + expansion[0] + (length - i - 1) > room:
                progress.reason = 3
                break
            if symbol_t is uint8_t:
                for n in range(expansion[0]):
                    if expansion[n + 1] > 255:
                        progress.reason = 2
                if progress.reason:
                    break
            for n in range(expansion[0]):
                out[j] = <symbol_t>expansion[n + 1]
                j += 1
        i += 1
    progress.read = i
    progress.written = j
    return progress


cdef Progress fold_text(Text text, Progress progress, symbol_t* out, Py_ssize_t room) noexcept nogil:
    """Fold text from progress.read on into out from progress.written on."""
    if room - progress.written < text.length - progress.read:
        progress.reason = 3
        return progress
    if text.width < 2:
        return fold_units(<const uint8_t*>text.units, text.pages, text.length, progress, out, room)
    if text.width == 2:
        return fold_units(<const uint16_t*>text.units, text.pages, text.length, progress, out, room)
    return fold_units(<const uint32_t*>text.units, text.pages, text.length, progress, out, room)


def fold(str text, int version, Py_ssize_t read, symbol_t[::1] out, Py_ssize_t written):
    """Fold text[read:] into out[written:], which has room for at least one symbol per character left, and one more.

    Returns the numbers read and written, and why folding stopped; TOO_WIDE only for uint8 output.
    """
    cdef Text units = view_text(text, version)
    cdef Progress progress = Progress(read, written, 0)
    if units.length == read:
        return read, written, DONE
    with nogil:
        progress = fold_text(units, progress, &out[0], out.shape[0])
    return progress.read, progress.written, progress.reason


cdef void locate_units(const unit_t* text, const uint32_t** pages, Py_ssize_t length, int64_t* out) noexcept nogil:
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


def locate(str text, int version, Py_ssize_t count):
    """Return the character index (int64) of each of the `count` symbols that `fold` made of a whole text."""
    offsets = np.empty(count, np.int64)
    cdef int64_t[::1] out = offsets
    cdef Text units = view_text(text, version)
    if count:
        with nogil:
            if units.width < 2:
                locate_units(<const uint8_t*>units.units, units.pages, units.length, &out[0])
            elif units.width == 2:
                locate_units(<const uint16_t*>units.units, units.pages, units.length, &out[0])
            else:
                locate_units(<const uint32_t*>units.units, units.pages, units.length, &out[0])
    return offsets


def fold_ascii(const uint8_t[::1] text, const uint8_t[::1] table):
    """Return the symbols (uint8) of ASCII bytes by a table of 256 entries, 0 for a byte without symbol."""
    symbols = np.empty(text.shape[0], np.uint8)
    cdef uint8_t[::1] out = symbols
    cdef Progress progress
    with nogil:
        progress = fold_table(Text(&text[0], NULL, text.shape[0], 0), &table[0], &out[0])
    return symbols[:progress.written]


def locate_ascii(const uint8_t[::1] text, const uint8_t[::1] table, Py_ssize_t count):
    """Return the index in `text` (int64) of each of the `count` symbols that `fold_ascii` made of it."""
    offsets = np.empty(count, np.int64)
    cdef int64_t[::1] out = offsets
    cdef Py_ssize_t i, j = 0
    with nogil:
        for i in range(text.shape[0]):
            if table[text[i]]:
                out[j] = i
                j += 1
    return offsets
