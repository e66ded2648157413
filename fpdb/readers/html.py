"""HTML and XHTML: the text without tags, comments, scripts and styles, as text; offsets are those of the source.

Cut up as the HTML standard's tokeniser does (section 13.2.5), with one regular expression, since parsers give no
offsets. The title and hidden parts count like the rest; the values of attributes do not.
"""

import re
from functools import lru_cache, partial
from html import unescape
from html.entities import html5

import numpy as np

from fpdb.readers.encodings import as_text
from fpdb.readers.offset_map import Pieces, Places
from fpdb.readers.symbols import Symbols

# What follows a tag's name: attributes, with values in quotes or without, up to the end of the tag or the document.
_ATTRIBUTES = r"""
    (?: [\t\n\f\r /]*+ [^\t\n\f\r />] [^>=/]*+
        (?: = [\t\n\f\r ]*+ (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\t\n\f\r >]++ )? )?
    )*+ [\t\n\f\r /]*+ (?: > | \Z )"""

# Elements whose content is not text, up to their own end tag.
_RAW = ("script", "style", "xmp", "iframe", "noembed", "noframes")
_ELEMENT = r"<{0}(?=[\t\n\f\r />]) {1} .*?(?: </{0}(?=[\t\n\f\r />]) {1} | \Z )"

# One group, so that what lies between can be split off. First what there is most of: tags without attributes, entities.
_MARKUP = re.compile(
    rf"""(
    <(?!{"|".join(_RAW)})/?[a-z][^\t\n\f\r />]*+>
  | &(?:\#[0-9]++;?|\#x[0-9a-f]++;?|[a-z][a-z0-9]++;?)
  | <!-- (?: -?> | .*?(?: --!?> | \Z ) )
  | {"|".join(_ELEMENT.format(name, _ATTRIBUTES) for name in _RAW)}
  | </?[a-z][^\t\n\f\r />]*+ {_ATTRIBUTES}
  | <(?: [!?] | /(?!\Z) )[^>]*+(?:>|\Z)
  )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE | re.ASCII,
)
_DECLARED = re.compile(rb"""(?:<meta\b[^>]*?charset|<\?xml[^>]*?encoding)\s*=\s*["']?\s*([-\w.:]+)""", re.IGNORECASE)
DECLARED_WITHIN = 1024

LONGEST_KEPT = 64
"""Characters of a reference; no name of a character has as many."""


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of the text of a page. Nothing is unreadable."""
    found = _DECLARED.search(content, 0, DECLARED_WITHIN) if isinstance(content, bytes) else None
    text, note = as_text(content, found[1].decode("ascii") if found else None)
    return take_text(text if isinstance(text, str) else text.decode("ascii")).fold(note, alphabet)


def take_text(source: str) -> Pieces:
    """The text of a page, with entities decoded."""
    parts = _MARKUP.split(source)
    markup = parts[1::2]
    parts[1::2] = [""] * len(markup)
    shorter: list[tuple[int, int]] = []
    if "&" in source:
        for number, found in enumerate(markup):
            if found[0] == "&":
                at = 2 * number + 1
                parts[at], left = decode_entity(found)
                if left:
                    parts[at + 1] = found[-left:] + parts[at + 1]
                    shorter.append((at, left))
    return Pieces(source, parts, partial(_slices, parts, markup, shorter))


def _slices(parts: list[str], markup: list[str], shorter: list[tuple[int, int]]) -> tuple[Places, Places]:
    """Where in the source each part comes from. shorter: entities less long than what was taken for one."""
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    lengths[1::2] = np.fromiter(map(len, markup), np.int64, len(markup))
    for at, left in shorter:
        lengths[at] -= left
    ends = np.cumsum(lengths)
    return ends - lengths, ends


def decode_entity(reference: str) -> tuple[str, int]:
    """What a reference, ampersand and all, stands for, and how many characters at its end do not belong to it.

    Of a name without its semicolon the longest known beginning counts; what is no reference stands for itself.
    """
    if len(reference) <= LONGEST_KEPT:
        return _decoded(reference)
    if reference[1] == "#":  # too long to be a character's number, unless it begins with zeros
        number = reference.rstrip(";").lstrip("&#xX").lstrip("0")
        base = "x" if reference[2] in "xX" else ""
        return _decoded(f"&#{base}{number or 0};") if len(number) < LONGEST_KEPT - 4 else ("\ufffd", 0)
    found, left = _decoded(reference[:LONGEST_KEPT])
    return found, left + len(reference) - LONGEST_KEPT


@lru_cache(maxsize=4096)
def _decoded(reference: str) -> tuple[str, int]:
    if reference[1] == "#":
        return unescape(reference), 0
    for end in range(len(reference), 2, -1):
        if reference[1:end] in html5:
            return html5[reference[1:end]], len(reference) - end
    return "&", len(reference) - 1
