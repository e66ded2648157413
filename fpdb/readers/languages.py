"""Tell the programming language of a file by its name or its first line.

Languages have the names of Pygments (first aliases).
"""

import re
from collections.abc import Mapping
from posixpath import basename

# Extensions of one language. Those that several languages share (.m, .pl, .v, ...) are in AMBIGUOUS.
EXTENSIONS: Mapping[str, str] = {
    extension: language
    for language, extensions in {
        "java": "java",
        "python": "py pyw pyi",
        "c": "c",
        "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp tpp ino cu cuh",
        "javascript": "js mjs cjs jsx",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "go": "go",
        "rust": "rs",
        "csharp": "cs csx",
        "ruby": "rb rake gemspec",
        "php": "php php3 php4 php5 phtml",
        "ada": "adb ads ada",
        "awk": "awk",
        "bash": "sh bash ksh zsh",
        "batch": "bat cmd",
        "clojure": "clj cljs cljc",
        "cobol": "cob cobol cbl cpy",
        "common-lisp": "lisp lsp cl el",
        "crystal": "cr",
        "d": "d di",
        "dart": "dart",
        "delphi": "pas dpr dpk lpr",
        "elixir": "ex exs",
        "elm": "elm",
        "erlang": "erl hrl",
        "fsharp": "fs fsi fsx",
        "fortran": "f90 f95 f03 f08",
        "fortranfixed": "f for ftn f77",
        "groovy": "groovy gradle",
        "haskell": "hs",
        "julia": "jl",
        "kotlin": "kt kts",
        "lua": "lua",
        "nasm": "asm nasm",
        "nim": "nim nims",
        "ocaml": "ml mli",
        "powershell": "ps1 psm1",
        "prolog": "prolog",
        "racket": "rkt",
        "scala": "scala sc",
        "scheme": "scm ss",
        "smalltalk": "st",
        "splus": "r",
        "sql": "sql",
        "swift": "swift",
        "systemverilog": "sv svh",
        "tcl": "tcl",
        "vb.net": "vb",
        "vhdl": "vhd vhdl",
        "zig": "zig",
    }.items()
    for extension in extensions.split()
}
_AMBIGUOUS = "h m mm pl pm s v sol vala hx coffee cfc cls bas lhs mod pp pro p4 raku"
AMBIGUOUS = frozenset(_AMBIGUOUS.split())
SHEBANGS: Mapping[str, str] = {
    program: language
    for language, programs in {
        "python": "python pypy",
        "javascript": "node",
        "typescript": "deno",
        "ruby": "ruby",
        "php": "php",
        "bash": "sh bash dash ksh zsh",
        "perl": "perl",
        "lua": "lua",
        "tcl": "tclsh",
        "splus": "rscript",
        "awk": "awk gawk",
        "julia": "julia",
        "groovy": "groovy",
        "erlang": "escript",
    }.items()
    for program in programs.split()
}

_SHEBANG = re.compile(r"\ufeff?#![ \t]*(?:\S*/)?env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*(\S+)|\ufeff?#![ \t]*(\S+)")
_CPP = re.compile(r"\b(?:class|namespace|template|public:|private:|constexpr|nullptr)\b|\w::\w")


def get_extension(name: str) -> str:
    """Return the extension of a file's name, without its dot and in lower case; "" if it has none."""
    base = name[name.rfind("/") + 1 :].lstrip(".")  # `.profile` has none
    return base[base.rfind(".") + 1 :].lower() if "." in base else ""


def is_code_extension(extension: str) -> bool:
    """Return True if an extension, as `get_extension` returns it, is one of source code."""
    return extension in EXTENSIONS or extension in AMBIGUOUS


def language_by_name(name: str, text: str) -> str | None:
    """Return the language of a file by its extension; None if that belongs to none, or to several.

    A header (.h) is C++ if its text has words of C++, else C.
    """
    extension = get_extension(name)
    if extension == "h":
        return "cpp" if _CPP.search(text) else "c"
    return EXTENSIONS.get(extension)


def language_by_shebang(text: str) -> str | None:
    """Return the language of the interpreter that the first line names, or PHP after `<?php`; None if unknown."""
    if text.startswith("<?php"):
        return "php"
    line = _SHEBANG.match(text)
    if not line:
        return None
    program = basename(line[1] or line[2]).lower()
    return SHEBANGS.get(re.sub(r"[\d.]+$", "", program))
