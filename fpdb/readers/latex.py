r"""Read LaTeX: the text without commands, formulas, comments and preamble; offsets are those of the source.

The text in the arguments of commands counts (\section{}, \emph{}), but for those that are names, keys, lengths or
definitions. Nothing is expanded, and files of \input are not read.
"""

import re
from functools import partial
from typing import Final

import numpy as np

from fpdb import limits
from fpdb.arrays import I64
from fpdb.errors import Unreadable
from fpdb.limits import BYTES_PER_TAG
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.offset_map import MappedText
from fpdb.readers.symbols import Symbols

_DISPLAYS: Final = (
    "equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|comment|tikzpicture|pgfpicture|picture"
)
_COLUMNS: Final = "tabular[*xy]?|array|longtable|minipage|multicols|thebibliography|wrapfigure"
"""Environments whose first arguments are widths and columns."""
_ONE_ARGUMENT: Final = (
    "label|[a-zA-Z]*ref|[a-zA-Z]*cite[a-zA-Z]*|bibliography|bibliographystyle|addbibresource|usepackage|documentclass"
    "|input|include|includeonly|includegraphics|lstinputlisting|graphicspath|pagestyle|thispagestyle|pagenumbering"
    "|[hv]space|color|hypersetup|geometry|url|href|textcolor|colorbox|end|index|vskip|hskip|selectlanguage|fontsize"
)
_ALL_ARGUMENTS: Final = (
    "(?:re)?newcommand|providecommand|DeclareMathOperator|(?:re)?newenvironment|newtheorem|setlength|addtolength"
    "|setcounter|addtocounter|definecolor|rule|newcounter|newlength|DeclareRobustCommand|lstset|tikzset|hyphenation"
    "|addcontentsline"
)
_ARGUMENT: Final = r"\{ (?: [^{}\\] | \\. | \{ (?: [^{}\\] | \\. | \{ (?: [^{}\\] | \\. )*+ \} )*+ \} )*+ \}"
_OPTION: Final = r"\[ [^\]\n]{0,500}+ \]"
_SPACE: Final = r"[ \t]*+ (?: \r?\n [ \t]*+ )?+"
_LETTERS: Final = {
    "ss": "ss",
    "ae": "ae",
    "AE": "AE",
    "oe": "oe",
    "OE": "OE",
    "aa": "a",
    "AA": "A",
    "dj": "d",
    "th": "th",
}
"""Letters that are commands, but for those that are the letter of the command."""

_MARKUP: Final = re.compile(
    rf"""
    % [^\n]*+ (?: \n [ \t]*+ )?
  | \$\$ .*? (?: \$\$ | \Z )
  | \$ (?: [^$\\\n] | \\. | \n (?! [ \t]*+ \n ) )*+ \$
  | \\ (?:
      \[ .*? (?: \\\] | \Z )
    | \( .*? (?: \\\) | \Z )
    | begin [ \t]*+ \{{ (?P<display> {_DISPLAYS} ) (?P<star> \*? ) \}}
        .*? (?: \\end [ \t]*+ \{{ (?P=display) (?P=star) \}} | \Z )
    | begin [ \t]*+ \{{ (?: {_COLUMNS} ) \}}
        (?: {_SPACE} (?: {_OPTION} | {_ARGUMENT} ) )*+
    | begin [ \t]*+ \{{ [^{{}}\n]*+ \}} (?: {_OPTION} )?+
    | end [ \t]*+ \{{document\}} .* \Z
    | iffalse (?![a-zA-Z]) .*? (?: \\fi (?![a-zA-Z]) | \Z )
    | verb \*? (?P<quote> [^a-zA-Z\s*] ) (?P<verbatim> [^\n]{{0,500}}? ) (?P=quote)
    | ["'`^~=.] \s?+ (?: \{{ \\? (?P<braced> [a-zA-Z] ) \}} | \\? (?P<accented> [a-zA-Z] ) )
    | [uvHcdbkrt] (?: [ ]++ (?P<after> [a-zA-Z] ) (?![a-zA-Z]) | \{{ (?P<inside> [a-zA-Z]{{1,2}} ) \}} )
    | (?P<letter> ss | ae | AE | oe | OE | aa | AA | [oOlLij] | dj | th ) (?![a-zA-Z]) (?: \{{\}} | [ ] )?+
    | let [ ]*+ \\ [a-zA-Z]++ [ =]*+ \\ [a-zA-Z]++
    | [gex]?def [ ]*+ \\ [a-zA-Z]++ [\#0-9]*+ {_ARGUMENT}
    | (?: {_ALL_ARGUMENTS} ) (?![a-zA-Z]) \*?+ (?: [ ]*+ \\ [a-zA-Z]++ )?+
        (?: {_SPACE} (?: {_OPTION} | {_ARGUMENT} ) )*+
    | (?: {_ONE_ARGUMENT} ) (?![a-zA-Z]) \*?+ (?: {_SPACE} {_OPTION} )*+ (?: {_SPACE} {_ARGUMENT} )?+
    | [a-zA-Z]++ \*?+ (?: {_OPTION} )*+
    | \\ (?: {_OPTION} )?+
    | .
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_BODY: Final = re.compile(r"\\begin[ \t]*+\{document\}")
_TITLE: Final = re.compile(rf"\\title\s*+{_ARGUMENT}", re.VERBOSE | re.DOTALL)


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a document's text; Unreadable if that takes too much memory."""
    text, note = as_text(content)
    source = text if isinstance(text, str) else text.decode("ascii")
    return extract_text(source).fold(f"latex; {note}", alphabet, version)


def extract_text(source: str) -> MappedText:
    """Return the text of a document. Raises Unreadable if that takes too much memory."""
    tags = sum(map(source.count, "\\$%"))
    if tags * BYTES_PER_TAG + 3 * len(source) > limits.current().memory:
        raise Unreadable(f"{limits.current().memory_fault()}: it has {tags:,} commands")
    parts: list[str] = []
    ends: list[int] = []
    body = _BODY.search(source)
    title = body and _TITLE.search(source, 0, body.start())
    if title:
        _skip(title.start(), parts, ends)
        _append(source, title.end(), parts, ends)
    if body:
        _skip(body.start(), parts, ends)
    _append(source, len(source), parts, ends)
    return MappedText(source, parts, partial(_slices, ends))


def _skip(end: int, parts: list[str], ends: list[int]) -> None:
    parts.append("")
    ends.append(end)


def _append(source: str, end: int, parts: list[str], ends: list[int]) -> None:
    """Append the text up to an end, and where each part of it ends in the source."""
    start = ends[-1] if ends else 0
    for match in _MARKUP.finditer(source, start, end):
        parts += source[start : match.start()], _replacement(match)
        start = match.end()
        ends += match.start(), start
    parts.append(source[start:end])
    ends.append(end)


def _replacement(match: re.Match[str]) -> str:
    """Return the text that a piece of markup stands for."""
    if match.lastgroup in ("braced", "accented", "after", "inside", "verbatim"):
        return str(match[match.lastgroup])
    if match.lastgroup == "letter":
        return _LETTERS.get(match["letter"], match["letter"])
    return ""


def _slices(ends: list[int]) -> tuple[I64, I64]:
    behind = np.array(ends, np.int64)
    return np.concatenate(([0], behind[:-1])), behind
