"""Tokens by tree-sitter, for the languages that have a grammar in a package of its own.

A token is a leaf of the syntax tree, or a node that is one symbol whatever is below it, such as a string. What a
node is follows from the name that its grammar gives to its kind.
"""

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import MissingPackage, Unreadable
from fpdb.readers import imports, sandbox_worker
from fpdb.readers.sandbox import HELPER
from fpdb.readers.tokens import Class, Places, Tokens, number, same

# The parser counts bytes in 32 bits.
LARGEST = 2**31

# What has no more bytes is parsed right here: that takes a few seconds at worst.
SMALL = 1 << 13


class Grammar(NamedTuple):
    """A package, the function in it that gives the language, and the kinds of nodes that import or name packages."""

    package: str
    function: str
    imports: str


_ECMA = "import_statement import_alias"
GRAMMARS: Mapping[str, Grammar] = {
    "java": Grammar("tree_sitter_java", "language", "import_declaration package_declaration"),
    "python": Grammar(
        "tree_sitter_python", "language", "import_statement import_from_statement future_import_statement"
    ),
    "c": Grammar("tree_sitter_c", "language", "preproc_include"),
    "cpp": Grammar("tree_sitter_cpp", "language", "preproc_include using_declaration"),
    "javascript": Grammar("tree_sitter_javascript", "language", _ECMA),
    "typescript": Grammar("tree_sitter_typescript", "language_typescript", _ECMA),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx", _ECMA),
    "go": Grammar("tree_sitter_go", "language", "import_declaration package_clause"),
    "rust": Grammar("tree_sitter_rust", "language", "use_declaration extern_crate_declaration"),
    "csharp": Grammar(
        "tree_sitter_c_sharp", "language", "using_directive extern_alias_directive file_scoped_namespace_declaration"
    ),
    "ruby": Grammar("tree_sitter_ruby", "language", ""),
    "php": Grammar("tree_sitter_php", "language_php", "namespace_use_declaration"),
}

# Named kinds of nodes, in whatever grammar; the first that fits decides. Nothing: no symbol, nor what is below.
_KINDS: tuple[tuple[str, Class | None], ...] = (
    (r".*comment|hash_bang_line|shebang(_directive)?|php(_end)?_tag|line_continuation|uninterpreted", None),
    (r"preproc_(end)?region", None),
    (r"(multiline_)?comment_.*", None),
    (r"char(acter)?(_literal)?|rune_literal", Class.CHARACTER),
    (
        r"(raw_|interpreted_|verbatim_|interpolated_)*string(_literal|_expression)?|template_string|encapsed_string"
        r"|system_lib_string|(string|symbol)_array|subshell|simple_symbol|delimited_symbol|heredoc(_beginning|_body)?"
        r"|nowdoc|regex|template_literal_type|user_defined_literal",
        Class.STRING,
    ),
    (r"((binary|octal|decimal|hex)_)?(int(eger)?|float(ing_point)?|real|number|imaginary)(_literal)?", Class.NUMBER),
    (r"rational|complex", Class.NUMBER),
    (
        r"(field_|type_|property_|statement_|namespace_|package_|shorthand_(property_|field_)?|private_property_|blank_)*"
        r"identifier|shorthand_property_identifier_pattern|name|variable_name|label_name|label|metavariable|constant"
        r"|(instance|class|global)_variable|hash_key_symbol|namespace_name|discard",
        Class.IDENTIFIER,
    ),
)
_CLASSES = [(re.compile(pattern), named) for pattern, named in _KINDS]

# Text with white space around it that is none of it; one string.
_PADDED = frozenset({"jsx_text", "text", "preproc_arg"})

# What stands in the table of symbols for a kind that has none, for one whose symbol is its text's, and for `_PADDED`.
_NONE, _BY_TEXT, _TRIMMED = -1, -2, -3


