"""Clusters of documents that pairs connect, as `Database.clusters` finds them.

Each partition joins its own pairs, and the driver the few that are left; where these are too many for it, stars are
formed in DataFrames until nothing changes (Kiveris et al., Connected Components in MapReduce and Beyond, 2014).
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from fpdb.spark import workers
from fpdb.spark.frames import FOREST, frozen, in_arrow
from fpdb.spark.pairs import PairJoin, check_options

ON_DRIVER: Final = 20_000_000  # edges, of 16 bytes, that the driver joins: about a gigabyte


def clusters(
    fingerprinted: DataFrame, boilerplate: DataFrame | None = None, *, on_driver: int = ON_DRIVER, **options: Any
) -> DataFrame:
    """Find clusters: the largest first, then by cluster and name.

    Args:
        fingerprinted: Of `fingerprints`.
        boilerplate: As for `pairs`.
        on_driver: How many edges the driver joins; where more are left, they are joined on the cluster of machines.
        options: As for `pairs`; top counts clusters, and min is 0.5 unless given or ranked by shared hashes.

    Returns:
        A row a document in a cluster: cluster (the smallest name in it), size, pairs (how many connect it) and name.

    Raises:
        BadQuery: An option is not what it should be.
    """
    checked = check_options(options).connecting()
    links = frozen(PairJoin(fingerprinted, boilerplate, replace(checked, top=None)).links())
    members = members_of(links, on_driver)
    linked = links.join(members, links["a"] == members["name"]).groupBy("cluster").agg(F.sum("pairs").alias("pairs"))
    heads = members.select("cluster", "size").distinct().join(linked, "cluster")
    if checked.top is not None:
        heads = heads.orderBy(F.desc("size"), "cluster").limit(checked.top)
    return (
        members.select("cluster", "name")
        .join(heads, "cluster")
        .orderBy(F.desc("size"), "cluster", "name")
        .select("cluster", "size", "pairs", "name")
    )


def members_of(pairs: DataFrame, on_driver: int) -> DataFrame:
    """Return a row a document that is in some of the pairs of `PairJoin.links`: id, name, cluster, size."""
    rooted = components(pairs.select(F.col("a_id").alias("a"), F.col("b_id").alias("b")), on_driver)
    names = pairs.select(F.col("a_id").alias("id"), F.col("a").alias("name"))
    names = names.union(pairs.select("b_id", "b")).distinct()
    named = names.join(rooted, "id")
    heads = named.groupBy("root").agg(F.min("name").alias("cluster"), F.count("*").alias("size"))
    return frozen(named.join(heads, "root").select("id", "name", "cluster", "size"))


def components(edges: DataFrame, on_driver: int = ON_DRIVER) -> DataFrame:
    """Find the connected components of edges (a, b): id and root, the least number in its component."""
    joined = frozen(in_arrow(edges, workers.span_components, FOREST))
    stars = _join_on_driver(joined) if joined.count() <= on_driver else _join_stars(joined)
    return stars.select(F.col("b").alias("id"), F.col("a").alias("root")).union(stars.select("a", "a").distinct())


def _join_on_driver(edges: DataFrame) -> DataFrame:
    table = edges.toArrow()
    numbers = np.stack([table["a"].to_numpy(), table["b"].to_numpy()]).astype(np.int64)
    roots, others = workers.spanning_forest(numbers)
    return edges.sparkSession.createDataFrame(pa.table({"a": roots, "b": others}, schema=workers.FOREST))


def _join_stars(edges: DataFrame) -> DataFrame:
    """Form large stars and small stars in turn, until the edges stay what they are; a < b in all of them."""
    before = None
    while True:
        edges = frozen(_small_star(_large_star(edges)))
        sums = edges.agg(F.count("*"), F.sum(F.xxhash64("a", "b").cast("decimal(38,0)"))).collect()[0]
        if sums == before:
            return edges
        before = sums


def _large_star(edges: DataFrame) -> DataFrame:
    """Connect the larger neighbours of each number with its least neighbour, or itself."""
    both = edges.select(F.col("a").alias("u"), F.col("b").alias("v")).union(edges.select("b", "a"))
    least = both.groupBy("u").agg(F.least("u", F.min("v")).alias("least"))
    return _edges(both.where("v > u").join(least, "u").select("least", "v"))


def _small_star(edges: DataFrame) -> DataFrame:
    """Connect the smaller neighbours of each number, and itself, with the least of them."""
    least = edges.groupBy("b").agg(F.min("a").alias("least"))
    return _edges(edges.join(least, "b").select("least", "a").union(least.select("least", "b")))


def _edges(pairs: DataFrame) -> DataFrame:
    return pairs.toDF("a", "b").where("a < b").distinct()
