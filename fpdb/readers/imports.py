"""Lines that import or name a package, for the languages whose grammar or lexer does not set them apart.

They are told by how they begin, as the first thing on their line; what is not a statement of its own, such as
`x = require("y")`, stays. `GRAMMARS` and `lexers` know the lines of all other languages.
"""

import re
from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fpdb.readers.tokens import Places

# How such a line begins; it goes on to its end, and on the next line if it ends with a comma.
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
# Where such a statement can span lines or blocks begin alike, all of it.
_WHOLE: Mapping[str, str] = {
    "delphi": r"uses\b[^;]{0,1000};",
    "php": r"(require|require_once|include|include_once)\b[^;\n]*;|namespace[ \t]+[\w\\]+[ \t]*;",
}
LANGUAGES = frozenset(_BEGINS) | frozenset(_WHOLE)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    wholes = [_WHOLE[language]] if language in _WHOLE else []
    begins = [rf"(?:{_BEGINS[language]})[^\n]*(?:(?<=,)\n[^\n]*)*"] if language in _BEGINS else []
    before = r"(?:<\?php[ \t]+)?" if language == "php" else ""
    return re.compile(rf"^[ \t]*{before}(?P<line>{'|'.join(wholes + begins)})", re.MULTILINE | re.IGNORECASE)


def keep(text: str, language: str, starts: Places) -> NDArray[np.bool_]:
    """(n,) bool: whether each token is of no such line. starts: ascending, indices of each one's first character."""
    kept = np.ones(len(starts), np.bool_)
    if language not in LANGUAGES:
        return kept
    lines = [found.span("line") for found in _pattern(language).finditer(text)]
    if not lines:
        return kept
    begins, ends = np.array(lines, np.int64).T
    first, behind = np.searchsorted(starts, begins), np.searchsorted(starts, ends)
    for line in range(len(lines)):
        at = first[line]
        if at < len(starts) and starts[at] == begins[line]:  # else it is inside a string or a comment
            kept[at : behind[line]] = False
    return kept
