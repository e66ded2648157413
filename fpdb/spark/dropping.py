"""Which document of each cluster stays, and which are to be dropped, as `Database.drop_list` says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from fpdb.pairs.keep_policy import KeepRule
from fpdb.pairs.options import PairOptions
from fpdb.spark.clusters import ON_DRIVER, members_of
from fpdb.spark.frames import at, frozen, sorted_by_key
from fpdb.spark.pairs import Comparison, is_new, options_of

LAST = 2**62  # the rank of what has none of the values


def drop_list(
    fingerprinted: DataFrame,
    boilerplate: DataFrame | None = None,
    *,
    keep: str = "first",
    on_driver: int = ON_DRIVER,
    **options: Any,
) -> DataFrame:
    """A row a document to be dropped: name, kept (which of its cluster stays), cluster (the smallest name in it), size,
    shared and measure (of the two), reason; those of the largest clusters first, then by cluster and name.

    reason: "similar", the two alone would pass; "connected", they would not, but pairs connect them through others.
    keep: "first", the first in order of names; "longest", with the most symbols; "label:KEY=VALUE,...", the one whose
    label has the earliest of these values. Ties go to the first. Where `new` is given, only new documents are dropped.
    The others as for `clusters.clusters`; top counts documents. Raises BadQuery.
    """
    checked = options_of(options).connecting()
    rank = rank_column(keep)
    comparison = Comparison(fingerprinted, boilerplate, replace(checked, top=None))
    members = members_of(frozen(comparison.found()), on_driver)
    wanted = frozen(_wanted(members, comparison.documents, rank, checked))
    measured = comparison.measured(_shared(comparison, wanted))
    sides = measured.select("a_id", "b_id", "shared", "score")
    turned = measured.select("b_id", "a_id", "shared", "score")
    scores = sides.union(turned).toDF("a_id", "b_id", "shared", "measure")
    passes = (F.col("measure") >= float(checked.min or 0)) & (F.col("shared") >= checked.min_shared)
    rows = (
        wanted.join(scores, ["a_id", "b_id"])
        .orderBy(F.desc("size"), "cluster", "name")
        .select(
            "name",
            "kept",
            "cluster",
            "size",
            "shared",
            "measure",
            F.when(passes, "similar").otherwise("connected").alias("reason"),
        )
    )
    return rows if checked.top is None else rows.limit(checked.top)


def rank_column(keep: str) -> Column:
    """What the document that is kept has the least of. Raises BadQuery."""
    rule = KeepRule.parse(keep)
    if rule.kind == "first":
        return F.lit(0).cast("long")
    if rule.kind == "longest":
        return -F.col("symbols")
    place = F.coalesce(F.array_position(F.array(*map(F.lit, rule.values)), F.col("labels")[rule.label]), F.lit(0))
    return F.when(place == 0, LAST).otherwise(place)


def _wanted(members: DataFrame, documents: DataFrame, rank: Column, options: PairOptions) -> DataFrame:
    """The documents to be dropped, and those kept instead: a_id, name, cluster, size, b_id, kept."""
    about = documents.select("id", rank.alias("rank"), is_new(options).alias("new"))
    ranked = members.join(about, "id")
    first = F.min(F.struct("new", "rank", "name", "id"))
    kept = ranked.groupBy("cluster").agg(first.alias("first"))
    kept = kept.select("cluster", F.col("first.id").alias("b_id"), F.col("first.name").alias("kept"))
    dropped = ranked.join(kept, "cluster").where("new and id <> b_id")
    return dropped.select(F.col("id").alias("a_id"), "name", "cluster", "size", "b_id", "kept")


def _shared(comparison: Comparison, wanted: DataFrame) -> DataFrame:
    """What these pairs share, also those that would not pass: as `Comparison.counted`."""
    pairs = wanted.select("a_id", "b_id")
    met = sorted_by_key(at(comparison.held, "a")).join(pairs, "a_id")
    other = comparison.held.select(F.col("id").alias("b_id"), F.col("hash").alias("a_hash"))
    counted = comparison.counted(met.join(sorted_by_key(other), ["b_id", "a_hash"]))
    found = pairs.join(counted, ["a_id", "b_id"], "left")
    return found.fillna(0, ["shared", *(["weight"] if comparison.options.weighted else [])])
