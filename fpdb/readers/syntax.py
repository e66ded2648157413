"""Find what pages colour in a program, by Pygments: comments, keywords, strings and numbers."""

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from fpdb.limits import timed_reading
from fpdb.readers.lexers import LINE_RELATIVE, check_packages, end_lines, lex, restore_offsets

if TYPE_CHECKING:
    from pygments.token import _TokenType

SYNTAX: Final = ("comment", "keyword", "string", "number")


class SyntaxSpan(NamedTuple):
    """A stretch [start, end) of a program that is of one of the kinds SYNTAX."""

    start: int
    end: int
    kind: int


def find_syntax(text: str, language: str) -> list[SyntaxSpan]:
    """Return the spans of a program in a language by its name in Pygments, ascending and apart from each other.

    Raises:
        MissingPackage: Pygments is not installed.
        Unreadable: Lexing takes too long.
    """
    check_packages()
    found: list[tuple[int, int, int]] = []
    with timed_reading() as reading:
        tokens = [(start, len(token), _kind(type_)) for start, type_, token in lex(language, end_lines(text), reading)]
    if language in LINE_RELATIVE:
        behind = accumulate(length for _, length, _ in tokens)
        tokens = [(end - length, length, kind) for end, (_, length, kind) in zip(behind, tokens, strict=True)]
    for start, length, kind in sorted(tokens):
        if found and found[-1][1:] == (start, kind):
            found[-1] = found[-1][0], start + length, kind
        elif length and (not found or start >= found[-1][1]):
            found.append((start, start + length, kind))
    spans = np.array([span for span in found if span[2] >= 0], np.int64).reshape(-1, 3)
    starts, ends = (np.minimum(restore_offsets(text, spans[:, column]), len(text)) for column in (0, 1))
    return list(map(SyntaxSpan, starts.tolist(), ends.tolist(), spans[:, 2].tolist()))


@cache
def _kind(type_: "_TokenType") -> int:
    """Return the index in SYNTAX of a type of token, -1 for none."""
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    groups = ((Comment,), (Keyword, Name.Tag, Operator.Word), (Literal.String,), (Literal.Number,))
    return next((index for index, types in enumerate(groups) if any(type_ in one for one in types)), -1)
