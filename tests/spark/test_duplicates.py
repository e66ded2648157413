"""Copies that a cap would hide are found as a database finds them, in pairs and drop lists."""

import pytest

import fpdb
from fpdb.spark import drop_list, fingerprints, pairs
from tests.spark.rows import local_pairs, rows

COPIED = "the same words again and again, handed in by everybody who was asked to hand in something " * 4


@pytest.fixture(scope="module")
def copies(spark, collection, tmp_path_factory):
    """Return the fingerprints of a collection with many copies, some of one owner, and its database."""
    documents = [(f"copy/{number}", COPIED, {"owner": f"{number // 2}"} if number < 6 else {}) for number in range(11)]
    documents += [(f"twin/{number}", COPIED.upper() + " but longer" * 9, {}) for number in range(9)]
    documents = sorted([*collection[:40], *documents])
    frame = spark.createDataFrame(documents, "name string, text string, labels map<string, string>")
    with fpdb.open(tmp_path_factory.mktemp("copies") / "t.fpdb") as db:
        with db.batch() as batch:
            for name, text, labels in documents:
                batch.add(name, text, labels=labels)
        yield fingerprints(frame, fpdb.Recipe.preset()), db
        assert db.check() == []


@pytest.mark.parametrize(
    "options",
    [{"max_df": 5}, {"max_df": 10, "by": "weighted_containment", "min": 0.5}, {"max_df": 1, "owners": "path:1"}],
    ids=str,
)
def test_pairs_of_copies(copies, options):
    found, db = copies
    expected = local_pairs(db, **options)
    assert (len(expected) > 80) == ("owners" not in options)
    assert rows(pairs(found, **options)) == expected


def test_drop_lists_of_copies(copies):
    """A drop list is made of clusters."""
    found, db = copies
    assert {len(cluster) for cluster in db.clusters(max_df=5)} >= {11, 9}
    expected = [tuple(drop.to_dict().values()) for drop in db.drop_list(max_df=5)]
    assert rows(drop_list(found, max_df=5)) == expected
