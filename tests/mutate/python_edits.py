"""The faults that can be planted in Python: edits of its source, found by its syntax tree."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

OPERATORS: Final = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
    "+": "-",
    "-": "+",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
    "and": "or",
    "or": "and",
}
NAMES: Final = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "any": "all",
    "all": "any",
    "left": "right",
    "right": "left",
}
OPERATOR: Final = re.compile(rf"(?<!\S)(?:{'|'.join(sorted(map(re.escape, OPERATORS), key=len, reverse=True))})(?!\S)")
TRUTH: Final = ast.Name | ast.Attribute | ast.Call | ast.Subscript
"""Conditions without an operator, which are negated."""
REMOVED: Final = ast.Raise | ast.Continue | ast.Break | ast.AugAssign | ast.Delete
LEFT_OUT: Final = {"annotation", "returns", "decorator_list", "bases", "exc"}
"""Parts of a syntax tree that are not changed: types, and the messages of errors."""
ASSERTIONS: Final = {"strict", "kind", "slots", "frozen"}
"""Keyword arguments without effect on what is computed."""


class Edit(NamedTuple):
    """The bytes [start, end) of a source, and what replaces them."""

    start: int
    end: int
    text: str


def python_edits(source: bytes) -> Iterator[Edit]:
    """Yield the edits of a Python source."""
    return _Finder(source).walk(ast.parse(source))


class _Finder:
    """Walks the syntax tree of a source."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._line_starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]

    def walk(self, node: ast.AST) -> Iterator[Edit]:
        """Yield the edits of a node and of those below it."""
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg in ASSERTIONS):
            return
        yield from self._operators(node)
        yield from self._values(node)
        yield from self._conditions(node)
        yield from self._statements(node)
        for name, field in ast.iter_fields(node):
            if name not in LEFT_OUT:
                for child in field if isinstance(field, list) else [field]:
                    if isinstance(child, ast.AST):
                        yield from self.walk(child)

    def _operators(self, node: ast.AST) -> Iterator[Edit]:
        """Yield another operator for each."""
        operands: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.BoolOp):
            operands = node.values
        elif isinstance(node, ast.AugAssign):
            operands = [node.target, node.value]
        for left, right in pairwise(operands):
            start, end = self._span(left)[1], self._span(right)[0]
            between = self._source[start:end].decode()
            if isinstance(node, ast.AugAssign):
                between = between.replace("=", " ")
            if match := OPERATOR.search(between):
                yield Edit(start + match.start(), start + match.end(), OPERATORS[match[0]])

    def _values(self, node: ast.AST) -> Iterator[Edit]:
        """Yield other numbers, truth values and names of functions, and slices without a bound."""
        if isinstance(node, ast.Constant):
            value, changed = node.value, []
            if isinstance(value, bool):
                changed = [not value]
            elif isinstance(value, int | float):
                changed = [value + 1, value - 1, *[2 * value] * (abs(value) > 1)]
            elif isinstance(value, str) and value in NAMES:
                changed = [f'"{NAMES[value]}"']
            for other in changed:
                yield Edit(*self._span(node), str(other))
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield Edit(*self._span(node), NAMES[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            end = self._span(node)[1]
            yield Edit(end - len(node.attr), end, NAMES[node.attr])
        elif isinstance(node, ast.Slice):
            yield from (Edit(*self._span(bound), "") for bound in (node.lower, node.upper) if bound is not None)

    def _conditions(self, node: ast.AST) -> Iterator[Edit]:
        """Yield conditions that are the other way round."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
            start = self._span(node)[0]
            yield Edit(start, start + (3 if isinstance(node.op, ast.Not) else 1), "")
        conditions = getattr(node, "ifs", [getattr(node, "test", None)])
        for condition in conditions:
            if isinstance(condition, TRUTH) and getattr(condition, "id", "") != "TYPE_CHECKING":
                start = self._span(condition)[0]
                yield Edit(start, start, "not ")

    def _statements(self, node: ast.AST) -> Iterator[Edit]:
        """Yield `pass` for statements with an effect: calls, errors, and what changes an object."""
        call = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
        targets = node.targets if isinstance(node, ast.Assign) else []
        if (
            call
            or isinstance(node, REMOVED)
            or any(isinstance(each, ast.Attribute | ast.Subscript) for each in targets)
        ):
            yield Edit(*self._span(node), "pass")

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the bytes [start, end) of a node."""
        start, end = self._line_starts[node.lineno - 1], self._line_starts[(node.end_lineno or 0) - 1]
        return start + node.col_offset, end + (node.end_col_offset or 0)
