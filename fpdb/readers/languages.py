"""The table of programming languages, and how to tell the language of a file by its name or its first line.

Languages have the names of Pygments (first aliases).
"""

import re
from collections.abc import Mapping
from posixpath import basename
from typing import NamedTuple

from fpdb.readers.kinds import get_extension


class Grammar(NamedTuple):
    """A package of tree-sitter, the kinds of nodes that import or name packages, and the function for the language."""

    package: str
    import_kinds: str
    function: str = "language"


class Language(NamedTuple):
    """A row of the table. A language without grammar is read by Pygments.

    extensions: those of no other language. programs: interpreters that a first line may name. imports: beginnings of
    lines that import or name a package, if its grammar or lexer does not mark them; they continue after a comma.
    import_statements: such statements as a whole, if they span lines, or blocks begin like them.
    """

    extensions: str = ""
    programs: str = ""
    imports: str = ""
    import_statements: str = ""
    grammar: Grammar | None = None


_ECMA = "import_statement import_alias"
_PYTHON = Grammar("tree_sitter_python", "import_statement import_from_statement future_import_statement")
_CSHARP = Grammar("tree_sitter_c_sharp", "using_directive extern_alias_directive file_scoped_namespace_declaration")
_PHP_IMPORTS = r"(require|require_once|include|include_once)\b[^;\n]*;|namespace[ \t]+[\w\\]+[ \t]*;"
_RUBY_IMPORTS = r"(require|require_relative|load|autoload)(?=[ \t]*[(\"']|[ \t]+[:A-Za-z_@$])"

LANGUAGES: Mapping[str, Language] = {
    "java": Language("java", grammar=Grammar("tree_sitter_java", "import_declaration package_declaration")),
    "python": Language("py pyw pyi", "python pypy", grammar=_PYTHON),
    "c": Language("c", grammar=Grammar("tree_sitter_c", "preproc_include")),
    "cpp": Language(
        "cpp cc cxx c++ hpp hh hxx h++ ipp tpp ino cu cuh",
        grammar=Grammar("tree_sitter_cpp", "preproc_include using_declaration"),
    ),
    "javascript": Language("js mjs cjs jsx", "node", grammar=Grammar("tree_sitter_javascript", _ECMA)),
    "typescript": Language(
        "ts mts cts", "deno", grammar=Grammar("tree_sitter_typescript", _ECMA, "language_typescript")
    ),
    "tsx": Language("tsx", grammar=Grammar("tree_sitter_typescript", _ECMA, "language_tsx")),
    "go": Language("go", grammar=Grammar("tree_sitter_go", "import_declaration package_clause")),
    "rust": Language("rs", grammar=Grammar("tree_sitter_rust", "use_declaration extern_crate_declaration")),
    "csharp": Language("cs csx", grammar=_CSHARP),
    "ruby": Language("rb rake gemspec", "ruby", _RUBY_IMPORTS, grammar=Grammar("tree_sitter_ruby", "")),
    "php": Language(
        "php php3 php4 php5 phtml",
        "php",
        import_statements=_PHP_IMPORTS,
        grammar=Grammar("tree_sitter_php", "namespace_use_declaration", "language_php"),
    ),
    "ada": Language("adb ads ada", imports=r"with\b"),
    "awk": Language("awk", "awk gawk", r"@(include|load)\b"),
    "bash": Language("sh bash ksh zsh", "sh bash dash ksh zsh", r"(source|\.)[ \t]"),
    "batch": Language("bat cmd"),
    "clojure": Language("clj cljs cljc", imports=r"\((ns|in-ns|:?require|:?use|:?import)\b"),
    "cobol": Language("cob cobol cbl cpy", imports=r"copy\b"),
    "common-lisp": Language("lisp lsp cl el", imports=r"\((require|in-package|use-package|load)\b"),
    "crystal": Language("cr", imports=r"require\b"),
    "d": Language("d di", imports=r"module\b"),
    "dart": Language("dart", imports=r"(library|export|part)\b"),
    "delphi": Language("pas dpr dpk lpr", imports=r"(unit|uses)\b", import_statements=r"uses\b[^;]{0,1000};"),
    "elixir": Language("ex exs", imports=r"alias\b"),
    "elm": Language("elm", imports=r"module\b"),
    "erlang": Language("erl hrl", "escript", r"-[ \t]*(module|include|include_lib|import)\b"),
    "fsharp": Language("fs fsi fsx", imports=r"(open|namespace)\b"),
    "fortran": Language("f90 f95 f03 f08", imports=r"(use|include)\b"),
    "fortranfixed": Language("f for ftn f77", imports=r"(use|include)\b"),
    "groovy": Language("groovy gradle", "groovy"),
    "haskell": Language("hs", imports=r"module\b"),
    "julia": Language("jl", "julia", r"(using\b|include\()"),
    "kotlin": Language("kt kts"),
    "lua": Language("lua", "lua", r"require\b"),
    "nasm": Language("asm nasm"),
    "nim": Language("nim nims"),
    "ocaml": Language("ml mli", imports=r"open\b"),
    "perl": Language("", "perl", r"(use|no|require|package)\b"),
    "powershell": Language("ps1 psm1", imports=r"(using|import-module)\b"),
    "prolog": Language("prolog", imports=r":-[ \t]*(module|use_module|ensure_loaded)\b"),
    "racket": Language("racket", imports=r"(\(require\b|#lang\b)"),
    "scala": Language("scala sc"),
    "scheme": Language("scm ss", imports=r"\((import|load|require|use-modules)\b"),
    "smalltalk": Language("st"),
    "splus": Language("r", "rscript", r"(library|require|source)\("),
    "sql": Language("sql", imports=r"use\b"),
    "swift": Language("swift"),
    "systemverilog": Language("sv svh", imports=r"`include\b"),
    "tcl": Language("tcl", "tclsh", r"(package|source)\b"),
    "vb.net": Language("vb", imports=r"imports\b"),
    "vhdl": Language("vhd vhdl", imports=r"(library|use)\b"),
    "zig": Language("zig"),
}
EXTENSIONS = {extension: name for name, row in LANGUAGES.items() for extension in row.extensions.split()}
_PROGRAMS = {program: name for name, row in LANGUAGES.items() for program in row.programs.split()}
# Extensions that several languages share.
_AMBIGUOUS = "h m mm pl pm s v sol vala hx coffee cfc cls bas lhs mod pp pro p4 raku"
AMBIGUOUS = frozenset(_AMBIGUOUS.split())

_SHEBANG = re.compile(r"\ufeff?#![ \t]*(?:\S*/)?env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*(\S+)|\ufeff?#![ \t]*(\S+)")
_CPP = re.compile(r"\b(?:class|namespace|template|public:|private:|constexpr|nullptr)\b|\w::\w")


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
    return _PROGRAMS.get(re.sub(r"[\d.]+$", "", program))
