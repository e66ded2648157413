"""The faults that can be planted in Cython: edits of its source, found line by line with regular expressions."""

import re
from collections.abc import Iterator
from typing import Final

from .python_edits import OPERATOR, OPERATORS, Edit

NOT_CODE: Final = re.compile(r'""".*?"""|#[^\n]*|"[^"\n]*"', re.DOTALL)
LEFT_OUT: Final = re.compile(
    r"\s*(?:from |import |cimport |@|c?p?def [^=]*$|cdef .*\)|cdef (?:class|struct|enum|extern)|ctypedef |else)"
)
"""Lines that only declare."""
ASSIGNING: Final = re.compile(r"([-+|&]|<<|>>)(?==)")
PYTHON_OPERATORS: Final = {"in", "not in", "is", "is not"}
NUMBER: Final = re.compile(r"(?<![\w.:])(?<!return -)(?:0x[0-9A-Fa-f]+|\d+)(?![\w.])")
NAME: Final = re.compile(r"\b(?:min|max)(?=\()")
NOT: Final = re.compile(r"\bnot (?!in\b|None\b)")
STATEMENT: Final = re.compile(r"(?:raise|return -1|continue|break|\w[\w.\[\]]* ?[-+|&<>]*= |[\w.]+\()")


def kernel_edits(source: bytes) -> Iterator[Edit]:
    """Yield the edits of a Cython source, which is ASCII."""
    text = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), source.decode("ascii"))
    start = 0
    for line in text.splitlines(keepends=True):
        if not LEFT_OUT.match(line):
            for begin, end, replacement in _edits_of_line(line):
                yield Edit(start + begin, start + end, replacement)
        start += len(line)


def _edits_of_line(line: str) -> Iterator[Edit]:
    for match in (*OPERATOR.finditer(line), *ASSIGNING.finditer(line)):
        if match[0] not in PYTHON_OPERATORS:
            yield Edit(*match.span(), OPERATORS[match[0]])
    for match in NUMBER.finditer(line):
        value = int(match[0], 0)
        for other in (value + 1, value - 1, 2 * value):
            if other >= 0 and other != value:
                yield Edit(*match.span(), str(other))
    for match in NAME.finditer(line):
        yield Edit(*match.span(), {"min": "max", "max": "min"}[match[0]])
    for match in NOT.finditer(line):
        yield Edit(*match.span(), "")
    statement = line.strip("\0 \n")
    whole = statement.count("(") == statement.count(")") and not statement.endswith((",", ":"))
    if whole and STATEMENT.match(statement):
        begin = line.index(statement)
        yield Edit(begin, begin + len(statement), "pass")
