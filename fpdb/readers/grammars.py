"""Cut programs into tokens by tree-sitter, for the languages that have a package with a grammar.

A token is a leaf of the syntax tree, or a node that is one symbol as a whole, such as a string. The name of a node's
kind in the grammar tells which.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32
from fpdb.errors import MissingPackage, Unreadable
from fpdb.limits import MAX_SOURCE_CODE_BYTES, SMALL_SOURCE_CODE, timed_reading
from fpdb.readers import imports, sandbox_worker
from fpdb.readers.languages import LANGUAGES, Grammar
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.tokens import Offsets, TokenClass, Tokens, as_characters, token_symbol

GRAMMARS = {name: row.grammar for name, row in LANGUAGES.items() if row.grammar}

# Named kinds of nodes of all grammars; the first match decides. None: the node has no symbol, nor have those below it.
_KINDS: tuple[tuple[str, TokenClass | None], ...] = (
    (r".*comment|hash_bang_line|shebang(_directive)?|php(_end)?_tag|line_continuation|uninterpreted", None),
    (r"preproc_(end)?region", None),
    (r"(multiline_)?comment_.*", None),
    (r"char(acter)?(_literal)?|rune_literal", TokenClass.CHARACTER),
    (
        r"(raw_|interpreted_|verbatim_|interpolated_)*string(_literal|_expression)?|template_string|encapsed_string"
        r"|system_lib_string|(string|symbol)_array|subshell|simple_symbol|delimited_symbol|heredoc(_beginning|_body)?"
        r"|nowdoc|regex|template_literal_type|user_defined_literal",
        TokenClass.STRING,
    ),
    (
        r"((binary|octal|decimal|hex)_)?(int(eger)?|float(ing_point)?|real|number|imaginary)(_literal)?",
        TokenClass.NUMBER,
    ),
    (r"rational|complex", TokenClass.NUMBER),
    (
        r"(field_|type_|property_|statement_|namespace_|package_|shorthand_(property_|field_)?|private_property_|blank_)*"
        r"identifier|shorthand_property_identifier_pattern|name|variable_name|label_name|label|metavariable|constant"
        r"|(instance|class|global)_variable|hash_key_symbol|namespace_name|discard",
        TokenClass.IDENTIFIER,
    ),
)
GUESSED = [name for name in GRAMMARS if name not in ("php", "ruby")]
"""Languages that are guessed, the first of equals. PHP and Ruby take nearly any text for a program."""
GUESS_FROM = 1 << 14  # first characters that a guess reads
MOST_WRONG = 0.05  # of the bytes of a program

_PATTERNS = [(re.compile(pattern), token_class) for pattern, token_class in _KINDS]

# Kinds of text, one string, whose surrounding white space does not count.
_PADDED = frozenset({"jsx_text", "text", "preproc_arg"})

# Entries of the table of symbols: for a kind without symbol, for one whose text is the symbol, and for `_PADDED`.
_NONE, _BY_TEXT, _TRIMMED = -1, -2, -3


@dataclass(frozen=True, eq=False)
class LoadedGrammar:
    """A grammar, the table of symbols by kind of node, (65536,), and the kinds below which nothing is read."""

    grammar: Grammar
    symbols: I64
    opaque_kinds: list[int]

    def leaves(self, content: bytes) -> tuple[NDArray[np.uint16], U32, U32]:
        """Return the kind, first byte and byte behind the last of each leaf; Unreadable if it takes too long."""
        arguments = (self.grammar.package, self.grammar.function, self.opaque_kinds, content)
        if len(content) <= SMALL_SOURCE_CODE:
            kinds, starts, ends = sandbox_worker.leaves(*arguments)
        else:
            with timed_reading() as reading:
                kinds, starts, ends = SANDBOX.call("leaves", *arguments, reading=reading)
        return np.frombuffer(kinds, np.uint16), np.frombuffer(starts, np.uint32), np.frombuffer(ends, np.uint32)


@cache
def load_grammar(name: str) -> LoadedGrammar:
    """Load the grammar of a language of `GRAMMARS`; MissingPackage if its package is not installed."""
    grammar = GRAMMARS[name]
    try:
        language = sandbox_worker.find_parser(grammar.package, grammar.function).language
    except ImportError as error:
        package = grammar.package.replace("_", "-")
        raise MissingPackage(
            f"tree-sitter and {package} are needed to read this language: pip install 'fpdb[code]'"
        ) from error
    opaque_kinds: list[int] = []
    symbols = np.full(1 << 16, _BY_TEXT, np.int64)  # a part that cannot be parsed has the last 16-bit kind
    for kind in range(language.node_kind_count):
        kind_name = language.node_kind_for_id(kind) or ""
        if not language.node_kind_is_named(kind):
            symbols[kind] = token_symbol(kind_name) if kind_name.strip(" \t\r\n\0") else _NONE
            continue
        is_opaque, symbols[kind] = (True, _NONE) if kind_name in grammar.import_kinds.split() else _classify(kind_name)
        if is_opaque:
            opaque_kinds.append(kind)
    return LoadedGrammar(grammar, symbols, opaque_kinds)


def guess_language(text: str) -> str | None:
    """Return the language in which the fewest bytes of a text's beginning are wrong; None if it is likely in none.

    Raises Unreadable: parsing takes too long.
    """
    content = text[:GUESS_FROM].encode("utf-8", "replace")
    best, fewest = None, int(len(content) * MOST_WRONG) + 1
    for name in GUESSED:
        with suppress(MissingPackage), timed_reading() as reading:
            grammar = load_grammar(name).grammar
            arguments = grammar.package, grammar.function, content
            wrong: int = SANDBOX.call("errors", *arguments, reading=reading)
            best, fewest = (name, wrong) if wrong < fewest else (best, fewest)
    return best


def _classify(name: str) -> tuple[bool, int]:
    """Return for a named kind whether it is opaque, and its entry in the table of symbols."""
    if name in _PADDED:
        return True, _TRIMMED
    for pattern, token_class in _PATTERNS:
        if pattern.fullmatch(name):
            return True, _NONE if token_class is None else token_symbol(token_class.value)
    return False, _BY_TEXT


def tokenise(text: str | bytes, name: str) -> Tokens:
    """Return the tokens of a program in a language of `GRAMMARS`; parts that the grammar does not know are guessed.

    Raises:
        MissingPackage: The language's package is not installed.
        Unreadable: The program is too long, or parsing takes too long.
    """
    grammar = load_grammar(name)
    content = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if len(content) > MAX_SOURCE_CODE_BYTES:
        raise Unreadable(f"source code may have {MAX_SOURCE_CODE_BYTES} bytes; this has {len(content)}")
    parsed = _end_lines(content)
    kinds, starts, ends = grammar.leaves(parsed)
    symbols = grammar.symbols[kinds]
    ends = np.minimum(ends, np.uint32(len(content)))
    by_text = (symbols < _NONE).nonzero()[0]
    if len(by_text):
        starts = starts.copy()  # an array made of bytes is read-only
    for leaf in by_text.tolist():
        token = content[starts[leaf] : ends[leaf]]
        if symbols[leaf] == _TRIMMED:
            starts[leaf] += len(token) - len(token.lstrip())
            ends[leaf] = starts[leaf] + len(token.strip())
            symbols[leaf] = token_symbol(TokenClass.STRING.value)
        else:
            symbols[leaf] = token_symbol(token.decode("utf-8", "replace"))
    is_token = (symbols != _NONE) & (starts < ends)
    if name in imports.MARKED_BY_LINES:  # decoded such that each byte is a character, as offsets count bytes
        is_token &= imports.find_other_tokens(parsed.decode("latin-1"), name, starts)
    to_characters = as_characters if isinstance(text, bytes) else partial(_to_characters, content)
    return Tokens(symbols[is_token].astype(np.uint32), starts[is_token], ends[is_token], to_characters)


def _end_lines(content: bytes) -> bytes:
    """Return the bytes with a line feed in place of each lone carriage return, and one added at the end."""
    return (re.sub(rb"\r(?!\n)", b"\n", content) if b"\r" in content else content) + b"\n"


def _to_characters(content: bytes, offsets: Offsets) -> I64:
    """Convert offsets of bytes in UTF-8 to indices of characters."""
    is_first_byte = (np.frombuffer(content, np.uint8) & 0xC0) != 0x80
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(is_first_byte, dtype=np.int64)])[offsets]
