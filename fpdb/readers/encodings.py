"""From bytes of whatever encoding to text, and words on how that was done. Nothing is undecodable.

Newlines are not translated; a byte order mark is no character.
"""

import codecs

# The mark of UTF-32 little-endian begins with that of UTF-16, so it comes first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
REPLACEMENT = "\ufffd"

# charset-normalizer is asked about so many first bytes, and only if at least so many of them are not ASCII.
GUESS_FROM = 1 << 18
GUESS_LEAST = 16

# Encodings by name that no document is in, whatever it declares.
NEVER_DECLARED = {"unicode_escape", "raw_unicode_escape", "punycode", "idna", "utf_7", "undefined"}

# From here on letters are not Latin ones.
BEYOND_LATIN = 0x250


def decode(content: bytes, declared: str | None = None) -> tuple[str | bytes, str]:
    """The text, left as bytes if these are ASCII, and how it was decoded.

    A byte order mark decides. Without one, text is UTF-8; bytes that are not are replaced, unless there are
    at least as many of them as of good characters outside ASCII. Then it is what the document declares itself to be,
    or what charset-normalizer takes it for, if that is installed and finds a script other than Latin, among whose
    many encodings it errs; else Latin-1.
    """
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return _decode_marked(content[len(mark) :], encoding)
    text, bad = _decode_utf8(content)
    if isinstance(text, str) and bad and _count_beyond_ascii(text) <= bad:
        return _decode_declared(content, declared) or _decode_guessed(content) or (content.decode("latin-1"), "latin-1")
    return text, "utf-8" + _say_replaced(bad, "byte")


def as_text(content: bytes | str, declared: str | None = None) -> tuple[str | bytes, str]:
    """The same for content that may be a string already."""
    return (content, "string") if isinstance(content, str) else decode(content, declared)


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


def _decode_declared(content: bytes, declared: str | None) -> tuple[str, str] | None:
    """By the name that the document gives, unless that is unknown, wrong, or no encoding of text."""
    if declared is None:
        return None
    try:
        encoding = codecs.lookup(declared).name
        if encoding.replace("-", "_") not in NEVER_DECLARED:
            return content.decode(encoding), f"{encoding} (declared)"
    except (LookupError, ValueError):
        pass
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
    """How many good characters lie outside ASCII."""
    kept = text.replace(REPLACEMENT, "")
    return len(kept) - len(kept.encode("ascii", "ignore"))


def _say_replaced(number: int, noun: str) -> str:
    plural = "" if number == 1 else "s"
    return f", {number} {noun}{plural} replaced" if number else ""
