"""Clusters are those of a database, wherever the edges are joined."""

import pytest

from fpdb.spark import clusters
from fpdb.spark.clusters import components
from tests.spark.rows import rows


def test_clusters(found, local):
    """By stars, since the driver is to join none; top counts clusters."""
    expected = [
        (cluster.name, len(cluster), cluster.pairs, name)
        for cluster in local.clusters(max_df=30, top=9)
        for name in cluster.members
    ]
    assert len(expected) > 20
    assert rows(clusters(found, max_df=30, on_driver=0, top=9)) == expected


@pytest.mark.parametrize("on_driver", [1000, 0], ids=["driver", "stars"])
def test_components(spark, on_driver):
    """A path, which takes several rounds, a star, and cycles; the numbers are in no order."""
    path = [(n * 7 % 23, (n + 1) * 7 % 23) for n in range(22)]
    star = [(1000, 1000 + n) for n in range(1, 30)]
    cycles = [(2000 + 10 * (n // 5) + n % 5, 2000 + 10 * (n // 5) + (n + 1) % 5) for n in range(20)]
    edges = spark.createDataFrame([*path, *star, *cycles], "a long, b long")
    found = {row["id"]: row["root"] for row in components(edges.repartition(4), on_driver).collect()}
    expected = dict.fromkeys((n for edge in path for n in edge), 0) | dict.fromkeys(range(1000, 1030), 1000)
    expected |= {number: number // 10 * 10 for edge in cycles for number in edge}
    assert found == expected
