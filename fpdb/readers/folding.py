"""The alphabets of text: letters and digits of any script, folded so that all spellings of a text agree.

By version 1 of the readers, the symbols of a code point are the letters and digits (`str.isalnum`; marks are none) of
its compatibility decomposition (NFKD), case folded and decomposed again. Each code point is folded by itself, so NFC
and NFD spellings of a text give equal symbols, and full-width forms, ligatures and accents match plain letters. The
Unicode data are those of Python, whose new versions only add characters.

By version 2, what looks alike is alike: Cyrillic а is a, so are ɑ and ᴀ, and ø is o; 1, l and i are i, 0 is o.
`lookalikes.txt` lists each character and symbol that has other symbols than by version 1. Characters that are not seen
have none, nor have letters that look like punctuation, and raised digits, as of footnotes. Texts in other scripts match
as before, since all documents of a database are folded alike.

"characters" are all symbols. "consonants" are the letters except a, e, i, o and u: "all but non-vowel characters" of
Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), section 5. So y is one, é is not, and neither are digits,
which converters garble like punctuation. By version 1, letters of other scripts stay, whatever their sound; by version
2, what looks like a vowel is one, and so are 1, l and 0.
"""

import sys
import threading
import unicodedata
from functools import cache, partial
from pathlib import Path

import numpy as np

from fpdb import limits
from fpdb.arrays import I64, U32, Bools
from fpdb.errors import Unreadable
from fpdb.limits import MAX_LETTERS_PER_CHARACTER
from fpdb.readers import _folding
from fpdb.readers.symbols import Locate, Symbols, Values

EXPANDS = 0x80000000
"""Marks an entry of a page whose code point has several symbols; see `_folding`."""
SLACK = 64
"""Room for the longest expansion of a character: 18 symbols, before marks and spaces are dropped."""

ALPHABETS = ("characters", "consonants")
VOWELS = "aeiou"
READER_VERSION = 2
"""The version of the rules by which documents are read, from 1 on. What a version means never changes."""

_page_lock = threading.Lock()


@cache
def look_alikes() -> dict[str, str]:
    """Return the table of `lookalikes.txt`: the symbols of characters and symbols by version 2."""
    table: dict[str, str] = {}
    for line in Path(__file__).with_name("lookalikes.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            look, characters = line.split(" ")
            table |= dict.fromkeys(characters, "" if look == "-" else look)
    return table


def fold_character(character: str, version: int = READER_VERSION) -> str:
    """Return the symbols of one character, as a string of none, one or several, by a version of the readers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    symbols = filter(str.isalnum, folded)
    if version == 1:
        return "".join(symbols)
    table = look_alikes()
    return table[character] if character in table else "".join(table.get(symbol, symbol) for symbol in symbols)


def is_consonant(symbol: str) -> bool:
    """Return True if a folded character belongs to the alphabet "consonants"."""
    return symbol.isalpha() and symbol not in VOWELS


@cache
def ascii_table(version: int, alphabet: str = "characters") -> bytes:
    """Return the symbols of ASCII bytes, as 256 bytes, 0 for a byte without symbol."""
    symbols = [fold_character(chr(code), version) or "\0" for code in range(128)]
    is_kept = is_consonant if alphabet == "consonants" else bool
    return bytes(ord(symbol) if is_kept(symbol) else 0 for symbol in symbols) + bytes(128)


def fold(text: str | bytes, note: str = "", alphabet: str = "characters", version: int = READER_VERSION) -> Symbols:
    """Return the symbols of a text, ASCII if given as bytes; their offsets are indices into it.

    Raises Unreadable if its characters stand for so many letters that these take too much memory.
    """
    if isinstance(text, str) and text.isascii():
        text = text.encode("ascii")
    if isinstance(text, bytes):
        table = ascii_table(version, alphabet)
        values: Values = _folding.fold_ascii(text, table)
        return Symbols(values, partial(_folding.locate_ascii, text, table, len(values)), note, text)
    folded = _fold_text(text, version)
    locate = partial(_folding.locate, text, version, len(folded))
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


def _fold_text(text: str, version: int) -> Values:
    """Fold to bytes as long as these hold every symbol; fills pages of the kernel when first needed."""
    out: Values = np.empty(len(text) + SLACK, np.uint8)
    read = written = 0
    while True:
        read, written, reason = _folding.fold(text, version, read, out, written)
        if reason == _folding.DONE:
            return out[:written]
        if reason == _folding.NO_PAGE:
            number = ord(text[read]) >> 8
            with _page_lock:
                _folding.set_page(version, number, make_page(number, version))
            continue
        room = len(out) if reason == _folding.TOO_WIDE else len(out) * 3 // 2 + SLACK
        if room > max(MAX_LETTERS_PER_CHARACTER * len(text), limits.current().text_bytes):
            raise Unreadable(f"{limits.current().memory_fault()}: its characters stand for too many letters")
        grown: Values = np.empty(room, np.uint32 if reason == _folding.TOO_WIDE else out.dtype)
        grown[:written] = out[:written]
        out = grown


def make_page(number: int, version: int) -> U32:
    """Return a page of the kernel's table: 256 entries, then the expansions they refer to."""
    page = [0] * 256
    for low in range(256):
        symbols = [ord(symbol) for symbol in fold_character(chr(256 * number + low), version)]
        if len(symbols) == 1:
            page[low] = symbols[0]
        elif symbols:
            page[low] = EXPANDS | len(page)
            page += [len(symbols), *symbols]
    return np.array(page, np.uint32)
