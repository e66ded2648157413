"""Read HTML and XHTML: the text without tags, comments, scripts and styles; offsets are those of the source.

The source is split as by the tokeniser of the HTML standard (section 13.2.5), with one regular expression, since
parsers give no offsets. The title counts; the values of attributes do not, nor, from version 2 of the readers on, does
text that a browser does not show, see `hidden_html`.
"""

import re
from functools import lru_cache, partial
from html import unescape
from html.entities import html5

import numpy as np

from fpdb import limits
from fpdb.arrays import I64
from fpdb.errors import Unreadable
from fpdb.limits import BYTES_PER_TAG
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.hidden_html import find_hidden
from fpdb.readers.offset_map import MappedText
from fpdb.readers.symbols import Symbols

# The rest of a tag after its name: attributes, with or without quotes, up to the end of the tag or the document.
_ATTRIBUTES = r"""
    (?: [\t\n\f\r /]*+ [^\t\n\f\r />] [^>=/]*+
        (?: = [\t\n\f\r ]*+ (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\t\n\f\r >]++ )? )?
    )*+ [\t\n\f\r /]*+ (?: > | \Z )"""

# Elements whose content, up to their own end tag, is not text.
_RAW = ("script", "style", "xmp", "iframe", "noembed", "noframes")
_ELEMENT = r"<{0}(?=[\t\n\f\r />]) {1} .*?(?: </{0}(?=[\t\n\f\r />]) {1} | \Z )"

# One group, so that `split` returns the text between. The commonest come first: tags without attributes, entities.
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

# Tags at which a browser begins a line.
_BLOCK = re.compile(
    r"</?(?:p|div|br|h[1-6]|li|ul|ol|dl|dt|dd|tr|table|blockquote|pre|section|article|header|footer|hr|title|caption)\b",
    re.IGNORECASE | re.ASCII,
)

LONGEST_KEPT = 64  # characters of a reference that are read; all names of characters are shorter


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of the text of a page; Unreadable if that takes too much memory."""
    source, note = decode_page(content)
    extracted, hidden = extract_text(source, version)
    if hidden:
        note += f", {hidden} hidden character{'' if hidden == 1 else 's'} left out"
    symbols = extracted.fold(note, alphabet, version)
    symbols.hidden = hidden
    return symbols


def decode_page(content: bytes | str) -> tuple[str, str]:
    """Return the source of a page, and a note on how it was decoded."""
    declared = _DECLARED.search(content, 0, DECLARED_WITHIN) if isinstance(content, bytes) else None
    text, note = as_text(content, declared[1].decode("ascii") if declared else None)
    return text if isinstance(text, str) else text.decode("ascii"), note


def extract_text(source: str, version: int = READER_VERSION, *, lines: bool = False) -> tuple[MappedText, int]:
    """Return the text of a page, with entities decoded, and the number of letters and digits left out as hidden.

    lines: begin a line where a browser does. Raises Unreadable if that takes too much memory.
    """
    tags = source.count("<") + source.count("&")
    if tags * BYTES_PER_TAG + 3 * len(source) > limits.current().memory:
        raise Unreadable(f"{limits.current().memory_fault()}: it has {tags:,} tags")
    parts = _MARKUP.split(source)
    markup = parts[1::2]
    parts[1::2] = ["\n" if lines and _BLOCK.match(item) else "" for item in markup]
    surpluses: list[tuple[int, int]] = []
    if "&" in source:
        for number, match in enumerate(markup):
            if match[0] == "&":
                index = 2 * number + 1
                parts[index], surplus = decode_entity(match)
                if surplus:
                    parts[index + 1] = match[-surplus:] + parts[index + 1]
                    surpluses.append((index, surplus))
    hidden = _blank_hidden(source, parts, markup) if version > 1 else 0
    return MappedText(source, parts, partial(_slices, parts, markup, surpluses)), hidden


def extract_lines(source: str, version: int = READER_VERSION) -> tuple[str, int]:
    """Return the text of a page as `extract_text` does, on lines of its own where a browser begins one."""
    extracted, hidden = extract_text(source, version, lines=True)
    lines = map(str.strip, "".join(extracted.parts).splitlines())
    return "\n".join(filter(None, lines)), hidden


def _blank_hidden(source: str, parts: list[str], markup: list[str]) -> int:
    """Replace the parts that are not shown by spaces; return the number of letters and digits in them."""
    hidden = 0
    for number in find_hidden(source, markup):
        index = 2 * number + 1
        hidden += sum(map(str.isalnum, parts[index] + parts[index + 1]))
        parts[index], parts[index + 1] = "", " " * len(parts[index + 1])
    return hidden


def _slices(parts: list[str], markup: list[str], surpluses: list[tuple[int, int]]) -> tuple[I64, I64]:
    """Return the slice of the source of each part; surpluses: entities with characters that belong to the next part."""
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    lengths[1::2] = np.fromiter(map(len, markup), np.int64, len(markup))
    for index, surplus in surpluses:
        lengths[index] -= surplus
    ends = np.cumsum(lengths)
    return ends - lengths, ends


def decode_entity(reference: str) -> tuple[str, int]:
    """Return the text of a character reference, and the number of characters at its end that do not belong to it.

    Of a name without semicolon the longest known prefix counts; an ampersand without any stands for itself.
    """
    if len(reference) <= LONGEST_KEPT:
        return _decode_short(reference)
    if reference[1] == "#":  # too long to be a character's number, unless it begins with zeros
        number = reference.rstrip(";").lstrip("&#xX").lstrip("0")
        base = "x" if reference[2] in "xX" else ""
        return _decode_short(f"&#{base}{number or 0};") if len(number) < LONGEST_KEPT - 4 else ("\ufffd", 0)
    text, surplus = _decode_short(reference[:LONGEST_KEPT])
    return text, surplus + len(reference) - LONGEST_KEPT


@lru_cache(maxsize=4096)
def _decode_short(reference: str) -> tuple[str, int]:
    if reference[1] == "#":
        return unescape(reference), 0
    for end in range(len(reference), 2, -1):
        if reference[1:end] in html5:
            return html5[reference[1:end]], len(reference) - end
    return "&", len(reference) - 1
