"""The results of a query, for whoever calls or prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from fpdb.arrow_table import ToArrow, batch_of, schema_of, table_of
from fpdb.columns import MATCH, RANK, ResultColumn, html_table, one_line
from fpdb.search.options import COVERED

if TYPE_CHECKING:
    from fpdb.readers.signs import Signs
    from fpdb.regions.places import MatchedRegion
    from fpdb.regions.sources import SourceState


SHOWN: Final = 3
"""Matches that `repr` of an answer tells."""


class Match(NamedTuple):
    """A document that shares hashes with the query; the measures lie in [0, 1].

    containment: the share of the query's hashes that the document has; reverse_containment: of the document's that the
    query has; resemblance: of those of both together that both have. Weighted containment counts a hash by its rarity;
    it and similarity are given if matches are ranked by them, see `QueryOptions`.

    query_coverage, document_coverage: the share of either's symbols that lie in regions. source: "same" if the
    document's content was read, from the database or its file; else why not: regions are then not extended beyond the
    fingerprints, and the document's places count symbols. regions: in order of the query, which is a of each.

    part: an estimate of how much of the shorter document is in the longer one (Heintze 1996, section 3.5), if all
    documents have as many fingerprints and the lengths differ much. database: if several are queried together.

    offset, aligned: of hashes with positions: how much higher positions are in the document than in the query, for as
    many of the shared hashes as agree, and how many these are. Regions are then those at this offset.

    identical: True if the document has the query's content, under whatever name. labels: if they are asked for.
    """

    name: str
    shared: int
    containment: float
    reverse_containment: float
    resemblance: float
    weighted_containment: float | None = None
    similarity: float | None = None
    part: float | None = None
    query_coverage: float | None = None
    document_coverage: float | None = None
    source: SourceState | None = None
    regions: list[MatchedRegion] | None = None
    database: str | None = None
    offset: int | None = None
    aligned: int | None = None
    identical: bool | None = None
    labels: dict[str, str] | None = None

    def __repr__(self) -> str:
        """Return the name and the values that are given, the regions counted, on one line."""
        values = {key: value for key, value in zip(self._fields, self, strict=True) if value is not None}
        return one_line("Match", [values.pop("name")], values)

    def to_dict(self) -> dict[str, Any]:
        """Return the values that are given, by name."""
        values: dict[str, Any] = {
            key: value for key, value in zip(self._fields, self, strict=True) if value is not None
        }
        if self.regions is not None:
            values["regions"] = [region.to_dict("query", "document") for region in self.regions]
        return values


def matches_of(columns: Mapping[str, Iterable[Any]]) -> list[Match]:
    """Make matches from columns by the names of their fields; a missing column is None throughout."""
    rows = zip(*(columns.get(name, repeat(None)) for name in Match._fields), strict=False)
    return list(map(_MATCH, rows))


_MATCH: Final = partial(tuple.__new__, Match)

_ENCODE: Final = json.JSONEncoder(check_circular=False, allow_nan=False).encode


_ALWAYS: Final = frozenset(
    ("name", "kind", "fingerprints", "looked_up", "ignored_boilerplate", "ignored_common")
)  # values of a query


class Query(NamedTuple):
    """The query of an answer; containment is a share of looked_up - ignored_common."""

    name: str | None
    kind: str
    fingerprints: int  # repeated hashes included
    looked_up: int  # distinct hashes; boilerplate is not
    ignored_boilerplate: int  # distinct hashes
    ignored_common: int  # of those looked up
    note: str | None = None  # why nothing can match, if that is so
    max_df: int | None = None  # if hashes were ignored as common: so many documents, or more, hold each of them
    signs: Signs | None = None  # of a disguise, if there are any

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name, without a note, a max_df or signs if there are none."""
        values = {name: value for name, value in self._asdict().items() if name in _ALWAYS or value is not None}
        return values if self.signs is None else values | {"signs": self.signs.to_dict()}

    def to_json(self) -> str:
        """Return `to_dict` as JSON in ASCII, as `json.dumps` writes it."""
        name = "null" if self.name is None else encode_basestring_ascii(self.name)
        note = "" if self.note is None else f', "note": {encode_basestring_ascii(self.note)}'
        max_df = "" if self.max_df is None else f', "max_df": {self.max_df}'
        signs = "" if self.signs is None else f', "signs": {json.dumps(self.signs.to_dict())}'
        return (
            f'{{"name": {name}, "kind": {encode_basestring_ascii(self.kind)}, "fingerprints": {self.fingerprints}, '
            f'"looked_up": {self.looked_up}, "ignored_boilerplate": {self.ignored_boilerplate}, '
            f'"ignored_common": {self.ignored_common}{note}{max_df}{signs}}}'
        )


@dataclass(frozen=True, slots=True)
class Answer(ToArrow):
    """The matches of a query, in order of the measure, then of shared, both descending, then of the names' bytes.

    total: how many there are in all, not only the first `top`, if `with_total` was asked for; None if they are ranked
    by regions or positions.
    """

    query: Query
    matches: list[Match] = field(default_factory=list)
    total: int | None = None

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.matches)

    def __iter__(self) -> Iterator[Match]:
        """Iterate over the matches."""
        return iter(self.matches)

    @overload
    def __getitem__(self, index: int) -> Match: ...

    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...

    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        """Return the match at an index, or those of a slice."""
        return self.matches[index]

    def __repr__(self) -> str:
        """Return the query, and the first matches, on one line."""
        more = f", and {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""
        matches = ", ".join(map(repr, self[:SHOWN])) or self.query.note or "no match"
        return f"<Answer to {self.query.name or 'a query'!r}: {matches}{more}>"

    def _repr_html_(self) -> str:
        """Return the matches as a table, which notebooks show."""
        optional = {name for name in Match._fields if any(getattr(match, name) is not None for match in self)}
        columns = tuple(column for column in MATCH if not column.group or column.name in optional - {"regions"})
        return html_table(columns, self, f"matches of {self.query.name or 'the query'}: {len(self):,}")

    def to_arrow(self) -> Any:
        """Return the matches as a table, see `ToArrow`, by rank and with the name of the query."""
        table = table_of(MATCH, self)
        ranks = [(self.query.name, rank) for rank in range(1, len(self) + 1)]
        for index, column in enumerate(batch_of(schema_of((ResultColumn("query"), RANK)), ranks).columns):
            table = table.add_column(index, ("query", "rank")[index], column)
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the matches to another process by columns, without empty ones."""
        columns = zip(Match._fields, zip(*self.matches, strict=True), strict=False)
        given = {name: column for name, column in columns if column.count(None) < len(column)}
        return _answer, (self.query, given, self.total)

    def without_regions(self, by: str) -> Answer:
        """Return the answer as it would be without regions; by: the measure that it is ranked by."""
        names = ("regions",) if by in COVERED else ("regions", "source", *COVERED)
        nothing: dict[str, Any] = dict.fromkeys(names)
        return replace(self, matches=[match._replace(**nothing) for match in self.matches])

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts and lists, as `fpdb query --format json` prints them."""
        values = {"query": self.query.to_dict(), "matches": [match.to_dict() for match in self.matches]}
        return values if self.total is None else values | {"total": self.total}

    def to_json(self) -> str:
        """Return `to_dict` as a line of JSON in ASCII."""
        return _ENCODE(self.to_dict()) + "\n"


def _answer(query: Query, columns: dict[str, tuple[Any, ...]], total: int | None) -> Answer:
    return Answer(query, matches_of(columns) if columns else [], total)
