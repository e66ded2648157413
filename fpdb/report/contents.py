"""The contents of a report as plain values: sources, and rows that compare two of them. Knows no HTML, no database."""

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from fpdb.regions.places import MatchedRegion, SymbolPlace
from fpdb.regions.sources import SourceState

LISTED: Final = 2000
"""Rows that a page lists."""

TEXT: Final = 40_000_000
"""Bytes of sources, as they stand in the page, that it holds."""


class Limits(NamedTuple):
    """Limits of a page: rows, and bytes of sources."""

    rows: int = LISTED
    text: int = TEXT


@dataclass(slots=True)
class PageSource:
    """A document on the page. text: None unless its state is "same"; "omitted" is a text that was too large.

    parts: starts and labels of its pages or the like, in order.
    """

    name: str
    state: SourceState | Literal["omitted"]
    text: str | None = None
    parts: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Row:
    """A pair, or a match, of the sources of indices a and b; a score in [0, 1]; values under the columns.

    values: None for unknown. regions: in order of a; None if there is nothing to compare. part: True for a pair of
    documents that is part of the pair of owners in a row before.
    """

    a: int
    b: int
    score: float
    values: list[float | int | None]
    regions: list[MatchedRegion] | None = None
    part: bool = False

    def in_symbols(self) -> tuple[bool, bool]:
        """Return whether each side has its regions in symbols."""
        if not self.regions:
            return False, False
        return isinstance(self.regions[0].a, SymbolPlace), isinstance(self.regions[0].b, SymbolPlace)


class ReportColumn(NamedTuple):
    """A column of numbers. share: True for numbers in [0, 1], shown in percent."""

    title: str
    about: str
    share: bool = True

    @property
    def long(self) -> bool:
        """True if a word of the title takes a wider column."""
        return max(map(len, self.title.split())) > 7


@dataclass(slots=True)
class Contents:
    """A whole page.

    noun: what a row is. sides: what its two sources are called. score: words for the measure that rows are ranked by.
    connect: the score from which rows connect their sources; None for no clusters. more: True if rows were left out.
    """

    title: str
    noun: str
    sides: tuple[str, str]
    score: str
    columns: tuple[ReportColumn, ...]
    sources: list[PageSource] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    connect: float | None = None
    more: bool = False

    def numbered(self) -> list[tuple[str, Row]]:
        """Return the rows with their ranks; parts are 1.1, 1.2 and so on."""
        numbers: list[str] = []
        rank = part = 0
        for row in self.rows:
            rank, part = (rank, part + 1) if row.part else (rank + 1, 0)
            numbers.append(f"{rank}.{part}" if row.part else f"{rank}")
        return list(zip(numbers, self.rows, strict=True))

    def whole(self) -> list[Row]:
        """Return the rows that are no parts."""
        return [row for row in self.rows if not row.part]
