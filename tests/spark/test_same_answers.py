"""What Spark finds is what the database finds, whatever Spark makes of partitions, batches and plans."""

import pytest

import fpdb
from fpdb.spark import clusters, documents, drop_list, fingerprints, pairs
from fpdb.spark.clusters import components

# adaptive execution, partitions of a shuffle, rows of an Arrow batch, cap
HOW = [(True, 8, 2, 0), (False, 1, 1000, 40)]


def rows(frame):
    return [tuple(row) for row in frame.collect()]


def local_pairs(db, **options):
    return [tuple(pair.to_dict().values()) for pair in db.pairs(**options)]


@pytest.mark.parametrize(("adaptive", "partitions", "batch", "cap"), HOW)
def test_pairs(spark, settings, lines, local, adaptive, partitions, batch, cap):
    """Half of the documents hold a footer.

    Its hashes either meet all of their pairs, or are over the cap; then no pair has them, and no measure counts them.
    """
    settings(adaptive=adaptive, partitions=partitions, rows=batch)
    found = fingerprints(documents(spark, [lines], "jsonl"), fpdb.Recipe.preset())
    expected = local_pairs(local, max_df=cap)
    assert (len(expected) > 1000) == (not cap)
    assert rows(pairs(found, max_df=cap)) == expected


def test_weights(found, local):
    options = {"by": "weighted_containment", "max_df": 5, "top": 40}
    expected = local_pairs(local, **options)
    assert len(expected) == 40
    assert rows(pairs(found, **options)) == expected


def test_boilerplate(spark, found, collection, footer, tmp_path):
    """Its hashes count for nothing; and of each pair one document is new, and their owners are two."""
    options = {"by": "shared", "min": 3, "new": ("lang", "de"), "owners": "path:1"}
    template = spark.createDataFrame([("footer", footer)], "name string, text string")
    discarded = fingerprints(template, fpdb.Recipe.preset(), purpose="discard")
    with fpdb.open(tmp_path / "b.fpdb") as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
            batch.add("footer", footer, boilerplate=True)
        expected = local_pairs(db, **options)
    assert len(expected) > 10
    assert rows(pairs(found, discarded, **options)) == expected


def test_samples(samples, sampled, collection, tmp_path):
    """They are compared within what both are samples of; narrow hashes meet by chance, as they do locally."""
    assert samples.where(f"share < {2**32 - 1}").count()
    with fpdb.open(tmp_path / "s.fpdb", recipe=sampled) as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
        expected = local_pairs(db, by="resemblance")
    assert rows(pairs(samples, by="resemblance")) == expected


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


def test_drop_list(found, local):
    options = {"max_df": 30, "by": "weighted_resemblance", "min": 0.15, "new": ("lang", "en"), "top": 19}
    keep = "label:lang=fr,en"
    expected = [tuple(drop.to_dict().values()) for drop in local.drop_list(keep=keep, **options)]
    assert {row[-1] for row in expected} == {"similar", "connected"}
    assert len(expected) == 19
    assert rows(drop_list(found, keep=keep, **options)) == expected
