"""Write the programs of students in three languages."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from bench.student_programs import FILES, Function, Habits, Node

WORDS: Final = (FILES / "words.txt").read_text().split()
COMMENTS: Final = {
    False: ["check the next one", "loop over everything", "this is the important part", "remember it", "done here"],
    True: ["das naechste pruefen", "ueber alles laufen", "das ist der wichtige Teil", "merken", "hier fertig"],
}


@dataclass(frozen=True)
class Writer:
    """Writes one language.

    Attributes:
        ending: The ending of a file's name.
        comment: What begins a comment.
        template: The program that all were given to start from.
        harness: The file that all were given to test with.
        is_python: True for blocks by indent, and no types.
        is_java: True for methods of a class.
    """

    ending: str
    comment: str
    template: str
    harness: str
    is_python: bool = False
    is_java: bool = False

    def write(self, functions: list[Function], habits: Habits, rng: random.Random) -> str:
        """Return a program: the template, the functions, and a part that calls them."""
        names = _Names(habits.names)
        texts = ["\n".join(self._function(function, habits, names, rng)) for function in functions]
        calls = "\n".join(self._main(functions, names, rng))
        whole = "\n\n".join([*texts, calls])
        if self.is_java:
            indented = re.sub(r"(?m)^(?=.)", "    ", whole)
            whole = f"class Work{habits.names % 97} {{\n{indented}\n}}"
        return f"{self.template}\n\n{whole}\n"

    def _function(self, function: Function, habits: Habits, names: "_Names", rng: random.Random) -> Iterator[str]:
        parameters = [names.of(each.removesuffix("[]")) for each in function.parameters]
        if self.is_python:
            yield f"def {names.of(function.name)}({', '.join(parameters)}):"
        else:
            arrays = [each.endswith("[]") for each in function.parameters]
            typed = (self._typed(name, is_array=array) for name, array in zip(parameters, arrays, strict=True))
            yield f"{'static ' if self.is_java else ''}int {names.of(function.name)}({', '.join(typed)}) {{"
        declared = {each.removesuffix("[]") for each in function.parameters}
        yield from self._block(function.body, _Scope(habits, names, rng, declared), 1)
        if not self.is_python:
            yield "}"

    def _typed(self, name: str, *, is_array: bool) -> str:
        if not is_array:
            return f"int {name}"
        return f"int[] {name}" if self.is_java else f"int {name}[]"

    def _main(self, functions: list[Function], names: "_Names", rng: random.Random) -> Iterator[str]:
        data, pad = names.of("data"), "" if self.is_python else "    "
        values = ", ".join(str(rng.randrange(50)) for _ in range(rng.randrange(4, 9)))
        if self.is_python:
            yield f"{data} = [{values}]"
        else:
            yield "public static void main(String[] args) {" if self.is_java else "int main(void) {"
            yield f"    {self._typed(data, is_array=True)} = {{{values}}};"
        for function in rng.sample(functions, rng.randrange(2, min(6, len(functions)) + 1)):
            given = [data if each.endswith("[]") else str(rng.randrange(1, 9)) for each in function.parameters]
            yield pad + self._print(f"{names.of(function.name)}({', '.join(given)})")
        if not self.is_python:
            yield from ["}"] if self.is_java else ["    return 0;", "}"]

    def _print(self, value: str) -> str:
        if self.is_python:
            return f"print({value})"
        return f"System.out.println({value});" if self.is_java else f'printf("%d\\n", {value});'

    def _block(self, block: list[Node], scope: "_Scope", depth: int) -> Iterator[str]:
        pad = "    " * depth
        for node in block:
            if scope.rng.random() < scope.habits.comments:
                yield f"{pad}{self.comment} {scope.rng.choice(COMMENTS[scope.habits.german])}"
            if node[0] in ("for", "while", "if"):
                yield from self._compound(node, scope, depth)
            else:
                yield from (pad + line for line in self._simple(node, scope))

    def _compound(self, node: Node, scope: "_Scope", depth: int) -> Iterator[str]:
        pad, end = "    " * depth, ":" if self.is_python else " {"
        heading, body, other = self._heading(node, scope), node[-1], []
        if node[0] == "if":
            body, other = node[2], node[3]
        is_bare = not self.is_python and len(body) == 1 and body[0][0] in ("set", "return") and not other
        if is_bare and int(scope.habits.braced * 100) % 2:
            yield pad + heading
            yield from self._block(body, scope, depth + 1)
            return
        yield pad + heading + end
        yield from self._block(body, scope.inner(), depth + 1)
        if other:
            yield f"{pad}else:" if self.is_python else f"{pad}}} else {{"
            yield from self._block(other, scope.inner(), depth + 1)
        if not self.is_python:
            yield pad + "}"

    def _heading(self, node: Node, scope: "_Scope") -> str:
        if node[0] != "for":
            return (
                f"{node[0]} {self._expression(node[1], scope)}"
                if self.is_python
                else (f"{node[0]} ({self._expression(node[1], scope)})")
            )
        variable, start, end = (self._expression(each, scope) for each in node[1:4])
        if self.is_python:
            return f"for {variable} in range({end})" if start == "0" else f"for {variable} in range({start}, {end})"
        step = f"{variable}++" if scope.habits.short < 0.7 else f"{variable} += 1"
        return f"for (int {variable} = {start}; {variable} < {end}; {step})"

    def _simple(self, node: Node, scope: "_Scope") -> list[str]:
        kind, first, *rest = node[0], *(self._expression(each, scope) for each in node[1:])
        end = "" if self.is_python else ";"
        if kind == "print":
            return [self._print(first)]
        if kind == "return":
            return [f"return {first}{end}"]
        if kind == "swap":
            a, b = f"{first}[{rest[0]}]", f"{first}[{rest[1]}]"
            if self.is_python and scope.habits.short > 0.4:
                return [f"{a}, {b} = {b}, {a}"]
            spare = self._expression("spare", scope)
            return [f"{self._declared('spare', scope)}{spare} = {a}{end}", f"{a} = {b}{end}", f"{b} = {spare}{end}"]
        if kind == "array":
            if self.is_python:
                return [f"{first} = [0] * {rest[0]}"]
            return [f"int[] {first} = new int[{rest[0]}];" if self.is_java else f"int {first}[64] = {{0}};"]
        if kind == "set" and rest[0].startswith(f"{first} ") and scope.rng.random() < scope.habits.short:
            operator, value = rest[0][len(first) + 1 :].split(" ", 1)
            if re.fullmatch(r"[\w\[\] ]+", value) and operator in ("+", "-", "*"):
                return [f"{first} {operator}= {value}{end}"]
        return [f"{self._declared(node[1], scope) if kind == 'let' else ''}{first} = {rest[0]}{end}"]

    def _declared(self, name: str, scope: "_Scope") -> str:
        """Return the type to write before the first value of a variable."""
        if self.is_python or name in scope.declared:
            return ""
        scope.declared.add(name)
        return "int "

    def _expression(self, text: str, scope: "_Scope") -> str:
        named = re.sub(r"[a-z_]+", lambda match: scope.names.of(match[0]), text)
        if self.is_python:
            return named.replace("&&", "and").replace("||", "or").replace(" / ", " // ")
        return named


class _Names:
    """The names that a student chose."""

    def __init__(self, seed: int) -> None:
        self._rng, self._chosen = random.Random(seed), {}

    def of(self, name: str) -> str:
        """Return his name for a name of the tasks."""
        if name not in self._chosen:
            word = self._rng.choice(WORDS) if len(name) > 1 else self._rng.choice("abcdefghijklmnpqrstuvwxyz")
            taken = set(self._chosen.values())
            self._chosen[name] = next(each for each in (word, *(f"{word}{n}" for n in range(99))) if each not in taken)
        return self._chosen[name]


class _Scope(NamedTuple):
    """The tools that a block is written with, and the variables that have a type already."""

    habits: Habits
    names: _Names
    rng: random.Random
    declared: set[str]

    def inner(self) -> "_Scope":
        return self._replace(declared=set(self.declared))


def _writer(ending: str, comment: str, **kind: bool) -> Writer:
    return Writer(
        ending, comment, *((FILES / f"{name}{ending}.txt").read_text() for name in ("template", "harness")), **kind
    )


WRITERS: Final = {
    "python": _writer(".py", "#", is_python=True),
    "java": _writer(".java", "//", is_java=True),
    "c": _writer(".c", "//"),
}
