"""What Spark finds is what the database finds, whatever Spark makes of partitions, batches and plans."""

import pytest

import fpdb
from fpdb.spark import clusters, documents, drop_list, fingerprints, pairs

# adaptive execution, partitions of a shuffle, rows of an Arrow batch
HOW = [(True, 8, 2), (False, 1, 1000), (False, 8, 50)]
PAIRS = [
    {},
    {"max_df": 30, "min": 0.2, "by": "resemblance"},
    {"max_df": 5, "by": "weighted_containment", "top": 40},
    {"by": "weighted_resemblance", "owners": "path:1"},
    {"by": "shared", "min": 3, "new": ("lang", "de")},
]


def rows(frame):
    return [tuple(row) for row in frame.collect()]


def local_pairs(db, **options):
    return [tuple(pair.to_dict().values()) for pair in db.pairs(**options)]


@pytest.mark.parametrize(("adaptive", "partitions", "batch"), HOW)
def test_pairs(spark, settings, lines, local, adaptive, partitions, batch):
    """Of all documents, half of which hold a footer: no cap, so that its hashes meet all of their pairs."""
    settings(adaptive=adaptive, partitions=partitions, rows=batch)
    found = fingerprints(documents(spark, [lines], "jsonl"), fpdb.Recipe.preset())
    expected = local_pairs(local)
    assert len(expected) > 1000
    assert rows(pairs(found)) == expected


@pytest.mark.parametrize("options", PAIRS[1:], ids=str)
def test_pairs_by(found, local, options):
    expected = local_pairs(local, **options)
    assert len(expected) > 20
    assert rows(pairs(found, **options)) == expected


def test_common_hashes_are_left_out(found, local, collection):
    """Those of the footer, in half of the documents, are over the cap: no pair has them, no measure counts them."""
    expected = local_pairs(local, max_df=len(collection) // 3)
    assert 0 < len(expected) < len(local_pairs(local)) / 2
    assert rows(pairs(found, max_df=len(collection) // 3)) == expected


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


@pytest.mark.parametrize(
    "scheme", [{"scheme": "smallest", "n": 20}, {"scheme": "distinct", "n": 20}, {"hash_bits": 20}]
)
def test_other_recipes(spark, lines, collection, tmp_path, scheme):
    """Samples are compared within what both are samples of; narrow hashes meet by chance, as they do locally."""
    recipe = fpdb.Recipe.preset().with_(positions=False, key=12345, **scheme)
    found = fingerprints(documents(spark, [lines], "jsonl"), recipe)
    with fpdb.open(tmp_path / "s.fpdb", recipe=recipe) as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
        expected = local_pairs(db, by="resemblance")
    assert rows(pairs(found, by="resemblance")) == expected


@pytest.mark.parametrize("on_driver", [10**6, 0], ids=["driver", "stars"])
def test_clusters(found, local, on_driver):
    expected = [
        (cluster.name, len(cluster), cluster.pairs, name)
        for cluster in local.clusters(max_df=30)
        for name in cluster.members
    ]
    assert len(expected) > 30
    assert rows(clusters(found, max_df=30, on_driver=on_driver)) == expected


def test_top_counts_clusters(found, local):
    expected = [(cluster.name, name) for cluster in local.clusters(max_df=30, top=3) for name in cluster.members]
    assert [(row["cluster"], row["name"]) for row in clusters(found, max_df=30, top=3).collect()] == expected


@pytest.mark.parametrize("keep", ["first", "longest", "label:lang=fr,en"])
def test_drop_list(found, local, keep):
    """One of each cluster stays: written plainly from the clusters and pairs that the database gives."""
    about = {document.name: document for document in local.documents()}
    scores = {(pair.a, pair.b): pair for pair in local.pairs(max_df=30, min=0.5)}
    preferred = {"fr": 0, "en": 1}
    ranks = {
        "first": dict.fromkeys(about, 0),
        "longest": {name: -document.symbols for name, document in about.items()},
        "label:lang=fr,en": {name: preferred.get(each.labels.get("lang"), 2) for name, each in about.items()},
    }[keep]
    expected = []
    for cluster in local.clusters(max_df=30):
        kept = min(cluster.members, key=lambda name: (ranks[name], name))
        for name in sorted(set(cluster.members) - {kept}):
            pair = scores.get((min(name, kept), max(name, kept)))
            measure = pair and max(pair.containment_a, pair.containment_b)
            expected.append((name, kept, cluster.name, len(cluster), pair and pair.shared, measure))
    expected.sort(key=lambda row: (row[2], row[0]))
    assert any(row[4] is None for row in expected)
    assert rows(drop_list(found, max_df=30, keep=keep)) == expected
