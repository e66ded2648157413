"""The contents of a page as plain values: sources, and rows that compare two of them. Knows no HTML, no database."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple

from fpdb.columns import Columns
from fpdb.errors import BadArgument
from fpdb.regions.sources import SourceState
from fpdb.report.excerpt import Excerpt

LISTED: Final = 2000
"""Rows that a page lists."""

TEXT: Final = 16_000_000
"""Bytes of texts, as they stand in the page, that it holds."""


class Limits(NamedTuple):
    """Limits of a page: rows, and bytes of texts."""

    rows: int = LISTED
    text: int = TEXT


class ShownRegion(NamedTuple):
    """A region of a row: [start, end) on both sides, in what is shown of a text or in symbols; shared fingerprints."""

    a: tuple[int, int]
    b: tuple[int, int]
    shared: int


@dataclass(slots=True)
class PageSource:
    """A document, or an owner, on the page.

    state: "omitted" is a text for which there was no room. owner: its owner, if a rule tells one. signs: of a disguise.
    is_document: False for an owner.
    """

    name: str
    state: SourceState | Literal["omitted"]
    excerpt: Excerpt = field(default_factory=Excerpt)
    owner: str | None = None
    signs: str | None = None
    is_document: bool = True


@dataclass(slots=True)
class Row:
    """A pair, or a match, of the sources of indices a and b; a score in [0, 1]; values under the columns.

    values: None for unknown. regions: in order of a; None if there is nothing to compare. symbols: for each side,
    whether its regions are in symbols. part: True for a pair of documents under the pair of their owners before it.
    evidence: words on what tells the measures, if fingerprints alone do not.
    """

    a: int
    b: int
    score: float
    values: list[float | int | None]
    regions: list[ShownRegion] | None = None
    symbols: tuple[bool, bool] = (False, False)
    part: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The parts of a page besides its results.

    Attributes:
        title: A title instead of "Pairs" or "Matches".
        note: Words of whoever made the page.
        database: The name of the database.
        options: The options of the comparison, as they were given.
        made: The time at which it was made.
        anonymous: Names are replaced by numbers; `Report.names` tells them.
    """

    title: str = ""
    note: str = ""
    database: str = ""
    options: Sequence[str] = ()
    made: datetime | None = None
    anonymous: bool = False

    def __post_init__(self) -> None:
        """Raise BadArgument if a value has a wrong type."""
        kinds = {"made": datetime | None, "anonymous": bool, "options": Sequence}
        for name in self.__slots__:
            value, kind = getattr(self, name), kinds.get(name, str)
            if not isinstance(value, kind):
                raise BadArgument(f"{name} must be {getattr(kind, '__name__', 'a datetime')}, not {value!r}")


@dataclass(slots=True)
class PageContents:
    """A whole page.

    noun: what a row is. sides: what its two sources are called. ranked: words for what rows are ranked by. score: the
    measure that scores are. facts: terms and sentences on what was compared. connect: the score from which rows connect
    their sources; None for no clusters. more: True if rows were left out.
    """

    title: str
    noun: str
    sides: tuple[str, str]
    ranked: str
    score: str
    columns: Columns
    sources: list[PageSource] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    heading: Heading = Heading()
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
