"""Which document of each cluster stays, and which are to be dropped, as `Database.drop_list` says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (what all call it)

from fpdb.errors import BadQuery
from fpdb.spark.clusters import ON_DRIVER, connecting, members_of
from fpdb.spark.frames import frozen
from fpdb.spark.pairs import Comparison


def drop_list(
    fingerprinted: DataFrame,
    boilerplate: DataFrame | None = None,
    *,
    keep: str = "first",
    on_driver: int = ON_DRIVER,
    **options: Any,
) -> DataFrame:
    """A row a document to be dropped: name, kept (who of its cluster stays), cluster, size, shared and measure (of the
    two, null where no pair of theirs passes); by cluster, then name.

    keep: "first", the first in order of names; "longest", with the most symbols; "label:KEY=VALUE,...", the first whose
    label has the earliest of these values. Ties go to the first. The others as for `clusters.clusters`; top is refused,
    since what is dropped must not depend on it. Raises BadQuery.
    """
    checked = connecting(options)
    if checked.top is not None:
        raise BadQuery("a drop list has no top: it names all that are to be dropped")
    rank = rank_column(keep)
    found = frozen(Comparison(fingerprinted, boilerplate, replace(checked, top=None)).found())
    members = members_of(found, on_driver)
    ranked = members.join(fingerprinted.select("id", "symbols", "labels"), "id").withColumn("rank", rank)
    kept = ranked.groupBy("cluster").agg(F.min(F.struct("rank", "name"))["name"].alias("kept"))
    dropped = members.join(kept, "cluster").where("name <> kept")
    scores = found.select("a", "b", "shared", F.col("score").alias("measure"))
    both = scores.union(scores.select("b", "a", "shared", "measure")).toDF("name", "kept", "shared", "measure")
    return (
        dropped.join(both, ["name", "kept"], "left")
        .orderBy("cluster", "name")
        .select("name", "kept", "cluster", "size", "shared", "measure")
    )


def rank_column(keep: str) -> Column:
    """What the document that is kept has the least of. Raises BadQuery."""
    sort, _, rest = keep.partition(":")
    key, _, values = rest.partition("=")
    if keep == "first":
        return F.lit(0).cast("long")
    if keep == "longest":
        return -F.col("symbols")
    if sort == "label" and key and values:
        wanted = F.array(*map(F.lit, values.split(",")))
        place = F.coalesce(F.array_position(wanted, F.col("labels")[key]), F.lit(0))
        return F.when(place == 0, F.lit(2**62)).otherwise(place)
    raise BadQuery(f"keep must be first, longest or label:KEY=VALUE,..., not {keep!r}")
