"""Count the signs of a disguise: what a reader of a text does not see, and what an honest text hardly has.

- *Look-alikes*: letters of another script that look Latin and stand between Latin letters, inside of a word. A word or
  an ending in another script counts for nothing, nor does a Greek letter before or behind Latin ones.
- *Invisible characters* between two Latin letters. Soft hyphens do not count, nor do invisible characters in scripts
  whose spelling needs them, in emoji, or between words.
- *Hidden text*: letters and digits that a web page or a PDF holds and does not show.
"""

import re
import unicodedata
from functools import cache
from html import unescape
from typing import Final, NamedTuple

from fpdb.readers.folding import look_alikes
from fpdb.readers.symbols import Symbols

_LATIN: Final = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_INVISIBLE: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
_UNSEEN: Final = re.compile(f"[{_INVISIBLE}]+")
_BETWEEN: Final = re.compile(f"(?<=[{_LATIN}])[{_INVISIBLE}]+(?=[{_LATIN}])")


class Signs(NamedTuple):
    """The least number of signs of each sort that a document has."""

    look_alikes: int = 0
    invisible_characters: int = 0
    hidden_text: int = 0

    def to_dict(self) -> dict[str, int]:
        """Return the numbers that are not 0, by name."""
        return {name: number for name, number in self._asdict().items() if number}

    def text(self) -> str:
        """Return the numbers in words."""
        words = (
            ("letter of another script that looks Latin", "letters of another script that look Latin"),
            ("invisible character", "invisible characters"),
            ("hidden letter or digit", "hidden letters and digits"),
        )
        return ", ".join(f"{number:,} {forms[number > 1]}" for number, forms in zip(self, words, strict=True) if number)


def find_signs(symbols: Symbols, kind: str) -> Signs | None:
    """Return the signs of a document that was read as a kind; None if it has none, or is a program."""
    if kind == "code":
        return None
    look_alike = invisible = 0
    if isinstance(symbols.original, str) and (kind == "html" or not symbols.original.isascii()):
        text = unescape(symbols.original) if kind == "html" else symbols.original
        invisible = sum(map(len, _BETWEEN.findall(text)))
        look_alike = sum(map(len, _foreign().findall(_UNSEEN.sub("", text))))
    signs = Signs(look_alike, invisible, symbols.hidden)
    return signs if any(signs) else None


@cache
def _foreign() -> re.Pattern[str]:
    """Return the pattern of look-alikes of other scripts between Latin letters."""
    letters = [
        character
        for character, look in look_alikes().items()
        if look.isalpha() and look.isascii() and character.isalpha() and not _is_latin(character)
    ]
    return re.compile(f"(?<=[{_LATIN}])[{''.join(map(re.escape, letters))}]+(?=[{_LATIN}])")


def _is_latin(character: str) -> bool:
    return character.isascii() or "LATIN" in unicodedata.name(character, "")