class Language:
    """A language's grammar, and what its kinds of nodes are."""

    def __init__(self, grammar: Grammar) -> None:
        try:
            language = sandbox_worker.find_parser(grammar.package, grammar.function).language
        except ImportError as error:
            package = grammar.package.replace("_", "-")
            raise MissingPackage(
                f"tree-sitter and {package} are needed to read this language: pip install 'fpdb[code]'"
            ) from error
        self.grammar = grammar
        self.whole: list[int] = []
        """Kinds of nodes below which nothing is looked at."""
        packages = set(grammar.imports.split())
        # As many as there are numbers: that of what could not be parsed is the last.
        self.symbols = np.full(1 << 16, _BY_TEXT, np.int64)
        for kind in range(language.node_kind_count):
            name = language.node_kind_for_id(kind) or ""
            if not language.node_kind_is_named(kind):
                self.symbols[kind] = number(name) if name.strip(" \t\r\n\0") else _NONE
                continue
            whole, symbol = (True, _NONE) if name in packages else _classify(name)
            self.symbols[kind] = symbol
            if whole:
                self.whole.append(kind)

    def leaves(self, content: bytes) -> tuple[NDArray[np.uint16], NDArray[np.uint32], NDArray[np.uint32]]:
        """Kind, first byte and the one behind the last of each leaf, nodes of the kinds `whole` being leaves too.

        Unreadable: it takes too long.
        """
        arguments = (self.grammar.package, self.grammar.function, self.whole, content)
        if len(content) <= SMALL:
            kinds, starts, ends = sandbox_worker.leaves(*arguments)
        else:
            kinds, starts, ends = HELPER.call("leaves", *arguments, size=len(content))
        return np.frombuffer(kinds, np.uint16), np.frombuffer(starts, np.uint32), np.frombuffer(ends, np.uint32)


def _classify(name: str) -> tuple[bool, int]:
    """Whether a named kind is one symbol, or none, whatever is below it; and the symbol."""
    if name in _PADDED:
        return True, _TRIMMED
    for pattern, named in _CLASSES:
        if pattern.fullmatch(name):
            return True, _NONE if named is None else number(named.value)
    return False, _BY_TEXT


@cache
def find_language(name: str) -> Language:
    """The language of `GRAMMARS` of that name; MissingPackage if its packages are not installed."""
    return Language(GRAMMARS[name])


def tokenise(text: str | bytes, name: str) -> Tokens:
    """The tokens of a program in a language of `GRAMMARS`. MissingPackage; Unreadable if it is too long, or takes long.

    What the grammar does not understand is taken apart as well as can be, never refused.
    """
    language = find_language(name)
    content = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if len(content) >= LARGEST:
        raise Unreadable(f"source code may have {LARGEST - 1} bytes; this has {len(content)}")
    kinds, starts, ends = language.leaves(_newlines(content))
    symbols = language.symbols[kinds]
    ends = np.minimum(ends, np.uint32(len(content)))
    by_text = (symbols < _NONE).nonzero()[0]
    if len(by_text):
        starts = starts.copy()  # what came out of bytes cannot be written to
    for at in by_text.tolist():
        token = content[starts[at] : ends[at]]
        if symbols[at] == _TRIMMED:
            starts[at] += len(token) - len(token.lstrip())
            ends[at] = starts[at] + len(token.strip())
            symbols[at] = number(Class.STRING.value)
        else:
            symbols[at] = number(token.decode("utf-8", "replace"))
    kept = (symbols != _NONE) & (starts < ends)
    if name in imports.LANGUAGES:  # as if each byte were a character, so that places stay
        kept &= imports.keep(_newlines(content).decode("latin-1"), name, starts)
    characters = same if isinstance(text, bytes) else partial(_characters, content)
    return Tokens(symbols[kept].astype(np.uint32), starts[kept], ends[kept], characters)


def _newlines(content: bytes) -> bytes:
    """The same bytes with a line feed wherever a carriage return ends a line by itself, and one at the end."""
    return (re.sub(rb"\r(?!\n)", b"\n", content) if b"\r" in content else content) + b"\n"


def _characters(content: bytes, places: Places) -> NDArray[np.int64]:
    """The index of the character of UTF-8 that begins at each byte."""
    begins = (np.frombuffer(content, np.uint8) & 0xC0) != 0x80
    index = np.concatenate([np.zeros(1, np.int64), np.cumsum(begins, dtype=np.int64)])
    return index[places]
