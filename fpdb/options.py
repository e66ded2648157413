"""Keywords that several calls of the library take, for type checkers: each call unpacks the set that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypedDict

Mode = Literal["r", "r+", "a", "x"]
OnCollision = Literal["refuse", "skip", "replace"]
Rarity = Literal["document", "corpus"]
Measure = Literal[
    "similarity",
    "containment",
    "reverse_containment",
    "resemblance",
    "shared",
    "weighted_containment",
    "query_coverage",
    "document_coverage",
]
"""Measures that rank the matches of a query."""
PairMeasure = Literal[
    "similarity",
    "mean_containment",
    "containment",
    "resemblance",
    "shared",
    "weighted_containment",
    "weighted_resemblance",
    "coverage",
]
"""Measures that rank pairs."""


class FileKeywords(TypedDict, total=False):
    """Keywords of `WriteBatch.add` that `Database.add_file` takes."""

    kind: str
    rarity: Rarity
    boilerplate: bool | None
    contact: str | None
    labels: Mapping[str, str] | None
    keep_text: bool | None
    encoding: str | None
    if_absent: bool


class AddKeywords(FileKeywords, total=False):
    """Keywords of `WriteBatch.add`, which `Database.add` passes on."""

    source: str | None


class HashKeywords(TypedDict, total=False):
    """Keywords of `WriteBatch.add_fingerprints`, which `Database.add_fingerprints` passes on."""

    kind: str | None
    digest: bytes | None
    boilerplate: bool | None
    source: str | None
    contact: str | None
    labels: Mapping[str, str] | None


class HeadingKeywords(TypedDict, total=False):
    """Keywords for what a report says of itself, see `report.contents.Heading`."""

    title: str
    note: str
    database: str
    options: Sequence[str]
    made: datetime | None
    anonymous: bool


class SubsetKeywords(TypedDict, total=False):
    """Keywords that choose documents, see `subset.Subset`."""

    labels: Mapping[str, str] | None
    names: str | Sequence[str] | None
    exclude_names: str | Sequence[str] | None


class _Limits(SubsetKeywords, total=False):
    """Keywords of both queries and pairs."""

    max_df: int | None
    min: float | None
    top: int | None


class _Ranking(_Limits, total=False):
    with_labels: bool
    with_total: bool
    smallest: int | None
    max_ignored: int | None


class RankingKeywords(_Ranking, total=False):
    """Keywords of `search.options.QueryOptions`, for contents."""

    by: Measure


class HashRankingKeywords(_Ranking, total=False):
    """Keywords of `search.options.QueryOptions`, for hashes."""

    by: Measure | Literal["aligned"]


class _Pairing(_Limits, total=False):
    min_shared: int
    new: tuple[str, str] | None
    since: datetime | None
    owners: str
    by_owner: bool
    few: int


class PairKeywords(_Pairing, total=False):
    """Keywords of `pairs.options.PairOptions`."""

    by: PairMeasure


class SpanKeywords(_Pairing, total=False):
    """Keywords of `Database.spans`: those of a query for a content, those of pairs for the documents."""

    by: Measure | PairMeasure
    smallest: int | None
    max_ignored: int | None
    window: int | None
    rarity: Rarity
    include_self: bool
    encoding: str | None


class ExplainKeywords(SubsetKeywords, total=False):
    """Keywords of `Database.explain`, of those of pairs."""

    by: PairMeasure
    min: float | None
    min_shared: int
    max_df: int | None
    owners: str
    few: int


class QueryKeywords(RankingKeywords, total=False):
    """Keywords of `Searchable.query`, which `Searchable.query_file` passes on."""

    window: int | None
    rarity: Rarity
    include_self: bool
    encoding: str | None
    regions: bool
    gap: int | None
    shortest: int
