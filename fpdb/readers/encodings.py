"""Decode bytes of any encoding to text, with a note on how that was done. All bytes can be decoded.

Newlines are not translated; a byte order mark is no character.
"""

import codecs
import unicodedata
from collections import Counter
from contextlib import suppress

from fpdb.errors import Unreadable

# The mark of UTF-32 little-endian begins with that of UTF-16, so it comes first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
REPLACEMENT = "\ufffd"
BYTE_ORDER_MARK = "\ufeff"
ENCODED_KINDS = frozenset(("text", "code", "html", "latex"))
"""Kinds, and modules of the same names, whose bytes may have any encoding, which a caller may give."""

STRING, GIVEN = "string", " (given)"
"""The note on a string, and the end of the note on an encoding that the caller gave."""

GUESS_FROM = 1 << 18  # first bytes of a document that charset-normalizer guesses from
GUESS_LEAST = 16  # minimum of bytes beyond ASCII among these
UTF16_HEAD = 8192  # first bytes that tell UTF-16
UTF16_LEAST = 8  # characters that tell UTF-16, at least
ISO_2022_JP = {"iso2022_jp_2": b"\x1b$", "iso2022_jp_ext": b"\x1b(I"}
"""The escape sequences before Japanese characters, and before halfwidth kana, which only the second encoding has."""
KANA_LEAST, KANA_SHARE = 8, 0.2  # of the characters beyond ASCII
PROSE_LEAST, PROSE_LETTERS = 16, 0.6  # letters beyond ASCII, and the share of all letters, that tell prose in a script
SCRIPT_SHARE, IDEOGRAPH_SHARE = 0.95, 0.05  # of the letters beyond ASCII: of one script; beside kana
SCRIPTS = frozenset(["ARABIC", "ARMENIAN", "CYRILLIC", "GEORGIAN", "GREEK", "HANGUL", "HEBREW", "THAI"])
WORD_LENGTHS = 3  # different ones, since records of numbers have one length
# Encodings that no document has, whatever it declares.
NEVER_DECLARED = {"unicode_escape", "raw_unicode_escape", "punycode", "idna", "utf_7", "undefined"}
BEYOND_LATIN = 0x250  # first code point whose letters are not Latin


def decode(content: bytes, declared: str | None = None) -> tuple[str | bytes, str]:
    """Return the text, left as bytes if ASCII, and a note on how it was decoded.

    A byte order mark decides. Without one, every second byte of UTF-16 is often zero, or else zero bytes are those of
    spaces and lines in prose of one script; and ISO-2022-JP has its escape sequences. Both are told by these, as a
    guess. Else text is UTF-8, in which invalid bytes are replaced, unless there
    are at least as many of them as of valid characters beyond ASCII. Then the declared encoding counts; or else EUC-JP
    or Shift-JIS if that gives kana; or else the guess of charset-normalizer, if it is installed and guesses a script
    other than Latin, whose many encodings it confuses; or else Latin-1.
    """
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return _decode_marked(content[len(mark) :], encoding)
    if (wide := guess_utf16(content)) is not None:
        replaced = content.decode(wide, "replace")
        return replaced, f"{wide} (guessed)" + _note_replaced(replaced.count(REPLACEMENT), "character")
    text, invalid = _decode_utf8(content)
    if isinstance(text, bytes) and any(escape in text for escape in ISO_2022_JP.values()):
        for encoding in ISO_2022_JP:
            with suppress(UnicodeDecodeError):
                return text.decode(encoding), f"{encoding.removesuffix('_2')} (guessed)"
    if isinstance(text, str) and invalid and _count_beyond_ascii(text) <= invalid:
        return (
            _decode_declared(content, declared)
            or _decode_japanese(content)
            or _decode_guessed(content)
            or (content.decode("latin-1"), "latin-1")
        )
    return text, "utf-8" + _note_replaced(invalid, "byte")


def decode_given(content: bytes | str, kind: str, encoding: str | None) -> bytes | str:
    """Return the text of bytes that are said to have an encoding, without a byte order mark, or else the content.

    kind: if it is none of ENCODED_KINDS, the encoding does not count. Raises Unreadable: there is no such encoding of
    texts, or the bytes are not in it.
    """
    if encoding is None or kind not in ENCODED_KINDS or isinstance(content, str):
        return content
    try:
        return content.decode(encoding_name(encoding)).removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not {encoding}: {error.reason} at byte {error.start}") from error


