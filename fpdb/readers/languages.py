"""Which programming language a file is in: by its name, else by its first line. Reads nothing else.

A language is named as Pygments names it (its first alias).
"""

import re
from collections.abc import Mapping
from posixpath import basename

# Extensions that mean one language. Those that several share (.m, .pl, .v, ...) are in AMBIGUOUS.
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
    "python": "python",
    "pypy": "python",
    "node": "javascript",
    "deno": "typescript",
    "ruby": "ruby",
    "php": "php",
    "sh": "bash",
    "bash": "bash",
    "dash": "bash",
    "ksh": "bash",
    "zsh": "bash",
    "perl": "perl",
    "lua": "lua",
    "tclsh": "tcl",
    "rscript": "splus",
    "awk": "awk",
    "gawk": "awk",
    "julia": "julia",
    "groovy": "groovy",
    "escript": "erlang",
}

_SHEBANG = re.compile(r"\ufeff?#![ \t]*(?:\S*/)?env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*(\S+)|\ufeff?#![ \t]*(\S+)")
_CPP = re.compile(r"\b(?:class|namespace|template|public:|private:|constexpr|nullptr)\b|\w::\w")


def extension_of(name: str) -> str:
    """The extension, without its dot and in lower case; "" if there is none."""
    base = name[name.rfind("/") + 1 :].lstrip(".")  # `.profile` has none
    return base[base.rfind(".") + 1 :].lower() if "." in base else ""


def means_code(extension: str) -> bool:
    """Whether a file's extension, as `extension_of` gives it, says that it is source code."""
    return extension in EXTENSIONS or extension in AMBIGUOUS


def by_name(name: str, text: str) -> str | None:
    """The language that a file's name says; None if it says none, or several.

    A header (.h) is C unless its text has words of C++.
    """
    extension = extension_of(name)
    if extension == "h":
        return "cpp" if _CPP.search(text) else "c"
    return EXTENSIONS.get(extension)


def by_shebang(text: str) -> str | None:
    """The language of the interpreter that the first line names, if it does and is known; of `<?php`, PHP."""
    if text.startswith("<?php"):
        return "php"
    found = _SHEBANG.match(text)
    if not found:
        return None
    program = basename(found[1] or found[2]).lower()
    return SHEBANGS.get(re.sub(r"[\d.]+$", "", program))
