"""Single faults that can be planted in source files, and those that are known to be none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from .kernel_edits import kernel_edits
from .python_edits import Edit, python_edits

EQUIVALENT: Final = Path(__file__).with_name("equivalent.txt")


class Fault(NamedTuple):
    """An edit of a source file, and the line that it changes, before and after, without margins."""

    path: str
    line: int
    before: str
    after: str
    edit: Edit

    def planted(self) -> bytes:
        """Return the source with the fault."""
        source, (start, end, text) = Path(self.path).read_bytes(), self.edit
        return source[:start] + text.encode() + source[end:]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}\n- {self.before}\n+ {self.after}"


class Equivalent(NamedTuple):
    """A line that may be changed without a fault, and the reason."""

    path: str
    before: str
    after: str
    why: str


def faults_of(path: str) -> list[Fault]:
    """Return every fault that can be planted in a file, in order, each once."""
    source = Path(path).read_bytes()
    edits = python_edits(source) if path.endswith(".py") else kernel_edits(source)
    return [_describe(path, source, edit) for edit in sorted(set(edits))]


def _describe(path: str, source: bytes, edit: Edit) -> Fault:
    start, end, text = edit
    line_start, line_end = source.rfind(b"\n", 0, start) + 1, source.find(b"\n", end)
    lines = source[line_start:line_end], source[line_start:start] + text.encode() + source[end:line_end]
    before, after = (" ".join(line.decode().split()) for line in lines)
    return Fault(path, source.count(b"\n", 0, start) + 1, before, after, edit)


def read_equivalents() -> Iterator[Equivalent]:
    """Yield what `equivalent.txt` lists: below a file's path, lines before (-) and after (+) a change, and why (=)."""
    path = before = after = ""
    for line in EQUIVALENT.read_text("utf-8").splitlines():
        mark, text = line[:2], line[2:]
        if mark == "- ":
            before = text
        elif mark == "+ ":
            after = text
        elif mark == "= ":
            yield Equivalent(path, before, after, text)
        elif line and mark != "# ":
            path = line
