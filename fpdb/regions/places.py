"""Places of regions in the originals: characters and lines of a text, or symbols where the text cannot be read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

LABEL_NAME = 40
"""Characters of a part's name in its label."""


class PartPlace(NamedTuple):
    """A line of a page, slide, chapter, sheet or the like; number and line from 1, name "" for none."""

    kind: str
    number: int
    name: str
    line: int

    @property
    def label(self) -> str:
        """The part in words: `page 12`, `sheet 2 (Results)`."""
        short = self.name if len(self.name) <= LABEL_NAME else f"{self.name[: LABEL_NAME - 3]}..."
        return f"{self.kind} {self.number}" + (f" ({short})" if short else "")

    def to_dict(self) -> dict[str, str | int]:
        """Return the place as JSON output has it."""
        return {name: value for name, value in self._asdict().items() if value != ""}


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Characters [start, end) of a decoded text, from 0.

    first_line, last_line: of the first and the last character, from 1. first_column, last_column: where these are in
    their lines, from 1. first_part, last_part: the part of the document in which these are; None if it has no parts.
    Places are compared without columns and parts, since text and characters tell them.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    first_column: int = field(default=1, compare=False)
    last_column: int = field(default=1, compare=False)
    first_part: PartPlace | None = field(default=None, compare=False)
    last_part: PartPlace | None = field(default=None, compare=False)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        """Return the place of what `dataclasses.astuple` made of one."""
        *numbers, first, last = values
        return cls(*numbers, *(None if part is None else PartPlace(*part) for part in (first, last)))

    @property
    def interval(self) -> tuple[int, int]:
        """The characters [start, end)."""
        return self.start, self.end

    @property
    def in_words(self) -> str:
        """The lines and columns, in lines of a part of the document if it has parts: `page 12, lines 3:1-4:28`."""
        one, other = self.first_part, self.last_part
        if one is None or other is None:
            return self._lines(self.first_line, self.last_line)
        if one.number == other.number:
            return f"{one.label}, {self._lines(one.line, other.line)}"
        end = f"{other.label}, line {other.line}:{self.last_column}"
        return f"{one.label}, line {one.line}:{self.first_column} to {end}"

    def _lines(self, first: int, last: int) -> str:
        if first == last:
            return f"line {first}:{self.first_column}-{self.last_column}"
        return f"lines {first}:{self.first_column}-{last}:{self.last_column}"

    def to_dict(self) -> dict[str, Any]:
        """Return the place as JSON output has it."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__ if not name.endswith("_part")}
        if self.first_part is not None and self.last_part is not None:
            values |= {"first_part": self.first_part.to_dict(), "last_part": self.last_part.to_dict()}
        return values


@dataclass(frozen=True, slots=True)
class SymbolPlace:
    """Symbols of a document whose text cannot be read, from 0, both inclusive."""

    first_symbol: int
    last_symbol: int

    @property
    def interval(self) -> tuple[int, int]:
        """The symbols [start, end)."""
        return self.first_symbol, self.last_symbol + 1

    @property
    def in_words(self) -> str:
        """The symbols: `symbols 3-9`."""
        first, last = self.first_symbol, self.last_symbol
        return f"symbol {first}" if first == last else f"symbols {first}-{last}"

    def to_dict(self) -> dict[str, int]:
        """Return the place as JSON output has it."""
        return {"first_symbol": self.first_symbol, "last_symbol": self.last_symbol}


@dataclass(frozen=True, slots=True)
class MatchedRegion:
    """A passage that two documents have in common.

    Attributes:
        a: Its place in the first document: the query of a `Match`, or document a of a `Pair`.
        b: Its place in the second document.
        matched_fingerprints: How many fingerprints in it both have; one that occurs twice counts twice.
    """

    a: TextPlace | SymbolPlace
    b: TextPlace | SymbolPlace
    matched_fingerprints: int

    @classmethod
    def of(cls, a: Sequence[int], b: Sequence[int], matched_fingerprints: int) -> Self:
        """Return the region of what `dataclasses.astuple` made of one."""
        a_place, b_place = (TextPlace.of(place) if len(place) > 2 else SymbolPlace(*place) for place in (a, b))
        return cls(a_place, b_place, matched_fingerprints)

    def to_dict(self, a: str = "a", b: str = "b") -> dict[str, Any]:
        """Return the region as JSON output has it, with the two places under the given keys."""
        return {a: self.a.to_dict(), b: self.b.to_dict(), "matched_fingerprints": self.matched_fingerprints}
