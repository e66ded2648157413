"""What Spark finds is what the database finds, whatever Spark makes of partitions, batches and plans."""

import pytest

import fpdb
from fpdb.spark import clusters, documents, drop_list, fingerprints, pairs

# adaptive execution, partitions of a shuffle, rows of an Arrow batch, cap
HOW = [(True, 8, 2, 0), (False, 1, 1000, 40)]
BY = [
    {"by": "weighted_containment", "max_df": 5, "top": 40},
    {"by": "shared", "min": 3, "new": ("lang", "de"), "owners": "path:1"},
]


def rows(frame):
    return [tuple(row) for row in frame.collect()]


def local_pairs(db, **options):
    return [tuple(pair.to_dict().values()) for pair in db.pairs(**options)]


@pytest.mark.parametrize(("adaptive", "partitions", "batch", "cap"), HOW)
def test_pairs(spark, settings, lines, local, adaptive, partitions, batch, cap):
    """Half of the documents hold a footer: its hashes meet all of their pairs, or are over the cap, and then no pair
    has them and no measure counts them."""
    settings(adaptive=adaptive, partitions=partitions, rows=batch)
    found = fingerprints(documents(spark, [lines], "jsonl"), fpdb.Recipe.preset())
    expected = local_pairs(local, max_df=cap)
    assert (len(expected) > 1000) == (not cap)
    assert rows(pairs(found, max_df=cap)) == expected


@pytest.mark.parametrize("options", BY, ids=str)
def test_pairs_by(found, local, options):
    expected = local_pairs(local, **options)
    assert len(expected) > 20
    assert rows(pairs(found, **options)) == expected


def test_boilerplate(spark, found, collection, footer, tmp_path):
    template = spark.createDataFrame([("footer", footer)], "name string, text string")
    discarded = fingerprints(template, fpdb.Recipe.preset(), purpose="discard")
    with fpdb.open(tmp_path / "b.fpdb") as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
            batch.add("footer", footer, boilerplate=True)
        expected = local_pairs(db)
    assert rows(pairs(found, discarded)) == expected


def test_samples(spark, lines, collection, tmp_path):
    """They are compared within what both are samples of; narrow hashes meet by chance, as they do locally."""
    recipe = fpdb.Recipe.preset().with_(positions=False, key=12345, scheme="smallest", n=20, hash_bits=20)
    found = fingerprints(documents(spark, [lines], "jsonl"), recipe)
    assert found.where(f"share < {2**32 - 1}").count()
    with fpdb.open(tmp_path / "s.fpdb", recipe=recipe) as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
        expected = local_pairs(db, by="resemblance")
    assert rows(pairs(found, by="resemblance")) == expected


@pytest.mark.parametrize(("on_driver", "top"), [(10**6, None), (0, 9)], ids=["driver", "stars"])
def test_clusters(found, local, on_driver, top):
    """Joined on the driver, and by stars where it is to join none; top counts clusters."""
    expected = [
        (cluster.name, len(cluster), cluster.pairs, name)
        for cluster in local.clusters(max_df=30, top=top)
        for name in cluster.members
    ]
    assert len(expected) > 20
    assert rows(clusters(found, max_df=30, on_driver=on_driver, top=top)) == expected


@pytest.mark.parametrize(
    ("keep", "options"),
    [
        ("longest", {}),
        ("label:lang=fr,en", {"by": "weighted_resemblance", "min": 0.2, "new": ("lang", "en"), "top": 12}),
    ],
    ids=str,
)
def test_drop_list(found, local, keep, options):
    expected = [tuple(drop.to_dict().values()) for drop in local.drop_list(max_df=30, keep=keep, **options)]
    assert len(expected) > 10
    assert rows(drop_list(found, max_df=30, keep=keep, **options)) == expected
