"""Programs of students: solutions of small tasks, rewritten by a student's habits."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

Node = tuple[Any, ...]  # a kind, its parts, and blocks, which are lists of nodes

FILES: Final = Path(__file__).with_name("student_files")
FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


class Function(NamedTuple):
    """A function: its task, its parameters, of which arrays end in [], and its statements."""

    name: str
    parameters: tuple[str, ...]
    body: list[Node]


def read_tasks() -> dict[str, list[Function]]:
    """Return the solutions of each task."""
    found = defaultdict(list)
    text = (FILES / "tasks.txt").read_text()
    for solution in re.split(r"\n(?=[a-z])", re.sub(r"(?m)^#.*\n", "", text)):
        heading, *lines = solution.strip().splitlines()
        name, *parameters = heading.split()
        found[name].append(Function(name, tuple(parameters), _parse(lines, 2)))
    return dict(found)


def _parse(lines: list[str], indent: int) -> list[Node]:
    """Return the statements of this indent; takes their lines away."""
    block: list[Node] = []
    while lines and len(lines[0]) - len(lines[0].lstrip()) == indent:
        line = lines.pop(0).strip()
        word, _, rest = line.partition(" ")
        if word == "for":
            variable, bounds = rest.split(" = ")
            block.append(("for", variable, *bounds.split(" .. "), _parse(lines, indent + 2)))
        elif word in ("while", "if"):
            block.append((word, rest, _parse(lines, indent + 2), *([[]] if word == "if" else [])))
        elif word == "else":
            block[-1][3].extend(_parse(lines, indent + 2))
        elif word == "swap":
            array, first, second = rest.split(" ", 2)
            block.append(("swap", array, first, second))
        elif word in ("let", "array"):
            block.append((word, *rest.split(" = " if word == "let" else " ")))
        elif word == "return":
            block.append((word, rest))
        else:
            target, value = line.split(" = ")
            block.append(("set", target, value))
    return block


@dataclass(frozen=True)
class Habits:
    """The habits of a student: the share of the chances, in [0, 1], at which he takes each.

    Attributes:
        names: Seeds the names that he chooses.
        german: True if his comments are German.
        comments: Write a comment before a statement.
        counted: Leave a counted loop, and not make a loop with a condition of it.
        flipped: Write the other side of a comparison first.
        hoisted: Take an element of an array into a variable.
        answered: Take what is returned into a variable.
        guarded: Test the arguments first.
        traced: Print what happens.
        short: Write `x += y` for `x = x + y`.
        braced: Put braces around a single statement.
    """

    names: int
    german: bool
    comments: float
    counted: float
    flipped: float
    hoisted: float
    answered: float
    guarded: float
    traced: float
    short: float
    braced: float

    @classmethod
    def draw(cls, rng: random.Random) -> Self:
        """Return the habits of a student."""
        shares = {each.name: rng.random() for each in fields(cls)[3:]}
        return cls(rng.randrange(10**9), False, rng.random() / 3, **shares | {"traced": rng.random() / 6})

    def rewrite(self, function: Function, rng: random.Random) -> Function:
        """Return the function as the student writes it."""
        body = self._block(function.body, rng)
        if rng.random() < self.guarded:
            guard = f"{function.parameters[-1].removesuffix('[]')} {rng.choice(['<', '<=', '=='])} 0"
            trace: list[Node] = [("print", guard.split()[0])] if rng.random() < 0.3 else []
            body = [("if", guard, [*trace, ("return", rng.choice(["0", "-1"]))], []), *body]
        return function._replace(body=body)

    def _block(self, block: list[Node], rng: random.Random) -> list[Node]:
        return [new for node in block for new in self._statement(node, rng)]

    def _statement(self, node: Node, rng: random.Random) -> Iterator[Node]:
        if rng.random() < self.traced and node[0] in ("let", "set"):
            yield from [node, ("print", node[1])]
        elif node[0] == "for":
            yield from self._loop(node, rng)
        elif node[0] == "while":
            yield "while", self._condition(node[1], rng), self._block(node[2], rng)
        elif node[0] == "if":
            yield "if", self._condition(node[1], rng), self._block(node[2], rng), self._block(node[3], rng)
        elif node[0] == "return" and rng.random() < self.answered and not re.fullmatch(r"-?\d+", node[1]):
            yield from [("let", "answer", node[1]), ("return", "answer")]
        else:
            yield node

    def _loop(self, node: Node, rng: random.Random) -> Iterator[Node]:
        _, variable, start, end, body = node
        element = re.search(rf"\b([a-z]+)\[{variable}\]", repr(body))
        is_changed = re.search(rf"'(?:set|swap)', '(?:[a-z]+\[|{element[1] if element else ''}')", repr(body))
        if element and not is_changed and rng.random() < self.hoisted:
            name = f"element_{variable}"
            body = [("let", name, element[0]), *_replaced(body, element[0], name)]
        body = self._block(body, rng)
        if rng.random() < self.counted:
            yield "for", variable, start, end, body
            return
        increment = "set", variable, f"{variable} + 1"
        condition = self._condition(f"{variable} < {end}", rng)
        yield from [("let", variable, start), ("while", condition, [*body, increment])]

    def _condition(self, condition: str, rng: random.Random) -> str:
        match = re.fullmatch(r"([^&|<>=!]+) ([<>=!]+) ([^&|<>=!]+)", condition)
        if match and rng.random() < self.flipped:
            return f"{match[3]} {FLIPPED[match[2]]} {match[1]}"
        return condition


def _replaced(part: Any, old: str, new: str) -> Any:
    if isinstance(part, str):
        return part.replace(old, new)
    return type(part)(_replaced(each, old, new) for each in part)
