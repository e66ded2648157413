"""The alphabets of text: letters and digits of any script, folded so that spellings of one text agree.

"characters" are all of them; "consonants" are the letters but a, e, i, o and u: Koala's "all but non-vowel
characters" (Heintze 1996, section 5), so y is one, and digits, which converters garble like punctuation, are none.
Accents are gone by then (é is a vowel). Letters of other scripts stay, whatever their sound.

A code point's symbols are those of its compatibility decomposition (NFKD), case folded and decomposed once
more, that are letters or digits (`str.isalnum`; marks are not). Each code point is folded by itself, so NFC
and NFD spellings of a text give equal symbols, and full-width forms, ligatures and accents match plain
letters. Knows nothing of bytes and encodings.

The symbols of a code point are those of the Unicode data that Python brings; new versions of it only add
characters.
"""

import sys
import threading
import unicodedata
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.readers.symbols import Locate, Symbols, Values

EXPANDS = 0x80000000
# Room for the longest expansion of a single character (18 symbols, before marks and spaces are dropped).
SLACK = 64

ALPHABETS = ("characters", "consonants")
VOWELS = "aeiou"

_filling = threading.Lock()


def fold_character(character: str) -> str:
    """The symbols of one character, as a string of none, one or several."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(filter(str.isalnum, folded))


def is_consonant(symbol: str) -> bool:
    """Whether a folded character is one of the alphabet "consonants"."""
    return symbol.isalpha() and symbol not in VOWELS


ASCII_TABLE = bytes(ord(fold_character(chr(code)) or "\0") for code in range(128)) + bytes(128)
ASCII_CONSONANTS = bytes(symbol if is_consonant(chr(symbol)) else 0 for symbol in ASCII_TABLE)


def fold(text: str | bytes, note: str = "", alphabet: str = "characters") -> Symbols:
    """The symbols of a text. Bytes must be ASCII; offsets are indices into the text as given."""
    if isinstance(text, str) and text.isascii():
        text = text.encode("ascii")
    if isinstance(text, bytes):
        table = ASCII_CONSONANTS if alphabet == "consonants" else ASCII_TABLE
        values = _kernel.fold_ascii(text, table)
        return Symbols(values, partial(_kernel.locate_ascii, text, table, len(values)), note, text)
    folded = _fold_any(text)
    locate = partial(_kernel.locate, text, len(folded))
    if alphabet == "consonants":
        return _keep_consonants(folded, locate, note, text)
    return Symbols(folded, locate, note, text)


def _keep_consonants(folded: Values, locate: Locate, note: str, text: str) -> Symbols:
    kept = _tell_consonants(folded)
    values = folded[kept]
    if values.dtype == np.uint32 and (not len(values) or values.max() < 256):
        values = values.astype(np.uint8)
    return Symbols(values, partial(_locate_kept, locate, kept), note, text)


def _locate_kept(locate: Locate, kept: NDArray[np.bool]) -> NDArray[np.int64]:
    return locate()[kept]


def _tell_consonants(folded: Values) -> NDArray[np.bool]:
    """(n,) bool: which symbols are consonants; fills the pages of `_consonants` on first sight."""
    if len(folded):
        for page in np.flatnonzero(np.bincount(folded >> 8)).tolist():
            if page not in _known:
                span = range(256 * page, 256 * page + 256)
                _consonants[span.start : span.stop] = [is_consonant(chr(code)) for code in span]
                _known.add(page)
    return _consonants[folded]


_consonants = np.zeros(sys.maxunicode + 1, bool)
_known: set[int] = set()


def _fold_any(text: str) -> Values:
    """Fold into bytes as long as they hold every symbol; fill pages of the kernel's table on first sight."""
    out: Values = np.empty(len(text) + SLACK, np.uint8)
    read = written = 0
    while True:
        read, written, stopped = _kernel.fold(text, read, out, written)
        if stopped == _kernel.DONE:
            return out[:written]
        if stopped == _kernel.NO_PAGE:
            _fill_page(ord(text[read]) >> 8)
        elif stopped == _kernel.TOO_WIDE:
            out = _regrow(out, written, len(out), np.uint32)
        else:
            out = _regrow(out, written, len(out) * 3 // 2 + SLACK, out.dtype.type)


def _regrow(out: Values, written: int, room: int, dtype: type[np.uint8] | type[np.uint32]) -> Values:
    grown = np.empty(room, dtype)
    grown[:written] = out[:written]
    return grown


def _fill_page(number: int) -> None:
    with _filling:
        _kernel.set_page(number, make_page(number))


def make_page(number: int) -> NDArray[np.uint32]:
    """A page of the kernel's table: 256 entries, then the expansions that they refer to."""
    page = [0] * 256
    for low in range(256):
        symbols = [ord(symbol) for symbol in fold_character(chr(256 * number + low))]
        if len(symbols) == 1:
            page[low] = symbols[0]
        elif symbols:
            page[low] = EXPANDS | len(page)
            page += [len(symbols), *symbols]
    return np.array(page, np.uint32)
