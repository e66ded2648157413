"""Tokens by Pygments, for every language that it has a lexer of, and its guess at a language."""

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint.frontends import imports
from fpdb.fingerprint.frontends.tokens import Class, Tokens, number, same

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

# What begins a line that imports or names a package: as a keyword of any sort, and where Pygments knows it for one of
# namespaces.
IMPORTS = frozenset({"import", "package"})
ALL_IMPORTS = IMPORTS | frozenset({"from", "use", "using", "include", "require", "open", "library"})

# Lexers that say where in its line a token is, not where in the text.
COUNTING_LINES = frozenset({"fortranfixed"})

# A guess looks at so much, since some analyses take long.
GUESS_FROM = 1 << 14


def _pygments() -> Any:
    try:
        import pygments.lexers
    except ImportError as error:
        raise MissingPackage("Pygments is needed to read this language: pip install 'fpdb[code]'") from error
    return pygments


def guess_language(text: str, name: str | None) -> str:
    """The language that Pygments takes a text for, given its file's name if it has one; Unreadable if none."""
    pygments = _pygments()
    lexers, failures = pygments.lexers, pygments.util.ClassNotFound
    head = text[:GUESS_FROM]
    try:
        if name is not None:
            return str(lexers.guess_lexer_for_filename(name, head).aliases[0])
    except (failures, IndexError):
        pass
    try:
        found = lexers.guess_lexer(head)
    except failures:
        found = None
    if found is None or not found.aliases or found.aliases[0] in ("text", "output"):
        raise Unreadable("the programming language cannot be told by name or content; read it as text")
    return str(found.aliases[0])


@lru_cache(maxsize=64)
def _lexer(language: str) -> "Lexer":
    found: Lexer = _pygments().lexers.get_lexer_by_name(language)
    return found


def tokenise(text: str, language: str) -> Tokens:
    """The tokens of a program in a language as Pygments names it. MissingPackage."""
    plain = _newlines(text)
    rows = list(_without_imports(_merged(_lexer(language), plain, language in COUNTING_LINES)))
    rows.sort(key=itemgetter(0))  # some lexers have others in them, and tell those tokens later
    values = np.array([row[2] for row in rows], np.uint32)
    starts, lasts = np.array([(row[0], row[1] - 1) for row in rows], np.int64).reshape(-1, 2).T
    kept = imports.keep(plain, language, starts)
    values, starts, lasts = values[kept], starts[kept], lasts[kept]
    if "\r\n" in text:
        dropped = np.array([found.start() for found in re.finditer("\r\n", text)], np.int64)
        dropped -= np.arange(len(dropped))
        starts, lasts = (at + np.searchsorted(dropped, at, side="right") for at in (starts, lasts))
    return Tokens(values, starts, np.minimum(lasts + 1, len(text)), same)


def _newlines(text: str) -> str:
    """The text with each line, and the last one, ended by a line feed alone, since lexers know no other end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text + "\n"


# (first character, the one behind the last, symbol, whether a line that begins so is to be dropped)
_Row = tuple[int, int, int, bool]


def _merged(lexer: "Lexer", text: str, counting_lines: bool) -> Iterator[_Row | None]:
    """The tokens, parts of one literal being one; None at the end of each line."""
    from pygments.token import Comment, Keyword, Literal

    character, string = Literal.String.Char, Literal.String
    merging: tuple[int, int, Class] | None = None
    behind = 0
    for told, kind, token in lexer.get_tokens_unprocessed(text):
        at = behind if counting_lines else told
        behind += len(token)
        literal = None
        if kind in string or kind is Literal:
            literal = Class.CHARACTER if kind in character else Class.STRING
        if literal and merging and merging[1] == at and merging[2] is literal:
            merging = (merging[0], at + len(token), literal)
            continue
        if merging:
            yield merging[0], merging[1], number(merging[2].value), False
            merging = None
        stripped = token.strip()
        begin = at + len(token) - len(token.lstrip())
        if literal:
            merging = (at, at + len(token), literal)
        elif stripped and kind not in Comment:
            value = _symbol(kind, stripped)
            lower = stripped.lower()
            imports = kind in Keyword and lower in (ALL_IMPORTS if kind in Keyword.Namespace else IMPORTS)
            yield begin, begin + len(stripped), value, imports
        if "\n" in token:
            yield None
    if merging:
        yield merging[0], merging[1], number(merging[2].value), False


def _symbol(kind: "_TokenType", token: str) -> int:
    """Of what is neither a comment nor a string. Keywords count without case, which many languages ignore."""
    from pygments.token import Keyword, Name, Number, Text

    if kind in Name or kind in Text:
        return number(Class.IDENTIFIER.value)
    if kind in Number:
        return number(Class.NUMBER.value)
    return number(token.lower() if kind in Keyword else token)


def _without_imports(rows: Iterator[_Row | None]) -> Iterator[_Row]:
    first, dropping = True, False
    for row in rows:
        if row is None:
            first, dropping = True, False
            continue
        dropping = dropping or (first and row[3])
        first = False
        if not dropping:
            yield row
