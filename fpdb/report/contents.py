"""What a report holds, as plain values: sources, and rows that compare two of them. Knows no HTML and no database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from fpdb.regions.sources import SourceState

State = SourceState | Literal["omitted"]

LISTED: Final = 2000
"""Rows that a page lists."""

TEXT: Final = 40_000_000
"""Bytes of sources, as they stand in the page, that it holds."""


class Limits(NamedTuple):
    """How much a page may hold; see LISTED and TEXT."""

    rows: int = LISTED
    text: int = TEXT


@dataclass(slots=True)
class Source:
    """A document on the page. text: the original, where it is the "same" and not "omitted" for its size."""

    name: str
    state: State
    text: str | None = None


class Region(NamedTuple):
    """[start, end) of both sides: characters where the side has its text, else symbols; and what they share."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    shared: int


@dataclass(slots=True)
class Row:
    """A pair, or a match: two sources, by index; its score in [0, 1]; values under the columns, None for unknown.

    regions: None where there is nothing to compare. symbols: which sides have their regions in symbols. part: it is
    part of the row before that is none: a pair of documents, of two owners.
    """

    a: int
    b: int
    score: float
    values: list[float | int | None]
    regions: list[Region] | None = None
    symbols: tuple[bool, bool] = (False, False)
    part: bool = False


class Column(NamedTuple):
    """A column of numbers. share: in [0, 1], shown in percent."""

    title: str
    about: str
    share: bool = True

    @property
    def long(self) -> bool:
        """Whether a word of the title takes a wider column."""
        return max(map(len, self.title.split())) > 7


@dataclass(slots=True)
class Contents:
    """A whole page. noun: what a row is. sides: what its two sources are called. more: whether rows were left out."""

    title: str
    noun: str
    sides: tuple[str, str]
    score: str
    columns: tuple[Column, ...]
    sources: list[Source] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    connect: float | None = None
    """The score from which rows connect their sources into clusters; None for no clusters."""
    more: bool = False

    def numbered(self) -> list[tuple[str, Row]]:
        """The rows with their ranks: parts as 1.1, 1.2 and so on."""
        numbers: list[str] = []
        rank = part = 0
        for row in self.rows:
            rank, part = (rank, part + 1) if row.part else (rank + 1, 0)
            numbers.append(f"{rank}.{part}" if row.part else f"{rank}")
        return list(zip(numbers, self.rows, strict=True))

    def whole(self) -> list[Row]:
        """The rows that are no parts."""
        return [row for row in self.rows if not row.part]

    def data(self) -> dict[str, Any]:
        """What the page's script needs beside the texts."""
        return {
            "sides": self.sides,
            "sources": [{"name": source.name, "state": source.state} for source in self.sources],
            "rows": [
                {"a": row.a, "b": row.b, "symbols": row.symbols, "regions": row.regions, "score": round(row.score, 6)}
                for row in self.rows
            ],
        }
