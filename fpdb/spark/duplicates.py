"""Documents that hold the same hashes, of which a cap leaves some out: as `pairs.duplicates`, in DataFrames."""

import secrets
from collections.abc import Callable

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fpdb.fingerprint import content_digest
from fpdb.spark.frames import frozen, prefixed


def find_duplicates(
    postings: DataFrame,
    common: DataFrame | None,
    described: DataFrame,
    few: int,
    weigh: Callable[[DataFrame], DataFrame] | None,
) -> DataFrame | None:
    """Find the groups of two or more documents that hold the same hashes, some of them common, or none at all.

    Args:
        postings: A row for each hash of a document: id, hash.
        common: The hashes that are left out, or None.
        described: A row a document: id, digest, complete, and without, True if it has no hash.
        few: Documents of fewer hashes, unless complete, are grouped by their content.
        weigh: Adds the weights of hashes to postings, if they are weighed.

    Returns:
        A row a document: id; set, the least id of its group; whole_size and whole_total, the number of all its hashes,
        and their weight or null. None if there are none.
    """
    by_content = described.where("without").where(F.col("digest") != content_digest(b"")).select("id", "digest")
    group = Window.partitionBy("digest")
    keyed = by_content.select("id", F.min("id").over(group).alias("set"), F.count("*").over(group).alias("members"))
    total = F.lit(None if weigh is None else 0.0).cast("double").alias("whole_total")
    without = keyed.where("members > 1").select("id", "set", F.lit(0).cast("long").alias("whole_size"), total)
    groups = None if common is None else _find_equal_sets(postings, common, described, few, weigh)
    found = frozen(without if groups is None else without.unionByName(groups))
    return found if found.count() else None


def _find_equal_sets(
    postings: DataFrame,
    common: DataFrame,
    described: DataFrame,
    few: int,
    weigh: Callable[[DataFrame], DataFrame] | None,
) -> DataFrame:
    touched = postings.join(F.broadcast(common.select("hash")), "hash", "left_semi").select("id").distinct()
    # Nobody can make sums equal on purpose: the salt is another one each time.
    mixed = F.xxhash64(F.lit(secrets.randbits(62)), F.col("hash"))
    signed = (
        postings.join(touched, "id", "left_semi")
        .groupBy("id")
        .agg(
            F.count("*").alias("whole_size"),
            F.sum(mixed.cast("decimal(38,0)")).alias("sum"),
            F.bit_xor(mixed).alias("xor"),
        )
    )
    content = F.when((F.col("whole_size") < few) & ~F.col("complete"), F.col("digest")).alias("content")
    keyed = signed.join(described, "id").select("id", "whole_size", "sum", "xor", content)
    group = Window.partitionBy("whole_size", "sum", "xor", "content")
    grouped = keyed.select(
        "id", "whole_size", F.min("id").over(group).alias("set"), F.count("*").over(group).alias("members")
    )
    found = frozen(grouped.where("members > 1").select("id", "set", "whole_size"))
    if weigh is None:
        return found.withColumn("whole_total", F.lit(None).cast("double"))
    firsts = found.where("id = set").select("id", "set")
    weighed = weigh(postings).join(firsts, "id").groupBy("set").agg(F.sum("weight").alias("whole_total"))
    return found.join(weighed, "set").select("id", "set", "whole_size", "whole_total")


def pairs_of(duplicates: DataFrame) -> DataFrame:
    """Return all pairs of each group: a_id, b_id."""
    a, b = (prefixed(duplicates.select("id", "set"), side) for side in "ab")
    return a.join(b, (a["a_set"] == b["b_set"]) & (a["a_id"] < b["b_id"])).select("a_id", "b_id")


def links_of(duplicates: DataFrame, described: DataFrame) -> DataFrame:
    """Return pairs that connect the same documents as `pairs_of`: a_id, b_id; `pairs`, how many each stands for.

    described: owner and new of each document. Where any two of a group can be a pair, all are linked to the first.
    """
    known = described.where("set is not null").select("id", "set", "owner", "new")
    owned = F.count("owner") == F.count_distinct("owner")
    free = frozen(known.groupBy("set").agg((owned & F.every("new")).alias("free")).where("free").select("set"))
    place = F.row_number().over(Window.partitionBy("set").orderBy("id")) - 1
    first = known.join(free, "set").select(F.col("set").alias("a_id"), F.col("id").alias("b_id"), place.alias("pairs"))
    rest = pairs_of(duplicates.join(free, "set", "left_anti"))
    return first.where("a_id <> b_id").unionByName(rest.withColumn("pairs", F.lit(1)))
