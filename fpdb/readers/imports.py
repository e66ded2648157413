"""Find lines that import or name a package, in the languages whose grammar or lexer does not mark them.

They are recognised by the first word of the line; expressions such as `x = require("y")` do not count. `grammars` and
`lexers` know such lines of all other languages.
"""

import re
from functools import cache

import numpy as np

from fpdb.arrays import Bools
from fpdb.readers.languages import LANGUAGES
from fpdb.readers.tokens import Offsets

MARKED_BY_LINES = frozenset(name for name, row in LANGUAGES.items() if row.imports or row.import_statements)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    row = LANGUAGES[language]
    statements = [row.import_statements] if row.import_statements else []
    lines = [rf"(?:{row.imports})[^\n]*(?:(?<=,)\n[^\n]*)*"] if row.imports else []
    before = r"(?:<\?php[ \t]+)?" if language == "php" else ""
    return re.compile(rf"^[ \t]*{before}(?P<line>{'|'.join(statements + lines)})", re.MULTILINE | re.IGNORECASE)


def find_other_tokens(text: str, language: str, starts: Offsets) -> Bools:
    """Return (n,) bool: True for tokens outside of such lines; starts: ascending, their first characters."""
    is_other = np.ones(len(starts), np.bool_)
    if language not in MARKED_BY_LINES:
        return is_other
    lines = np.array([match.span("line") for match in _pattern(language).finditer(text)], np.int64).reshape(-1, 2)
    first, stop = np.searchsorted(starts, lines).T
    for line in range(len(lines)):
        token = first[line]
        if token < len(starts) and starts[token] == lines[line, 0]:  # else it is inside a string or a comment
            is_other[token : stop[line]] = False
    return is_other
