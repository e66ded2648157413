"""Find lines that import or name a package, in the languages whose grammar or lexer does not mark them.

They are recognised by the first word of the line; expressions such as `x = require("y")` do not count. `grammars` and
`lexers` know such lines of all other languages.
"""

import re
from collections.abc import Mapping
from functools import cache

import numpy as np

from fpdb.arrays import Bools
from fpdb.readers.tokens import Offsets

# Beginnings of such lines. The statement continues on the next line after a comma.
_BEGINS: Mapping[str, str] = {
    "ada": r"with\b",
    "awk": r"@(include|load)\b",
    "bash": r"(source|\.)[ \t]",
    "clojure": r"\((ns|in-ns|:?require|:?use|:?import)\b",
    "cobol": r"copy\b",
    "common-lisp": r"\((require|in-package|use-package|load)\b",
    "crystal": r"require\b",
    "d": r"module\b",
    "dart": r"(library|export|part)\b",
    "delphi": r"(unit|uses)\b",
    "elixir": r"alias\b",
    "elm": r"module\b",
    "erlang": r"-[ \t]*(module|include|include_lib|import)\b",
    "fortran": r"(use|include)\b",
    "fortranfixed": r"(use|include)\b",
    "fsharp": r"(open|namespace)\b",
    "haskell": r"module\b",
    "julia": r"(using\b|include\()",
    "lua": r"require\b",
    "ocaml": r"open\b",
    "perl": r"(use|no|require|package)\b",
    "powershell": r"(using|import-module)\b",
    "prolog": r":-[ \t]*(module|use_module|ensure_loaded)\b",
    "racket": r"(\(require\b|#lang\b)",
    "ruby": r"(require|require_relative|load|autoload)(?=[ \t]*[(\"']|[ \t]+[:A-Za-z_@$])",
    "scheme": r"\((import|load|require|use-modules)\b",
    "splus": r"(library|require|source)\(",
    "sql": r"use\b",
    "systemverilog": r"`include\b",
    "tcl": r"(package|source)\b",
    "vb.net": r"imports\b",
    "vhdl": r"(library|use)\b",
}
# Whole statements, of languages where they span lines or blocks begin alike.
_WHOLE: Mapping[str, str] = {
    "delphi": r"uses\b[^;]{0,1000};",
    "php": r"(require|require_once|include|include_once)\b[^;\n]*;|namespace[ \t]+[\w\\]+[ \t]*;",
}
LANGUAGES = frozenset(_BEGINS) | frozenset(_WHOLE)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    wholes = [_WHOLE[language]] if language in _WHOLE else []
    beginnings = [rf"(?:{_BEGINS[language]})[^\n]*(?:(?<=,)\n[^\n]*)*"] if language in _BEGINS else []
    before = r"(?:<\?php[ \t]+)?" if language == "php" else ""
    return re.compile(rf"^[ \t]*{before}(?P<line>{'|'.join(wholes + beginnings)})", re.MULTILINE | re.IGNORECASE)


def find_other_tokens(text: str, language: str, starts: Offsets) -> Bools:
    """Return (n,) bool: True for tokens outside of such lines.

    Args:
        text: The program.
        language: Its language.
        starts: (n,) ascending indices of each token's first character.
    """
    is_other = np.ones(len(starts), np.bool_)
    if language not in LANGUAGES:
        return is_other
    lines = [match.span("line") for match in _pattern(language).finditer(text)]
    if not lines:
        return is_other
    begins, ends = np.array(lines, np.int64).T
    first, stop = np.searchsorted(starts, begins), np.searchsorted(starts, ends)
    for line in range(len(lines)):
        token = first[line]
        if token < len(starts) and starts[token] == begins[line]:  # else it is inside a string or a comment
            is_other[token : stop[line]] = False
    return is_other
