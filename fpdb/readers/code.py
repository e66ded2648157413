"""Read source code as tokens, so that names, values, comments and layout do not count.

Comments, white space, and lines that import or name a package have no symbols. All identifiers are one symbol, as are
all literals of a class (string, character, number). Keywords and operators stand for themselves; from version 2 of the
readers on, those of declarations do not: see `fold_declarations`.
"""

import re
from functools import partial

from fpdb.errors import Unreadable
from fpdb.readers import grammars, languages, lexers
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.symbols import Symbols
from fpdb.readers.tokens import fold_declarations

# How a source file declares its encoding, in its first two lines (PEP 263; Ruby and Emacs alike).
_DECLARED = re.compile(rb"\A(?:[^\r\n]*\r?\n)?[ \t\f]*+(?:#|//|/\*|;++|--).*?coding[:=][ \t]*([-\w.]+)")

HEAD = 1 << 16
DECLARING = frozenset(
    {"c", "cpp", "csharp", "dart", "go", "java", "javascript"}
    | {"kotlin", "php", "rust", "scala", "swift", "tsx", "typescript"}
)
"""Languages whose variables are declared with modifiers and types."""


def read(
    content: bytes | str, _alphabet: str = "tokens", name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the tokens of a program in the language of its file's name, or its first line, or its content.

    Raises:
        MissingPackage: The package that reads the language is not installed.
        Unreadable: No language is recognised, or reading takes too long.
    """
    declared = _DECLARED.match(content) if isinstance(content, bytes) else None
    text, encoding = as_text(content, declared[1].decode("ascii") if declared else None)
    language = find_language(text, name, version)
    if language in grammars.GRAMMARS:
        tokens = grammars.tokenise(text, language)
    else:
        tokens = lexers.tokenise(text if isinstance(text, str) else text.decode("ascii"), language)
    if version > 1 and language in DECLARING:
        tokens = fold_declarations(tokens)
    locate, locate_ends = (partial(tokens.to_characters, offsets) for offsets in (tokens.starts, tokens.ends))
    return Symbols(tokens.values, locate, f"{language}; {encoding}", text, locate_ends)


def find_language(text: str | bytes, name: str | None, version: int = READER_VERSION) -> str:
    """Return the language by the file's name, the first line, or the content; may raise as `read` does.

    By the content, it is from version 2 of the readers on the one with the fewest errors, or what Pygments guesses.
    """
    head = text[:HEAD] if isinstance(text, str) else text[:HEAD].decode("ascii")
    language = (languages.language_by_name(name, head) if name else None) or languages.language_by_shebang(head)
    if language is None and name is not None:
        language = lexers.guess_language(head, name)
    if language is None and version > 1:
        language = grammars.guess_language(head)
    language = language or lexers.guess_language(head)
    if language is None:
        raise Unreadable("the programming language cannot be told; give it a name that tells it, such as main.py")
    return language
