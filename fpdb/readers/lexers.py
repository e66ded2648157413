"""Cut programs into tokens by Pygments, for all languages it has a lexer of, and guess languages by it.

Its regular expressions take for ever on some texts, so they run in the sandbox.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fpdb.arrays import I64
from fpdb.errors import MissingPackage
from fpdb.limits import Reading, timed_reading
from fpdb.readers import imports
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.tokens import TokenClass, Tokens, as_characters, token_symbol

if TYPE_CHECKING:
    from pygments.token import _TokenType

# Words that begin a line that imports or names a package: as any keyword, and as one that Pygments gives to namespaces.
IMPORTS = frozenset({"import", "package"})
ALL_IMPORTS = IMPORTS | frozenset({"from", "use", "using", "include", "require", "open", "library"})

LINE_RELATIVE = frozenset({"fortranfixed"})  # lexers that return offsets in the line, not in the text
GUESS_FROM = 1 << 14  # first characters that a guess reads, since some analyses take long
_CHECKED = 1 << 14  # tokens after which the time is looked at


class _Token(NamedTuple):
    """A token's first character, the one behind its last, its symbol, and whether it can begin an import."""

    start: int
    end: int
    symbol: int
    is_import: bool = False


def check_packages() -> None:
    """Raise MissingPackage without Pygments."""
    if find_spec("pygments") is None:
        raise MissingPackage("Pygments is needed to read this language: pip install 'fpdb[code]'")


def guess_language(text: str, name: str | None = None) -> str | None:
    """Return the language that Pygments guesses by a file's name, of several by its text, or by the text alone.

    None if it guesses none.
    """
    check_packages()
    head = text[:GUESS_FROM].encode("utf-8", "replace").decode()
    valid_name = None if name is None else name.encode("utf-8", "replace").decode()
    with timed_reading() as reading:
        language: str | None = SANDBOX.call("guess", valid_name, head, reading=reading)
    return None if language in ("text", "output") else language


def tokenise(text: str, language: str) -> Tokens:
    """Return the tokens of a program in a language by its name in Pygments.

    Raises:
        MissingPackage: Pygments is not installed.
        Unreadable: Lexing takes too long.
    """
    check_packages()
    plain = end_lines(text)
    columns = array("I"), array("q"), array("q")
    with timed_reading() as reading:
        for token in _drop_imports(_merge_literals(lex(language, plain, reading), language in LINE_RELATIVE)):
            for column, value in zip(columns, (token.symbol, token.start, token.end - 1), strict=True):
                column.append(value)
    symbols, starts, lasts = np.array(columns[0], np.uint32), np.array(columns[1]), np.array(columns[2])
    order = np.argsort(starts, kind="stable")  # some lexers contain others, whose tokens come later
    symbols, starts, lasts = symbols[order], starts[order], lasts[order]
    # The line feed that was added at the end is no token.
    is_token = imports.find_other_tokens(plain, language, starts) & (starts < len(plain) - 1)
    symbols, starts, lasts = symbols[is_token], starts[is_token], lasts[is_token]
    starts, lasts = (restore_offsets(text, index) for index in (starts, lasts))
    return Tokens(symbols, starts, np.minimum(lasts + 1, len(text)), as_characters)


def end_lines(text: str) -> str:
    """Return the text with all lines, also the last one, ended by a line feed, the only end that lexers know."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text + "\n"


def restore_offsets(text: str, offsets: I64) -> I64:
    """Return offsets in the result of `end_lines` as those in the text."""
    if "\r\n" not in text:
        return offsets
    dropped = np.array([match.start() for match in re.finditer("\r\n", text)], np.int64)
    dropped -= np.arange(len(dropped))
    return offsets + np.searchsorted(dropped, offsets, side="right")


def lex(language: str, text: str, reading: Reading) -> Iterator[tuple[int, "_TokenType", str]]:
    """Yield the offset, type and text of each token; Unreadable if it takes too long."""
    from pygments.token import string_to_tokentype

    content = text.encode("utf-8", "surrogatepass")
    names, *columns, joined = SANDBOX.call("lex", language, content, reading=reading)
    types = [string_to_tokentype(name) for name in names]
    tokens = joined.decode("utf-8", "surrogatepass")
    kinds, starts, lengths = (array(code, column) for code, column in zip("HII", columns, strict=True))
    offset = 0
    for number, (kind, start, length) in enumerate(zip(kinds, starts, lengths, strict=True)):
        if number % _CHECKED == 0:
            reading.check_time()
        yield start, types[kind], tokens[offset : offset + length]
        offset += length


def _merge_literals(lexed: Iterable[tuple[int, "_TokenType", str]], line_relative: bool) -> Iterator[_Token | None]:
    """Yield the tokens, with the parts of a literal merged, and None at the end of each line."""
    from pygments.token import Comment, Keyword

    pending: tuple[int, int, TokenClass] | None = None
    end = 0
    for lexer_start, kind, text in lexed:
        if not text:  # some lexers return empty tokens
            continue
        start = end if line_relative else lexer_start
        end += len(text)
        literal = _literal_class(kind)
        if literal and pending and pending[1:] == (start, literal):
            pending = (pending[0], start + len(text), literal)
            continue
        if pending:
            yield _Token(pending[0], pending[1], token_symbol(pending[2].value))
            pending = None
        stripped = text.strip()
        if literal:
            pending = (start, start + len(text), literal)
        elif stripped and kind not in Comment:
            first = start + len(text) - len(text.lstrip())
            import_words = ALL_IMPORTS if kind in Keyword.Namespace else IMPORTS
            is_import = kind in Keyword and stripped.lower() in import_words
            yield _Token(first, first + len(stripped), _symbol(kind, stripped), is_import)
        if "\n" in text:
            yield None
    if pending:
        yield _Token(pending[0], pending[1], token_symbol(pending[2].value))


@cache
def _literal_class(kind: "_TokenType") -> TokenClass | None:
    from pygments.token import Literal

    if kind in Literal.String or kind is Literal:
        return TokenClass.CHARACTER if kind in Literal.String.Char else TokenClass.STRING
    return None


def _symbol(kind: "_TokenType", token: str) -> int:
    """Return the symbol of a token that is no string. Case does not count in keywords, as in many languages."""
    from pygments.token import Keyword, Name, Number, Text

    if kind in Name or kind in Text:
        return token_symbol(TokenClass.IDENTIFIER.value)
    if kind in Number:
        return token_symbol(TokenClass.NUMBER.value)
    return token_symbol(token.lower() if kind in Keyword else token)


def _drop_imports(tokens: Iterator[_Token | None]) -> Iterator[_Token]:
    """Yield the tokens of all lines that do not begin with an import."""
    is_first, is_dropped = True, False
    for token in tokens:
        if token is None:
            is_first, is_dropped = True, False
            continue
        is_dropped = is_dropped or (is_first and token.is_import)
        is_first = False
        if not is_dropped:
            yield token
