"""Plain text: bytes of whatever encoding, or a string, to folded characters or consonants.

Decides how bytes are decoded, and says so. Newlines are not translated; a byte order mark is no character.
"""

import codecs

from fpdb.fingerprint.frontends.folding import fold
from fpdb.fingerprint.symbols import Symbols

# The mark of UTF-32 little-endian begins with that of UTF-16, so it comes first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
REPLACEMENT = "\ufffd"


def read(content: bytes | str, alphabet: str = "characters") -> Symbols:
    """The symbols of a text, and a note on how it was decoded. Nothing is unreadable."""
    text, note = (content, "string") if isinstance(content, str) else decode(content)
    return fold(text, note, alphabet)


def decode(content: bytes) -> tuple[str | bytes, str]:
    """The text, left as bytes if these are ASCII, and how it was decoded.

    A byte order mark decides. Without one, text is UTF-8; bytes that are not are replaced, unless there are
    at least as many of them as of good characters outside ASCII: then it is Latin-1.
    """
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return _decode_marked(content[len(mark) :], encoding)
    text, bad = _decode_utf8(content)
    if isinstance(text, str) and bad and _count_beyond_ascii(text) <= bad:
        return content.decode("latin-1"), "latin-1"
    return text, "utf-8" + _say_replaced(bad, "byte")


def _decode_marked(content: bytes, encoding: str) -> tuple[str | bytes, str]:
    if encoding == "utf-8":
        text, bad = _decode_utf8(content)
        return text, "utf-8 with BOM" + _say_replaced(bad, "byte")
    note = f"{encoding} (BOM)"
    try:
        return content.decode(encoding), note
    except UnicodeDecodeError:
        replaced = content.decode(encoding, "replace")
        return replaced, note + _say_replaced(replaced.count(REPLACEMENT), "character")


def _decode_utf8(content: bytes) -> tuple[str | bytes, int]:
    """The text, and how many bytes of it were not UTF-8 and have been replaced."""
    if content.isascii():
        return content, 0
    try:
        return content.decode("utf-8"), 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        good = len(text.replace(REPLACEMENT, "").encode()) + 3 * content.count(REPLACEMENT.encode())
        return text, len(content) - good


def _count_beyond_ascii(text: str) -> int:
    """How many good characters lie outside ASCII."""
    kept = text.replace(REPLACEMENT, "")
    return len(kept) - len(kept.encode("ascii", "ignore"))


def _say_replaced(number: int, noun: str) -> str:
    plural = "" if number == 1 else "s"
    return f", {number} {noun}{plural} replaced" if number else ""
