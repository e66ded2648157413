"""Write for people: text that is safe for a terminal, messages, sizes, counts and bars."""

import codecs
import io
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

import click

NAMES_IN_LINE = 3
BYTES_OR_ESCAPES = "fpdb-bytes-or-escapes"
"""Handles what an encoding lacks: the bytes of names that are not UTF-8 as they are, other characters as escapes."""


def _encode_lacking(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    try:
        return error.object[error.start : error.end].encode("ascii", "surrogateescape"), error.end
    except UnicodeEncodeError:
        return codecs.backslashreplace_errors(error)


codecs.register_error(BYTES_OR_ESCAPES, _encode_lacking)


def printable(text: str) -> str:
    """Replace control, format, bidirectional and surrogate characters with escapes."""
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else _escape(char) for char in text)


def say(message: str) -> None:
    """Write a line to standard error."""
    click.echo(printable(message), err=True)


def write_line(text: str = "") -> None:
    """Write a line to standard output."""
    standard_output("backslashreplace").write(printable(text) + "\n")


def write_details(details: Iterable[tuple[str, str]]) -> None:
    """Write names and values, one a line."""
    lines = [(name, printable(value)) for name, value in details]
    width = max(len(name) for name, _ in lines)
    out = standard_output("backslashreplace")
    for name, value in lines:
        out.write(f"{name.ljust(width)}  {value}".rstrip() + "\n")


def standard_output(errors: str) -> TextIO:
    """Return standard output, set to handle characters that its encoding lacks in this way."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=errors)
    return sys.stdout


def text_width(text: str) -> int:
    """Return how many columns a terminal takes for a text; those of East Asian scripts take two for a character."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def bar(share: float, width: int = 10) -> str:
    """Draw a share of 1 as a bar of at most `width` characters."""
    if "utf" not in (sys.stdout.encoding or "").lower():
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def size_text(size: float) -> str:
    """Format a number of bytes: `12 bytes`, `3.4 MB`."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} bytes"


def time_text(seconds: float) -> str:
    """Format seconds: `0:05`, `1:02:03`."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def count_text(count: int, noun: str, plural: str | None = None) -> str:
    """Format a count: `1 document`, `1,234 documents`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def changes_text(verb: str, counts: Mapping[Any, int]) -> str:
    """Format what became of documents: `merged 3 documents: 2 added, 1 skipped`."""
    changes = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    return f"{verb} {count_text(sum(counts.values()), 'document')}{': ' if changes else ''}{changes}"


def names_text(names: Sequence[str], count: int | None = None) -> str:
    """Format names: `a, b, c and 1,234 more`.

    Args:
        names: The first names, or all of them.
        count: The number of all names, if `names` holds only the first.
    """
    count = count or len(names)
    more = f" and {count - NAMES_IN_LINE:,} more" if count > NAMES_IN_LINE else ""
    return ", ".join(names[:NAMES_IN_LINE]) + more


def _is_harmless(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
