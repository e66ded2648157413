"""Deduplication: which document of each cluster is kept and which are dropped, as `Database.drop_list` says."""

from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from fpdb.pairs.keep_policy import KeepRule
from fpdb.pairs.options import PairOptions
from fpdb.spark.clusters import ON_DRIVER, members_of
from fpdb.spark.frames import frozen, prefixed, sort_merged
from fpdb.spark.pairs import PairJoin, check_options, is_new, shares_enough

LAST_RANK = 2**62  # of documents that have none of the values


def drop_list(
    fingerprinted: DataFrame,
    boilerplate: DataFrame | None = None,
    *,
    keep: str = "first",
    on_driver: int = ON_DRIVER,
    **options: Any,
) -> DataFrame:
    """List the documents to drop: those of the largest clusters first, then by cluster and name.

    Args:
        fingerprinted: Of `fingerprints`.
        boilerplate: As for `pairs`.
        keep: "first", the first in order of names; "longest", with the most symbols; "label:KEY=VALUE,...", the one
            whose label has the earliest of these values. Ties go to the first.
        on_driver: As for `clusters`.
        options: As for `clusters`; top counts documents. Where `new` is given, only new documents are dropped.

    Returns:
        A row a document: name, kept (which of its cluster is), cluster (the smallest name in it), size, shared and
        measure (of the two), reason: "similar", the two alone would pass; "connected", they would not, but pairs
        connect them through others; evidence, see `Pair`.

    Raises:
        BadQuery: An option is not what it should be.
    """
    checked = check_options(options).connecting()
    rank = rank_column(keep)
    pair_join = PairJoin(fingerprinted, boilerplate, replace(checked, top=None))
    members = members_of(frozen(pair_join.links()), on_driver)
    dropped = frozen(_dropped(members, pair_join.documents, rank, checked))
    measured = pair_join.measure(_shared(pair_join, dropped))
    measured = measured.withColumn("enough", shares_enough(checked.min_shared))
    columns = "shared", "score", "evidence", "enough"
    both = measured.select("a_id", "b_id", *columns).union(measured.select("b_id", "a_id", *columns))
    scores = both.toDF("a_id", "b_id", "shared", "measure", "evidence", "enough")
    passes = (F.col("measure") >= float(checked.min or 0)) & F.col("enough")
    reason = F.when(passes, "similar").otherwise("connected").alias("reason")
    in_order = dropped.join(scores, ["a_id", "b_id"]).orderBy(F.desc("size"), "cluster", "name")
    rows = in_order.select("name", "kept", "cluster", "size", "shared", "measure", reason, "evidence")
    return rows if checked.top is None else rows.limit(checked.top)


def rank_column(keep: str) -> Column:
    """Return a column of which the document that is kept has the least value. Raises BadQuery."""
    rule = KeepRule.parse(keep)
    if rule.kind == "first":
        return F.lit(0).cast("long")
    if rule.kind == "longest":
        return -F.col("symbols")
    place = F.coalesce(F.array_position(F.array(*map(F.lit, rule.values)), F.col("labels")[rule.label]), F.lit(0))
    return F.when(place == 0, LAST_RANK).otherwise(place)


def _dropped(members: DataFrame, documents: DataFrame, rank: Column, options: PairOptions) -> DataFrame:
    """Return the documents to be dropped, and those kept instead: a_id, name, cluster, size, b_id, kept."""
    about = documents.select("id", rank.alias("rank"), is_new(options).alias("new"))
    ranked = members.join(about, "id")
    first = F.min(F.struct("new", "rank", "name", "id"))
    kept = ranked.groupBy("cluster").agg(first.alias("first"))
    kept = kept.select("cluster", F.col("first.id").alias("b_id"), F.col("first.name").alias("kept"))
    dropped = ranked.join(kept, "cluster").where("new and id <> b_id")
    return dropped.select(F.col("id").alias("a_id"), "name", "cluster", "size", "b_id", "kept")


def _shared(pair_join: PairJoin, dropped: DataFrame) -> DataFrame:
    """Count what dropped documents share with those kept instead, also if they would not pass: as `count_shared`."""
    pairs = dropped.select("a_id", "b_id")
    hashes = sort_merged(prefixed(pair_join.postings, "a")).join(pairs, "a_id")
    other = pair_join.postings.select(F.col("id").alias("b_id"), F.col("hash").alias("a_hash"))
    counted = pair_join.count_shared(hashes.join(sort_merged(other), ["b_id", "a_hash"]))
    counted = pairs.join(counted, ["a_id", "b_id"], "left")
    return counted.fillna(0, ["shared", *(["weight"] if pair_join.options.weighted else [])])