def encoding_name(encoding: str) -> str:
    """Return Python's own name of an encoding of texts. Raises Unreadable if there is none."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, TypeError, ValueError) as error:
        raise Unreadable(f"no encoding of texts is called {encoding!r}; some are utf-8, cp1252, gb18030") from error
    return name


def note_given(note: str, encoding: str) -> str:
    """Return the note on a text that was decoded by `decode_given`, of the note on the string."""
    return f"{note.removesuffix(STRING)}{encoding_name(encoding)}{GIVEN}"


def given_encoding(note: str) -> str | None:
    """Return the encoding in which a document was said to be when it was added, by its note; None if it was not."""
    return note.removesuffix(GIVEN).rpartition(" ")[2] if note.endswith(GIVEN) else None


def guess_utf16(content: bytes) -> str | None:
    """Return the encoding if bytes look like UTF-16 without a mark: mostly ASCII, or prose of one script; else None."""
    head = content[:UTF16_HEAD]
    if b"\0" not in head or len(content) % 2:
        return None
    units = len(head) // 2
    low, high = head[::2].count(0), head[1::2].count(0)
    if not min(low, high) * 20 <= units <= max(low, high) * 2:
        guesses = [encoding for encoding, text in possible_utf16(content).items() if _is_prose(text)]
        return guesses[0] if len(guesses) == 1 else None
    encoding = "utf-16-le" if high > low else "utf-16-be"
    text = head[: 2 * units].decode(encoding, "replace")
    visible = sum(character.isprintable() or character.isspace() for character in text)
    return encoding if units >= UTF16_LEAST and visible > 0.95 * len(text) else None


def possible_utf16(content: bytes) -> dict[str, str]:
    """Return the first characters, by the byte order of UTF-16 in which they are visible, with spaces or lines."""
    head = content[: min(UTF16_HEAD, len(content)) // 2 * 2]
    texts = {encoding: head.decode(encoding, "ignore") for encoding in ("utf-16-le", "utf-16-be")}
    return {
        encoding: text
        for encoding, text in texts.items()
        if len(text) >= UTF16_LEAST
        and (" " in text or "\n" in text)
        and all(character.isprintable() or character.isspace() for character in text)
    }


def _is_prose(text: str) -> bool:
    """Return True if visible characters are words of one script beyond ASCII, or kana and ideographs.

    Numbers of 16 bits can be letters, but hardly these. Ideographs alone tell nothing: pairs of ASCII letters are such.
    """
    letters = [character for character in text if character.isalpha()]
    others = [character for character in letters if character > "\x7f"]
    if len(others) < PROSE_LEAST or len(letters) < PROSE_LETTERS * len(text):
        return False
    scripts = Counter(unicodedata.name(character, "").partition(" ")[0].partition("-")[0] for character in others)
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    if kana >= KANA_SHARE * len(others):
        is_mixed = scripts["CJK"] >= IDEOGRAPH_SHARE * len(others)
        return is_mixed and kana + scripts["CJK"] >= SCRIPT_SHARE * len(others)
    script, count = scripts.most_common(1)[0]
    words = text.split()
    is_natural = [word[1:] == word[1:].lower() or word.isupper() for word in words]  # capitals begin words
    return (
        script in SCRIPTS
        and count >= SCRIPT_SHARE * len(others)
        and sum(is_natural) >= SCRIPT_SHARE * len(words)
        and len(set(map(len, words))) >= WORD_LENGTHS
    )


def as_text(content: bytes | str, declared: str | None = None) -> tuple[str | bytes, str]:
    """Return what `decode` returns, of content that may be a string already."""
    return (content, STRING) if isinstance(content, str) else decode(content, declared)


def _decode_marked(content: bytes, encoding: str) -> tuple[str | bytes, str]:
    if encoding == "utf-8":
        text, invalid = _decode_utf8(content)
        return text, "utf-8 with BOM" + _note_replaced(invalid, "byte")
    note = f"{encoding} (BOM)"
    try:
        return content.decode(encoding), note
    except UnicodeDecodeError:
        replaced = content.decode(encoding, "replace")
        return replaced, note + _note_replaced(replaced.count(REPLACEMENT), "character")


def _decode_utf8(content: bytes) -> tuple[str | bytes, int]:
    """Return the text, and the number of invalid bytes replaced in it."""
    if content.isascii():
        return content, 0
    try:
        return content.decode("utf-8"), 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        valid = len(text.replace(REPLACEMENT, "").encode()) + 3 * content.count(REPLACEMENT.encode())
        return text, len(content) - valid


def _decode_declared(content: bytes, declared: str | None) -> tuple[str, str] | None:
    """Decode by the declared encoding, unless that is unknown, wrong, or no encoding of text."""
    if declared is None:
        return None
    try:
        encoding = codecs.lookup(declared).name
        if encoding.replace("-", "_") not in NEVER_DECLARED:
            return content.decode(encoding), f"{encoding} (declared)"
    except (LookupError, ValueError):
        pass
    return None


def _decode_japanese(content: bytes) -> tuple[str, str] | None:
    """Decode by the first Japanese encoding that gives as many kana as Japanese has."""
    for encoding in ("euc_jp", "cp932"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        others = [character for character in text[:GUESS_FROM] if character > "\x7f"]
        kana = sum("\u3041" <= character <= "\u30fa" for character in others)
        if len(others) >= KANA_LEAST and kana >= KANA_SHARE * len(others):
            return text, f"{encoding} (guessed)"
    return None


def _decode_guessed(content: bytes) -> tuple[str, str] | None:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    end = len(content) if len(content) <= GUESS_FROM else content.rfind(b"\n", 0, GUESS_FROM) + 1 or GUESS_FROM
    sample = content[:end]
    if len(sample) - len(sample.decode("ascii", "ignore")) < GUESS_LEAST:
        return None
    guess = from_bytes(sample).best()
    if guess is None:
        return None
    try:
        text = content.decode(guess.encoding)
    except (LookupError, ValueError):
        return None
    letters = [character for character in text[:GUESS_FROM] if character > "\x7f" and character.isalpha()]
    others = sum(ord(character) >= BEYOND_LATIN for character in letters)
    return (text, f"{codecs.lookup(guess.encoding).name} (guessed)") if 2 * others > len(letters) else None


def _count_beyond_ascii(text: str) -> int:
    """Return the number of valid characters beyond ASCII."""
    valid = text.replace(REPLACEMENT, "")
    return len(valid) - len(valid.encode("ascii", "ignore"))


def _note_replaced(count: int, noun: str) -> str:
    plural = "" if count == 1 else "s"
    return f", {count} {noun}{plural} replaced" if count else ""
