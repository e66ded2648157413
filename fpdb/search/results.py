"""What is asked of the look-up, and what is answered: the shapes of both, for whoever calls or prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from json.encoder import encode_basestring_ascii
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fpdb.errors import BadQuery

if TYPE_CHECKING:
    from fpdb.regions.places import MatchedRegion
    from fpdb.regions.sources import SourceState

COUNTED: Final = ("containment", "reverse_containment", "resemblance")
WEIGHTED: Final = ("weighted_containment", "weighted_reverse_containment", "weighted_resemblance")
COVERED: Final = ("query_coverage", "document_coverage")
WEIGHTED_COVERED: Final = ("weighted_query_coverage", "weighted_document_coverage")
REGIONAL: Final = (*COVERED, *WEIGHTED_COVERED)
"""Measures that regions tell."""

MEASURES: Final = (*COUNTED, "shared", *WEIGHTED, *REGIONAL)


@dataclass(frozen=True, slots=True)
class Options:
    """How to query. Raises BadQuery when made from what makes no sense.

    by: the measure to rank by, one of MEASURES. smallest: look only that many of the smallest hashes up. max_df: ignore
    hashes that this many documents hold, but max_ignored of them at most, the most frequent. min: the least measure, in
    [0, 1], or a count where by is "shared"; inclusive. top: the most matches to return.

    By one of the weighted measures, a hash counts log(N / df): it weighs the more the fewer of the N documents hold it.
    The query is one of the N and of the df of its hashes, whether the database holds it already or not, so that scores
    are those that `pairs` would give it. Weighted reverse containment and resemblance read all postings, or those up to
    the largest of the `smallest`.

    By one of REGIONAL, the regions of all documents that share a hash are found, which takes the longer the more they
    are.
    """

    by: str = "containment"
    smallest: int | None = None
    max_df: int | None = None
    max_ignored: int | None = None
    min: float | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        if self.by not in MEASURES:
            raise BadQuery(f"by must be one of {', '.join(MEASURES)}, not {self.by!r}")
        for name, least in (("smallest", 1), ("max_df", 1), ("max_ignored", 0), ("top", 1)):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value < least):
                raise BadQuery(f"{name} must be a whole number, {least} or more, not {value!r}")
        if self.max_ignored is not None and self.max_df is None:
            raise BadQuery("max_ignored limits what max_df ignores; give max_df too")
        most = math.inf if self.by == "shared" else 1
        if self.min is not None and not (isinstance(self.min, Real) and 0 <= self.min <= most):
            raise BadQuery(f"min must lie in [0, 1] for {self.by}, not {self.min!r}")

    @property
    def weighted(self) -> bool:
        """Whether hashes weigh by their rarity."""
        return self.by in WEIGHTED or self.by in WEIGHTED_COVERED

    @property
    def regional(self) -> bool:
        """Whether the measure is told by regions."""
        return self.by in REGIONAL

    def of_all(self) -> Options:
        """For all matches, by a measure that hashes alone tell; weighted if these are."""
        return replace(self, by="weighted_containment" if self.weighted else "containment", min=None, top=None)


class Match(NamedTuple):
    """A document that shares hashes with the query; the measures lie in [0, 1].

    part: said where every document has as many fingerprints and the lengths differ much, so that a low measure may
    still mean much: about how much of the shorter one is in the longer one (Heintze 1996, section 3.5).

    database: only where several are asked together, the one that the document is in.

    Only where matches are ranked by a weighted measure, see `Options`: weighted_containment, and by one of the others
    weighted_reverse_containment and weighted_resemblance too; but by one of the weighted coverages, these and rarity:
    the mean of log(N / df) / log(N) over the hashes that count and both have, from 0 for what all documents hold to
    nearly 1. A weighted coverage is the coverage times the rarity.

    Only where regions are asked for, or matches are ranked by what they cover:
    regions: in order of the query, which is a of each region. query_coverage, document_coverage: the share of either
    document's symbols that lie in regions.
    source: "same" where the document's content is there, kept or in the file it came from; else whether the file has
    "changed" or is "gone", there is none and the text was "not_kept", or it is "unavailable". Unless it is the same,
    regions are not extended beyond the fingerprints, and the document's place is a `SymbolPlace`.
    """

    name: str
    shared: int
    containment: float
    reverse_containment: float
    resemblance: float
    weighted_containment: float | None = None
    weighted_reverse_containment: float | None = None
    weighted_resemblance: float | None = None
    rarity: float | None = None
    part: float | None = None
    query_coverage: float | None = None
    document_coverage: float | None = None
    weighted_query_coverage: float | None = None
    weighted_document_coverage: float | None = None
    source: SourceState | None = None
    regions: list[MatchedRegion] | None = None
    database: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """What is said of it, by name."""
        values: dict[str, Any] = {
            key: value for key, value in zip(self._fields, self, strict=True) if value is not None
        }
        if self.regions is not None:
            values["regions"] = [region.to_dict("query", "document") for region in self.regions]
        return values


def matches_of(columns: Mapping[str, Iterable[Any]]) -> list[Match]:
    """Matches, of columns by the names of their fields; None where there is no column."""
    rows = zip(*(columns.get(name, repeat(None)) for name in Match._fields), strict=False)
    return list(map(_match, rows))


_match: Final = partial(tuple.__new__, Match)

_ENCODE: Final = json.JSONEncoder(check_circular=False, allow_nan=False).encode


class Query(NamedTuple):
    """What was asked.

    fingerprints: those of the query document, repeats included. looked_up: its distinct hashes that were looked up,
    boilerplate left out. Containment is a share of looked_up - ignored_common. note: why nothing can match, where that
    is so.
    """

    name: str | None
    kind: str
    fingerprints: int
    looked_up: int
    ignored_boilerplate: int
    ignored_common: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """By name, without a note where there is none."""
        values = self._asdict()
        if self.note is None:
            del values["note"]
        return values

    def to_json(self) -> str:
        """The same as JSON in ASCII, as `json.dumps` would write it."""
        name = "null" if self.name is None else encode_basestring_ascii(self.name)
        note = "" if self.note is None else f', "note": {encode_basestring_ascii(self.note)}'
        return (
            f'{{"name": {name}, "kind": {encode_basestring_ascii(self.kind)}, "fingerprints": {self.fingerprints}, '
            f'"looked_up": {self.looked_up}, "ignored_boilerplate": {self.ignored_boilerplate}, '
            f'"ignored_common": {self.ignored_common}{note}}}'
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """Matches in order of the measure, then of shared, both descending, then of the name's bytes."""

    query: Query
    matches: list[Match] = field(default_factory=list)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process by columns, without those that say nothing."""
        columns = zip(Match._fields, zip(*self.matches, strict=True), strict=False)
        said = {name: column for name, column in columns if column.count(None) < len(column)}
        return _answer, (self.query, said)

    def without_regions(self, by: str) -> Answer:
        """As it would be, had regions not been asked for. by: the measure that it is ranked by."""
        names = ("regions",) if by in REGIONAL else ("regions", "source", *COVERED)
        nothing: dict[str, Any] = dict.fromkeys(names)
        return replace(self, matches=[match._replace(**nothing) for match in self.matches])

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `fpdb query --format json` prints them."""
        return {"query": self.query.to_dict(), "matches": [match.to_dict() for match in self.matches]}

    def to_json(self) -> str:
        """The same as JSON in ASCII, on a line."""
        return _ENCODE(self.to_dict()) + "\n"


def _answer(query: Query, columns: dict[str, tuple[Any, ...]]) -> Answer:
    return Answer(query, matches_of(columns) if columns else [])
