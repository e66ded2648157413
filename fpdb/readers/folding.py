"""The alphabets of text: letters and digits of any script, folded so that all spellings of a text agree.

The symbols of a code point are the letters and digits (`str.isalnum`; marks are none) of its compatibility
decomposition (NFKD), case folded and decomposed again. Each code point is folded by itself, so NFC and NFD spellings of
a text give equal symbols, and full-width forms, ligatures and accents match plain letters. The Unicode data are those
of Python, whose new versions only add characters.

"characters" are all symbols. "consonants" are the letters except a, e, i, o and u: "all but non-vowel characters" of
Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), section 5. So y is one, é is not, and neither are digits,
which converters garble like punctuation. Letters of other scripts stay, whatever their sound.
"""

import sys
import threading
import unicodedata
from functools import partial

import numpy as np

from fpdb import limits
from fpdb.arrays import I64, U32, Bools
from fpdb.errors import Unreadable
from fpdb.limits import MAX_LETTERS_PER_CHARACTER
from fpdb.readers import _fold
from fpdb.readers.symbols import Locate, Symbols, Values

EXPANDS = 0x80000000
"""Marks an entry of a page whose code point has several symbols; see `_fold`."""
SLACK = 64
"""Room for the longest expansion of a character: 18 symbols, before marks and spaces are dropped."""

ALPHABETS = ("characters", "consonants")
VOWELS = "aeiou"

_page_lock = threading.Lock()


def fold_character(character: str) -> str:
    """Return the symbols of one character, as a string of none, one or several."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(filter(str.isalnum, folded))


def is_consonant(symbol: str) -> bool:
    """Return True if a folded character belongs to the alphabet "consonants"."""
    return symbol.isalpha() and symbol not in VOWELS


ASCII_TABLE = bytes(ord(fold_character(chr(code)) or "\0") for code in range(128)) + bytes(128)
ASCII_CONSONANTS = bytes(symbol if is_consonant(chr(symbol)) else 0 for symbol in ASCII_TABLE)


def fold(text: str | bytes, note: str = "", alphabet: str = "characters") -> Symbols:
    """Return the symbols of a text, ASCII if given as bytes; their offsets are indices into it.

    Raises Unreadable if its characters stand for so many letters that these take too much memory.
    """
    if isinstance(text, str) and text.isascii():
        text = text.encode("ascii")
    if isinstance(text, bytes):
        table = ASCII_CONSONANTS if alphabet == "consonants" else ASCII_TABLE
        values: Values = _fold.fold_ascii(text, table)
        return Symbols(values, partial(_fold.locate_ascii, text, table, len(values)), note, text)
    folded = _fold_text(text)
    locate = partial(_fold.locate, text, len(folded))
    if alphabet != "consonants":
        return Symbols(folded, locate, note, text)
    is_kept = _find_consonants(folded)
    values = folded[is_kept]
    if values.dtype == np.uint32 and (not len(values) or values.max() < 256):
        values = values.astype(np.uint8)
    return Symbols(values, partial(_locate_kept, locate, is_kept), note, text)


def _locate_kept(locate: Locate, is_kept: Bools) -> I64:
    return locate()[is_kept]


def _find_consonants(folded: Values) -> Bools:
    """Return (n,) bool, True for consonants; fills pages of `_consonants` when first needed."""
    if len(folded):
        for page in np.flatnonzero(np.bincount(folded >> 8)).tolist():
            if page not in _consonant_pages:
                codes = range(256 * page, 256 * page + 256)
                _consonants[codes.start : codes.stop] = [is_consonant(chr(code)) for code in codes]
                _consonant_pages.add(page)
    return _consonants[folded]


_consonants = np.zeros(sys.maxunicode + 1, bool)
_consonant_pages: set[int] = set()


def _fold_text(text: str) -> Values:
    """Fold to bytes as long as these hold every symbol; fills pages of the kernel when first needed."""
    out: Values = np.empty(len(text) + SLACK, np.uint8)
    read = written = 0
    while True:
        read, written, reason = _fold.fold(text, read, out, written)
        if reason == _fold.DONE:
            return out[:written]
        if reason == _fold.NO_PAGE:
            number = ord(text[read]) >> 8
            with _page_lock:
                _fold.set_page(number, make_page(number))
            continue
        room = len(out) if reason == _fold.TOO_WIDE else len(out) * 3 // 2 + SLACK
        if room > max(MAX_LETTERS_PER_CHARACTER * len(text), limits.current().text_bytes):
            raise Unreadable(f"{limits.current().memory_fault()}: its characters stand for too many letters")
        grown: Values = np.empty(room, np.uint32 if reason == _fold.TOO_WIDE else out.dtype)
        grown[:written] = out[:written]
        out = grown


def make_page(number: int) -> U32:
    """Return a page of the kernel's table: 256 entries, then the expansions they refer to."""
    page = [0] * 256
    for low in range(256):
        symbols = [ord(symbol) for symbol in fold_character(chr(256 * number + low))]
        if len(symbols) == 1:
            page[low] = symbols[0]
        elif symbols:
            page[low] = EXPANDS | len(page)
            page += [len(symbols), *symbols]
    return np.array(page, np.uint32)
