"""Spark finds the pairs that a database finds, whatever its partitions, batches and plans are."""

import pytest

import fpdb
from fpdb.errors import BadQuery
from fpdb.spark import documents, fingerprints, pairs
from tests.spark.rows import local_pairs, rows

# adaptive execution, partitions of a shuffle, rows of an Arrow batch, cap
HOW = [(True, 8, 2, 0), (False, 1, 1000, 40)]


@pytest.mark.parametrize(("adaptive", "partitions", "batch", "cap"), HOW)
def test_pairs(spark, settings, lines, local, adaptive, partitions, batch, cap):  # noqa: PLR0913 (drawn values and fixtures)
    """Half of the documents hold a footer.

    Its hashes either meet all of their pairs, or are over the cap; then no pair has them, and no measure counts them.
    """
    settings(adaptive=adaptive, partitions=partitions, rows=batch)
    found = fingerprints(documents(spark, [lines], "jsonl"), fpdb.Recipe.preset())
    expected = local_pairs(local, max_df=cap)
    assert (len(expected) > 1000) == (not cap)
    assert rows(pairs(found, max_df=cap)) == expected


@pytest.mark.parametrize("owners", ["label:owner", "path:1", "label:lang"])
def test_weights(found, local, owners):
    options = {"by": "weighted_containment", "max_df": 5, "top": 40, "owners": owners}
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


@pytest.mark.parametrize("owners", ["path:-1", "pattern:^(.)", "label:lang", "moodle"])
def test_owners(found, local, owners):
    expected = local_pairs(local, owners=owners, max_df=40)
    assert len(expected) > 10
    assert rows(pairs(found, owners=owners, max_df=40)) == expected


def test_samples(samples, sampled, collection, tmp_path):
    """They are compared within what both are samples of; narrow hashes meet by chance, as they do locally."""
    assert samples.where(f"share < {2**32 - 1}").count()
    with fpdb.open(tmp_path / "s.fpdb", recipe=sampled) as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
        expected = local_pairs(db, by="resemblance")
    assert rows(pairs(samples, by="resemblance")) == expected


@pytest.mark.parametrize(
    "options", [{"since": 1}, {"by_owner": True}, {"by": "luck"}, {"min": 2}, {"owners": "nobody"}], ids=str
)
def test_bad_options(found, options):
    with pytest.raises(BadQuery):
        pairs(found, **options)
