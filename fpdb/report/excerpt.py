"""Excerpts: the blocks of a text that a page holds, since a pair needs them, and what is left out between them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from fpdb.readers.syntax import SYNTAX, SyntaxSpan
from fpdb.report.display import Display, Part
from fpdb.report.escaping import escaped_json

Span = TypeVar("Span", bound=tuple[Any, ...])

BLOCK: Final = 2_000
"""Characters of a block."""

CONTEXT: Final = 1_500
"""Characters before and behind a region that are held with it, at least."""

WHOLE: Final = 40_000
"""Characters of a text up to which all of it is held."""


class Block(NamedTuple):
    """A block of a text, and what is in it; offsets are those of the whole text.

    line: the number of the line in which it begins. lines: the starts of later lines whose numbers do not follow, with
    these numbers. part: the last one that begins before the block.
    """

    text: str
    line: int
    lines: list[tuple[int, int]]
    part: Part | None
    parts: list[Part]
    discarded: list[tuple[int, int]]
    syntax: list[SyntaxSpan]

    @classmethod
    def of(cls, display: Display, start: int) -> "Block":
        """Return the block of a text that begins at an offset."""
        end = start + BLOCK
        starts, numbers = display.lines
        first, behind = np.searchsorted(starts, (start, end), "right").tolist()
        jumps = [at for at in range(first, behind) if numbers[at] != numbers[at - 1] + 1]
        before = sum(part.start < start for part in display.parts)
        return cls(
            display.text[start:end],
            int(numbers[first - 1]),
            [(int(starts[at]), int(numbers[at])) for at in jumps],
            display.parts[before - 1] if before else None,
            [part for part in display.parts[before:] if part.start < end],
            [(max(low, start), min(high, end)) for low, high in _within(display.discarded, start, end)],
            [
                span._replace(start=max(span.start, start), end=min(span.end, end))
                for span in _within(display.syntax, start, end)
            ],
        )

    @property
    def cost(self) -> int:
        """The bytes that the block takes on a page, about."""
        return len(escaped_json(self.text).encode()) + 11 * len(self.syntax) + 12 * len(self.discarded)


def _within(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """Return the spans (start, end, ...), ascending and apart from each other, that overlap an interval."""
    first = bisect_right(spans, start, key=itemgetter(1))
    return spans[first : bisect_left(spans, end, key=itemgetter(0))]


@dataclass
class Excerpt:
    """The blocks that are held of a text, by index. size: the characters of the whole text."""

    size: int = 0
    flow: str = "prose"
    blocks: dict[int, Block] = field(default_factory=dict)

    def missing(self, display: Display, intervals: Iterable[tuple[int, int]], whole: int = WHOLE) -> dict[int, Block]:
        """Return the blocks around intervals that are not held yet; all blocks of at most `whole` characters."""
        count = max(-(-len(display.text) // BLOCK), 1)
        wanted = {0}
        for start, end in intervals:
            wanted.update(range(max(start - CONTEXT, 0) // BLOCK, min((end + CONTEXT) // BLOCK + 1, count)))
        if len(display.text) <= whole:
            wanted = set(range(count))
        return {index: Block.of(display, index * BLOCK) for index in sorted(wanted - self.blocks.keys())}

    def add(self, display: Display, blocks: Mapping[int, Block]) -> None:
        """Hold more blocks."""
        self.size, self.flow = len(display.text), display.flow
        self.blocks |= blocks

    def assemble(self) -> "AssembledText":
        """Return what is held as a script reads it."""
        return AssembledText.of(self)


@dataclass
class AssembledText:
    """The blocks of an excerpt as one text. ranks: of each block, by its index."""

    ranks: dict[int, int]
    units: Callable[[int], int]
    data: dict[str, Any]

    @classmethod
    def of(cls, excerpt: Excerpt) -> "AssembledText":
        """Return the text, with offsets in UTF-16 code units, which JavaScript counts."""
        order = sorted(excerpt.blocks)
        blocks = [excerpt.blocks[index] for index in order]
        text = "".join(block.text for block in blocks)
        made = cls({index: rank for rank, index in enumerate(order)}, _code_units(text), {})
        made.data = {"text": text, "flow": excerpt.flow, "chunks": [], "parts": [], "discarded": [], "syntax": []}
        behind = 0
        for index, block in zip(order, blocks, strict=True):
            made._describe(index * BLOCK, block, behind)
            behind = index * BLOCK + len(block.text)
        made.data["after"] = excerpt.size - behind
        return made

    def _describe(self, start: int, block: Block, behind: int) -> None:
        """Add what is in a block. behind: the offset behind the block before."""
        data = self.data
        if start != behind or not start:
            data["chunks"].append([self.place(start), block.line, start - behind])
            if block.part is not None:
                data["parts"].append([self.place(start), block.part.label, block.part.line])
        data["chunks"] += [[self.place(offset), line, 0] for offset, line in block.lines]
        data["parts"] += [[self.place(part.start), part.label, part.line] for part in block.parts]
        for span in block.discarded:
            data["discarded"] += self.interval(span)
        for low, high, kind in block.syntax:
            first, last = self.interval((low, high))
            data["syntax"] += [first, (last - first) * len(SYNTAX) + kind]

    def place(self, offset: int) -> int:
        """Return where an offset of the whole text, in a block that is held, is."""
        rank = self.ranks[offset // BLOCK] if self.ranks else 0
        return self.units(rank * BLOCK + offset % BLOCK)

    def interval(self, interval: tuple[int, int]) -> list[int]:
        """Return where an interval is; nowhere, [-1, -1], if not all of it is held."""
        start, end = interval
        last = max(end - 1, start)
        if any(index not in self.ranks for index in range(start // BLOCK, last // BLOCK + 1)):
            return [-1, -1]
        behind = self.ranks[last // BLOCK] * BLOCK + last % BLOCK + (end > start)
        return [self.place(start), self.units(behind)]


def _code_units(text: str) -> Callable[[int], int]:
    """Return a function from the index of a code point to that of its UTF-16 code unit."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda index: index
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    astral: list[int] = np.flatnonzero(codes > 0xFFFF).tolist()
    return lambda index: index + bisect_left(astral, index)
