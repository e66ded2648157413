"""Escape names and texts, which come from anyone: characters that hide or turn text are spelled out."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

# Not only what would end the script element, but whatever an editor or a browser may act on.
_RISKY: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)


def escaped_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, and that an editor shows as what it is."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _RISKY.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in pieces: (False, text), and (True, name of a character that would not show as itself)."""
    for part in re.split(r"([^ -~])", text):
        if len(part) == 1 and not part.isprintable():
            yield True, _spelled(ord(part))
        elif part:
            yield False, part


def plain(text: str) -> str:
    """Return the text with the names of characters that would not show as themselves."""
    return "".join(part for _, part in pieces(text))


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, in a file's name
        return f"\\x{code - 0xDC00:02x}"
    return f"U+{code:04X}"
