"""Weights of hashes by their rarity: scores are those that pairs have, to the last bit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.search.rarity import weigh
from tests.search.answers import MEASURES, WEIGHTED, only, uniform


@pytest.mark.parametrize("documents", [1, 100, 10**6])
def test_weights_are_those_of_the_formula(documents):
    """Whole multiples of 2**-28; a hash that no document holds weighs as if one held it."""
    frequencies = np.array([0, 1, 2, 7, documents])
    weights = weigh(frequencies, documents)
    holders = [1, 1, 2, 7, documents]
    expected = [(math.log((documents + 20) / df) / math.log(documents + 20)) ** 3 for df in holders]
    assert weights.tolist() == pytest.approx(expected, abs=2**-28)
    assert (weights * 2**28 % 1 == 0).all()


def only_of(answer, name):
    return only(fpdb.Answer(answer.query, [match for match in answer.matches if match.name == name]))


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 25), max_size=30), min_size=1), st.data())
@settings(max_examples=60, deadline=None)
def test_weighted_containment_is_that_of_pairs(tmp_path_factory, documents, data):
    """The same to the last bit from either side, with the query in the database or not."""
    query = data.draw(st.lists(st.integers(0, 25), max_size=30))
    discarded = data.draw(st.lists(st.integers(0, 25), max_size=3))
    with fpdb.open(tmp_path_factory.mktemp("weights") / "t.fpdb") as db:
        with db.batch() as batch:
            batch.add_fingerprints("boilerplate", discarded, boilerplate=True)
            for name, held in documents.items():
                batch.add_fingerprints(name, held)
        before = db.query_fingerprints(query, by="weighted_containment")
        db.add_fingerprints("q", query)
        after = db.query_fingerprints(query, by="weighted_containment", name="q", digest=db.digest("q"))
        pairs = {pair.a: pair for pair in db.pairs(by="weighted_containment") if pair.b == "q"}
        turned = {
            name: only_of(
                db.query_fingerprints(held, by="weighted_containment", name=name, digest=db.digest(name)), "q"
            )
            for name, held in documents.items()
            if name in pairs
        }
        assert db.check() == []
    assert [match._replace(identical=None) for match in after] == before.matches  # it has the digest, and is stored
    assert {match.name for match in before.matches} == set(pairs)
    for match in before.matches:
        assert match.weighted_containment == pairs[match.name].weighted_containment_b
        assert turned[match.name].weighted_containment == pairs[match.name].weighted_containment_a


@pytest.mark.parametrize("by", ["weighted_resemblance", "weighted_reverse_containment"])
def test_measures_that_weigh_all_hashes_of_a_document_are_those_of_pairs(db, by):
    with pytest.raises(fpdb.BadQuery, match="use similarity, or compare by `pairs`"):
        db.query_fingerprints([1], by=by)


def test_what_is_rare_weighs_more(db):
    """Two candidates share two hashes of four each; the one whose hashes nobody else has comes first."""
    for number in range(5):
        db.add_fingerprints(f"{number}", [1, 2, 10 + number])
    db.add_fingerprints("common", [1, 2, 30, 31])
    db.add_fingerprints("rare", [3, 4, 40, 41])
    for by in WEIGHTED:
        matches = db.query_fingerprints([1, 2, 3, 4], by=by).matches
        assert matches[0].name == "rare"
        assert getattr(matches[0], by) > getattr(matches[1], by)


def test_what_all_documents_and_the_query_hold_weighs_something(db):
    db.add_fingerprints("a", [1, 2])
    for by in WEIGHTED:
        match = only(db.query_fingerprints([1, 2], by=by))
        assert (match.containment, getattr(match, by)) == (1, 1)
        assert len(db.query_fingerprints([1, 2], by=by, min=1).matches) == 1


def test_listing_the_query_itself_changes_no_other_score(db, rng):
    pool = uniform(rng, 60)
    texts = {name: " ".join(str(hash_) for hash_ in rng.choice(pool, 40)) for name in "abcdef"}
    for name, text in texts.items():
        db.add(name, text)
    for by in (*MEASURES, *WEIGHTED):
        without = db.query(texts["a"], name="a", by=by).matches
        itself, *others = db.query(texts["a"], name="a", by=by, include_self=True).matches
        assert others == without
        assert (itself.name, getattr(itself, by)) == ("a", 1)
