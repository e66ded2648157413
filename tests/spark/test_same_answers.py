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
    """One of each cluster stays: written plainly from the clusters, and from all pairs, whatever their owners."""
    about = {document.name: document for document in local.documents()}
    by, least = options.get("by", "containment"), options.get("min", 0.5)
    alike = local.pairs(max_df=30, by=by, owners="label:none")
    scores = {(pair.a, pair.b): (pair.shared, getattr(pair, by, None)) for pair in alike}
    if by == "containment":
        alike = local.pairs(max_df=30, owners="label:none")
        scores = {(pair.a, pair.b): (pair.shared, max(pair.containment_a, pair.containment_b)) for pair in alike}
    preferred = {"fr": 0, "en": 1}
    ranks = {
        "longest": {name: -document.symbols for name, document in about.items()},
        "label:lang=fr,en": {name: preferred.get(each.labels.get("lang"), 2) for name, each in about.items()},
    }[keep]
    new = {name for name, each in about.items() if "new" not in options or each.labels.get("lang") == "en"}
    expected = []
    given = {name: value for name, value in options.items() if name != "top"}
    for cluster in local.clusters(max_df=30, **given):
        kept = min(cluster.members, key=lambda name: (name in new, ranks[name], name))
        for name in cluster.members:
            if name != kept and name in new:
                shared, score = scores.get((min(name, kept), max(name, kept)), (0, 0.0))
                reason = "similar" if score >= least else "connected"
                expected.append((name, kept, cluster.name, len(cluster), shared, score, reason))
    assert len({row[-1] for row in expected}) == (2 if keep == "longest" else 1)
    assert rows(drop_list(found, max_df=30, keep=keep, **options)) == expected[: options.get("top")]
