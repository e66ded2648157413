"""Source code: to tokens, so that neither names nor values, comments nor layout count.

Comments, white space, and lines that import or name a package are no symbols; every identifier is one and the same
symbol, as is every literal of a sort (string, character, number); keywords and operators stand for themselves.
"""

import re
from functools import partial

from fpdb.readers import grammars, languages, lexers
from fpdb.readers.encodings import as_text
from fpdb.readers.symbols import Symbols
from fpdb.readers.tokens import ALPHABET, Tokens

# How a source file says what it is encoded in, in its first two lines (PEP 263; Ruby and Emacs alike).
_DECLARED = re.compile(rb"\A(?:[^\r\n]*\r?\n)?[ \t\f]*+(?:#|//|/\*|;++|--).*?coding[:=][ \t]*([-\w.]+)")

HEAD = 1 << 16


def read(content: bytes | str, _alphabet: str = ALPHABET, name: str | None = None) -> Symbols:
    """The tokens of a program. name: of its file, which says the language; else its first line or its content does.

    MissingPackage: what reads the language is not installed. Unreadable: no language is recognised.
    """
    found = _DECLARED.match(content) if isinstance(content, bytes) else None
    text, encoding = as_text(content, found[1].decode("ascii") if found else None)
    language = find_language(text, name)
    tokens = _tokenise(text, language)
    note = f"{language}; {encoding}"
    locate, locate_ends = partial(tokens.characters, tokens.starts), partial(tokens.characters, tokens.ends)
    return Symbols(tokens.values, locate, note, text, locate_ends)


def find_language(text: str | bytes, name: str | None) -> str:
    """The language by name, else by the first line, else by the content; MissingPackage, Unreadable."""
    head = text[:HEAD] if isinstance(text, str) else text[:HEAD].decode("ascii")
    found = (languages.by_name(name, head) if name else None) or languages.by_shebang(head)
    return found or lexers.guess_language(head, name)


def _tokenise(text: str | bytes, language: str) -> Tokens:
    if language in grammars.GRAMMARS:
        return grammars.tokenise(text, language)
    return lexers.tokenise(text if isinstance(text, str) else text.decode("ascii"), language)
