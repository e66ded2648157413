#!/usr/bin/env python3
"""Write fpdb/readers/lookalikes.txt, the table of look-alikes and of characters that no reader sees, from ICU's data.

Needs ICU (Debian: libicu-dev, or libicu72 with python3). Run it again only to make a new version of the readers: what a
database stores depends on the table, so the table of a version never changes.

    python tools/lookalikes.py
"""

import ctypes
import ctypes.util
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

TABLE = Path(__file__).parent.parent / "fpdb" / "readers" / "lookalikes.txt"
HEAD = """\
# Characters that look like others, and characters that are not seen. Written by tools/lookalikes.py.
# Each line: a symbol or several, a space, and the characters and symbols that are folded to it; "-" stands for none.
# Skeletons of UTS #39 and Default_Ignorable_Code_Point of Unicode {version}, by ICU {icu}.
# Unicode data: Copyright 1991-2022 Unicode, Inc., under the Unicode License (SPDX: Unicode-DFS-2016),
# https://www.unicode.org/license.txt
"""

DEFAULT_IGNORABLE = 5
"""The number of the property in ICU, UCHAR_DEFAULT_IGNORABLE_CODE_POINT."""

ALIKE = {"l": "i", "1": "i", "0": "o"}
"""Latin letters and digits that look alike: I and l, too, of which the first is an i once case is folded."""

CHOSEN = {"η": "n"}
"""What looks more like a Latin letter than its skeleton (n with a line below) says."""

NAMES = re.compile(r"(?:LATIN LETTER SMALL CAPITAL|NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER) ([A-Z])")
"""Names of characters that look like a letter, of which Unicode's skeletons say nothing."""


def open_icu() -> tuple[str, str, Callable[[str], str], Callable[[str], bool]]:
    """Return the version of Unicode and of ICU, a function that makes skeletons, and one that tells the ignorable."""
    path = ctypes.util.find_library("icui18n") or sys.exit("there is no ICU: install libicu-dev")
    suffix = path.rpartition(".")[2]
    spoof, common = ctypes.CDLL(path), ctypes.CDLL(path.replace("icui18n", "icuuc"))
    status = ctypes.c_int(0)
    open_checker = getattr(spoof, f"uspoof_open_{suffix}")
    open_checker.restype = ctypes.c_void_p
    checker = ctypes.c_void_p(open_checker(ctypes.byref(status)))
    get_skeleton = getattr(spoof, f"uspoof_getSkeletonUTF8_{suffix}")
    has_property = getattr(common, f"u_hasBinaryProperty_{suffix}")
    version = (ctypes.c_uint8 * 4)()
    getattr(common, f"u_getUnicodeVersion_{suffix}")(version)

    def skeleton(text: str) -> str:
        out, encoded = ctypes.create_string_buffer(1024), text.encode()
        length = get_skeleton(checker, 0, encoded, len(encoded), out, len(out), ctypes.byref(status))
        if status.value > 0:
            sys.exit(f"ICU refused U+{ord(text):04X}: error {status.value}")
        return out.raw[:length].decode()

    return f"{version[0]}.{version[1]}", suffix, skeleton, lambda text: bool(has_property(ord(text), DEFAULT_IGNORABLE))


def fold(text: str) -> str:
    """Return the symbols of a text by version 1 of the readers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(filter(str.isalnum, folded))


def cases(symbol: str) -> list[str]:
    """Return a symbol, in the case to which it is folded first, and in the other."""
    return list(dict.fromkeys(case for case in (symbol, symbol.lower(), symbol.upper()) if len(case) == 1))


def named(text: str) -> str:
    """Return the Latin letter that a character is by its name; "" for none."""
    match = NAMES.fullmatch(unicodedata.name(text, "")) if len(text) == 1 else None
    return match[1].lower() if match else ""


def target(symbol: str, skeleton: Callable[[str], str]) -> str:
    """Return what a symbol looks like.

    Best a Latin letter, in the case to which it is folded, else in the other; then several letters, and of digits a
    digit; then another symbol, but with no mark less. Of Latin letters, marks (strokes, hooks) are dropped, as accents
    are; those that look like punctuation are no symbol.
    """
    if symbol.isascii():
        return symbol
    is_latin = unicodedata.name(symbol, "").startswith("LATIN")
    skeletons = [skeleton(case) for case in cases(symbol)]
    looks = [
        fold(text) for text in skeletons if is_latin or fold(text) == unicodedata.normalize("NFKD", text.casefold())
    ]
    looks = [look for look in looks if symbol.isdigit() or not look.isdigit()]
    letters = [look for look in looks if len(look) == 1 and look.isascii() and look.isalpha()]
    names = [letter for look in (*looks, symbol) for case in cases(look) if (letter := named(case))]
    others = [look for look in looks if look.isascii() and (is_latin or len(look) == 1)]
    exact = [look for look in looks if len(look) == 1 and skeletons[0] in cases(look)]
    return [*letters, *names, *others, *exact, symbol][0]


def look_of(symbol: str, skeleton: Callable[[str], str]) -> str:
    """Return what a symbol looks like in the end; of m, which looks like rn, and the like the one letter."""
    seen: list[str] = []
    while symbol not in seen and len(symbol) == 1:
        seen.append(symbol)
        symbol = CHOSEN.get(symbol) or target(symbol, skeleton).replace("rn", "m")
    return "".join(ALIKE.get(letter, letter) for letter in symbol)


def is_mark(character: str, skeleton: Callable[[str], str]) -> bool:
    """Return True for letters that look like punctuation or stretch others, and for raised digits, as of footnotes."""
    if unicodedata.category(character) == "Lm" and fold(character) == character:
        name = unicodedata.name(character)
        return name.startswith(("MODIFIER LETTER", "ARABIC TATWEEL")) or not any(map(str.isalnum, skeleton(character)))
    return unicodedata.category(character) == "No" and unicodedata.decomposition(character).startswith("<super>")


def lowest(item: tuple[str, list[str]]) -> tuple[str, list[str]]:
    """Return a row of the table; of symbols beyond ASCII that look alike the lowest stands for all.

    So the symbols of a language are near to each other, and fewer texts need the slower way to hash them.
    """
    look, characters = item
    first, *others = sorted([look, *characters])
    return item if look.isascii() else (first, others)


def make_table() -> str:
    """Return the table."""
    version, icu, skeleton, is_ignorable = open_icu()
    sources: dict[str, list[str]] = {}
    for character in map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))):
        folded = fold(character)
        look = folded
        if is_ignorable(character) or is_mark(character, skeleton):
            look = ""
        elif folded == character:
            look = look_of(character, skeleton)
        elif not folded:
            look = look_of(named(character), skeleton)
        if look != folded:
            sources.setdefault(look or "-", []).append(character)
    sources = dict(map(lowest, sources.items()))
    lines = (f"{look} {''.join(sources[look])}\n" for look in sorted(sources))
    return HEAD.format(version=version, icu=icu) + "".join(lines)


if __name__ == "__main__":
    TABLE.write_text(make_table(), "utf-8")
