"""A document's text as a page shows it: web pages without their tags, what does not count and the syntax as spans.

Offsets of the original become offsets of the text that is shown.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import numpy as np

from fpdb.arrays import I64
from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint.marked_symbols import MarkedSymbols
from fpdb.readers.html import extract_text
from fpdb.readers.syntax import SyntaxSpan, find_syntax
from fpdb.regions.line_index import line_starts
from fpdb.regions.sources import Original

_BLANKS: Final = re.compile(r"\s+")


class Part(NamedTuple):
    """A page or the like: its start, its label, and the line, from 1, at which it begins."""

    start: int
    label: str
    line: int


@dataclass(eq=False)
class Display:
    """A text, as long as it is needed.

    Attributes:
        text: What is shown.
        flow: "code" keeps columns, "prose" does not.
        lines: The start of each line that is shown, and its number in the original, from 1; arrays of shape (lines,).
        parts: In order.
        discarded: Stretches [start, end) that do not count: those of boilerplate, and common ones; ascending.
        syntax: Comments, keywords and literals of a program.
        origins: The offset in the original of each character, if it is not the same; shape (characters,).
    """

    text: str
    flow: Literal["code", "prose"]
    lines: tuple[I64, I64]
    parts: list[Part] = field(default_factory=list)
    discarded: list[tuple[int, int]] = field(default_factory=list)
    syntax: list[SyntaxSpan] = field(default_factory=list)
    origins: I64 | None = None

    @classmethod
    def of(cls, original: Original, discarded: MarkedSymbols, *, coloured: bool = True) -> "Display":
        """Return what is shown of an original; discarded: the symbols that do not count.

        coloured: find the syntax of a program, which takes about a second for 100,000 characters.
        """
        symbols, kind = original.text.symbols, original.fingerprints.kind
        text = symbols.text
        starts = line_starts(text)
        if kind == "html":
            display = _without_tags(text, starts)
        else:
            is_code = kind in ("code", "ipynb-code")
            display = cls(text, "code" if is_code else "prose", (starts, np.arange(1, len(starts) + 1)))
            if kind == "code" and coloured:
                display.syntax = _syntax_of(text, symbols.note.partition(";")[0])
            display.parts = [
                Part(start, label, bisect_right(starts, start)) for start, label in original.text.labelled_parts()
            ]
        if len(discarded.starts):
            offsets, ends = symbols.offsets[discarded.starts], symbols.ends[discarded.ends - 1]
            display.discarded = [display.locate(pair) for pair in zip(offsets.tolist(), ends.tolist(), strict=True)]
        return display

    def locate(self, interval: tuple[int, int]) -> tuple[int, int]:
        """Return where an interval of the original is shown."""
        if self.origins is None:
            return interval
        start, end = np.searchsorted(self.origins, interval).tolist()
        return start, max(start, end)


def _syntax_of(text: str, language: str) -> list[SyntaxSpan]:
    try:
        return find_syntax(text, language)
    except (MissingPackage, Unreadable):
        return []


def _without_tags(source: str, starts: I64) -> Display:
    """Return the text of a web page, on lines as a browser begins them, without empty ones."""
    extracted = extract_text(source, lines=True)[0]
    joined = "".join(extracted.parts)
    slice_starts, slice_ends = extracted.slices()
    lengths = np.fromiter(map(len, extracted.parts), np.int64, len(extracted.parts))
    inside = np.arange(len(joined)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    origins = np.repeat(slice_starts, lengths) + np.minimum(inside, np.repeat(slice_ends - slice_starts, lengths) - 1)
    kept, pieces, done = np.ones(len(joined), bool), [], 0
    for blank in _BLANKS.finditer(joined):
        is_outer = blank.start() == 0 or blank.end() == len(joined)
        pieces += [joined[done : blank.start()], "" if is_outer else "\n" if "\n" in blank[0] else " "]
        kept[blank.start() + (not is_outer) : blank.end()] = False
        done = blank.end()
    text = "".join((*pieces, joined[done:]))
    origins = origins[kept]
    shown_starts = line_starts(text)
    firsts = origins[np.minimum(shown_starts, max(len(origins) - 1, 0))] if len(origins) else shown_starts
    return Display(text, "prose", (shown_starts, np.searchsorted(starts, firsts, "right")), origins=origins)
