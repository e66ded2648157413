"""Tokens by Pygments, for every language that it has a lexer of, and its guess at a language.

Its regular expressions take for ever on some texts, so they run in a process apart.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fpdb.errors import MissingPackage, Unreadable
from fpdb.readers import imports
from fpdb.readers.sandbox import HELPER
from fpdb.readers.tokens import Class, Tokens, number, same

if TYPE_CHECKING:
    from pygments.token import _TokenType

# What begins a line that imports or names a package: as a keyword of any sort, and where Pygments knows it for one of
# namespaces.
IMPORTS = frozenset({"import", "package"})
ALL_IMPORTS = IMPORTS | frozenset({"from", "use", "using", "include", "require", "open", "library"})

# Lexers that say where in its line a token is, not where in the text.
COUNTING_LINES = frozenset({"fortranfixed"})

# A guess looks at so much, since some analyses take long.
GUESS_FROM = 1 << 14


PACE = 50_000
"""Bytes a second that are slow for a lexer: most do ten times as many."""


def _check_packages() -> None:
    if find_spec("pygments") is None:
        raise MissingPackage("Pygments is needed to read this language: pip install 'fpdb[code]'")


def guess_language(text: str, name: str | None) -> str:
    """The language that Pygments takes a text for, given its file's name if it has one; Unreadable if none, or if it
    takes long to say."""
    _check_packages()
    head = text[:GUESS_FROM].encode("utf-8", "replace").decode()
    known = None if name is None else name.encode("utf-8", "replace").decode()
    found: str | None = HELPER.call("guess", known, head, size=len(head))
    if found is None or found in ("text", "output"):
        raise Unreadable("the programming language cannot be told by name or content; read it as text")
    return found


def _lexed(language: str, text: str) -> Iterator[tuple[int, "_TokenType", str]]:
    """Where each token begins, its type, and itself. Unreadable: it takes too long."""
    from pygments.token import string_to_tokentype

    content = text.encode("utf-8", "surrogatepass")
    names, *columns, said = HELPER.call("lexed", language, content, size=len(content), pace=PACE)
    types = [string_to_tokentype(name) for name in names]
    tokens = said.decode("utf-8", "surrogatepass")
    kinds, starts, lengths = (array(code, column) for code, column in zip("HII", columns, strict=True))
    at = 0
    for kind, start, length in zip(kinds, starts, lengths, strict=True):
        yield start, types[kind], tokens[at : at + length]
        at += length


def tokenise(text: str, language: str) -> Tokens:
    """The tokens of a program in a language as Pygments names it. MissingPackage; Unreadable if it takes too long."""
    _check_packages()
    plain = _newlines(text)
    rows = list(_without_imports(_merged(_lexed(language, plain), language in COUNTING_LINES)))
    rows.sort(key=itemgetter(0))  # some lexers have others in them, and tell those tokens later
    values = np.array([row[2] for row in rows], np.uint32)
    starts, lasts = np.array([(row[0], row[1] - 1) for row in rows], np.int64).reshape(-1, 2).T
    kept = imports.keep(plain, language, starts) & (starts < len(plain) - 1)  # the line feed that was added is none
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


def _merged(lexed: Iterable[tuple[int, "_TokenType", str]], counting_lines: bool) -> Iterator[_Row | None]:
    """The tokens, parts of one literal being one; None at the end of each line."""
    from pygments.token import Comment, Keyword, Literal

    character, string = Literal.String.Char, Literal.String
    merging: tuple[int, int, Class] | None = None
    behind = 0
    for told, kind, token in lexed:
        if not token:  # as some lexers tell
            continue
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
