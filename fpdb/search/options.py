"""Options of queries: the measures, and the choices of a caller."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, Final, NamedTuple, Self, get_args

from fpdb.errors import BadQuery
from fpdb.fingerprint import Recipe
from fpdb.options import Measure, Rarity
from fpdb.subset import Subset
from fpdb.validation import check_integer

COUNTED: Final = ("containment", "reverse_containment", "resemblance")
COVERED: Final = ("query_coverage", "document_coverage")
"""Measures that need the regions of a match."""

MEASURES: Final = get_args(Measure)
ALIGNED: Final = "aligned"
"""The measure of hashes with positions: so many agree on an offset."""


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Options that find and rank matches by hashes.

    Weighted containment and similarity count a hash that df of N documents hold by its rarity, see `search.rarity`. The
    query counts as one of the N and of the df, whether the database holds it or not, so that its weighted containment
    is that of `pairs`. Similarity is the mean of both weighted containments, for which a document's hashes are taken to
    be as rare, in the mean, as the query's: so no other posting is read, and a copy scores 1. To weigh all hashes of a
    document takes a scan of all postings, which only `pairs` does.

    The measures of COVERED need the regions of all documents that share a hash with the query.

    Raises BadQuery if a value is unknown or out of range.
    """

    by: str = "containment"  # the measure to rank by, one of MEASURES, or ALIGNED
    smallest: int | None = None  # the number of smallest hashes to look up
    max_df: int | None = None  # the document frequency from which hashes are ignored
    max_ignored: int | None = None  # the largest number of these, the most frequent first
    min: float | None = None  # the lowest measure of a match: in [0, 1], or a count if by is "shared"; inclusive
    top: int | None = None  # the largest number of matches
    labels: Mapping[str, str] | None = None  # see `subset.Subset`, by which matches are chosen
    names: str | Sequence[str] | None = None
    exclude_names: str | Sequence[str] | None = None
    with_labels: bool = False  # whether matches tell the labels of their documents
    with_total: bool = False  # whether the answer tells how many matches there are in all

    def __post_init__(self) -> None:
        """Check the values."""
        if self.by not in (*MEASURES, ALIGNED):
            by_pairs = self.by in ("weighted_resemblance", "weighted_reverse_containment")
            instead = "; it weighs all hashes of a document: use similarity, or compare by `pairs`" if by_pairs else ""
            raise BadQuery(f"by must be one of {', '.join(MEASURES)}, not {self.by!r}{instead}")
        for name, minimum in (("smallest", 1), ("max_df", 1), ("max_ignored", 0), ("top", 1)):
            value = getattr(self, name)
            if value is not None:
                check_integer(value, name, minimum, error=BadQuery)
        if self.max_ignored is not None and self.max_df is None:
            raise BadQuery("max_ignored limits what max_df ignores; give max_df too")
        for name in ("with_labels", "with_total"):
            if not isinstance(getattr(self, name), bool):
                raise BadQuery(f"{name} must be True or False, not {getattr(self, name)!r}")
        for name, value in self.subset._asdict().items():
            object.__setattr__(self, name, value)  # which can be hashed
        maximum = math.inf if self.by in ("shared", ALIGNED) else 1
        if self.min is not None and not (isinstance(self.min, Real) and 0 <= self.min <= maximum):
            raise BadQuery(f"min must lie in [0, 1] for {self.by}, not {self.min!r}")

    @property
    def subset(self) -> Subset:
        """The documents that may be matches; rarity and document frequencies are those of all."""
        return Subset.of(self.labels, self.names, self.exclude_names)

    @property
    def weighted(self) -> bool:
        """Return True if hashes weigh by their rarity."""
        return self.by in ("similarity", "weighted_containment")

    @property
    def regional(self) -> bool:
        """Return True if the measure needs regions."""
        return self.by in COVERED

    @property
    def positional(self) -> bool:
        """Return True if the measure needs the positions of hashes."""
        return self.by == ALIGNED

    def check_by_hashes(self) -> None:
        """Raise BadQuery if the measure needs the content of one document, or positions."""
        if self.positional:
            raise BadQuery("aligned is told by positions: ask by `query_fingerprints` with positions")
        if self.regional:
            raise BadQuery(f"{self.by} is told by regions: ask with one document's content, by `query`")

    def without_regions(self) -> QueryOptions:
        """Return options that rank all candidates by a measure that hashes alone tell."""
        return replace(self, by="containment", min=None, top=None, with_total=False)


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """Options of queries by content, see `Searchable.query`.

    repeats: see `RegionOptions`. encoding: see `Recipe.fingerprint`. ranking: the keywords of `QueryOptions`.
    """

    window: int | None = None
    rarity: Rarity = "document"
    include_self: bool = False
    regions: bool = False
    gap: int | None = None
    shortest: int | None = None
    repeats: bool = False
    encoding: str | None = None
    ranking: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what nothing else does."""
        if self.rarity not in get_args(Rarity):
            raise BadQuery(f"rarity must be one of {', '.join(get_args(Rarity))}, not {self.rarity!r}")
        if not isinstance(self.encoding, str | None):
            raise BadQuery(f"encoding must be a string or None, not {self.encoding!r}")
        if not isinstance(self.include_self, bool):
            raise BadQuery(f"include_self must be True or False, not {self.include_self!r}")

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> Self:
        """Take the keywords apart."""
        own = {name: keywords[name] for name in keywords.keys() & {each.name for each in fields(cls)}}
        return cls(**own, ranking={name: value for name, value in keywords.items() if name not in own})

    @property
    def needs_regions(self) -> bool:
        """Return True if regions are told, or rank the matches."""
        return self.regions or self.ranking.get("by") in COVERED


class HashQueryOptions(NamedTuple):
    """Options of queries by hashes, see `Searchable.query_fingerprints`."""

    ranking: QueryOptions
    regions: bool = False
    gap: int | None = None


def recipe_options(recipe: Recipe, given: Mapping[str, Any], kind: str | None = None) -> QueryOptions:
    """Return the options that are given, completed by the recipe's measure for the kind, if there is one, and caps.

    max_df and max_ignored replace the recipe's only together.
    """
    options = dict(given) if kind is None else {"by": recipe.measure(kind), **given}
    if options.get("max_df") is None and options.get("max_ignored") is None:
        options |= {"max_df": recipe.max_df, "max_ignored": recipe.max_ignored}
    return QueryOptions(**options)
