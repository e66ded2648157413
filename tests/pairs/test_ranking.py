"""Pairs and clusters are those of the plain sets, in every order of insertion, whatever the limits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import options as pair_options
from tests.pairs.reference_pairs import (
    LIMITS,
    OPTIONS,
    agree,
    hashes,
    ignored,
    labelled,
    names,
    oracle,
)


@given(st.data(), st.booleans())
@settings(max_examples=45, deadline=None)
def test_pairs_are_those_of_the_sets(tmp_path_factory, data, tiny):
    """After additions, replacements and removals in several runs, with repeats, boilerplate, owners and caps."""
    history = data.draw(st.lists(st.lists(st.tuples(names, hashes, labelled), max_size=6), max_size=5))
    documents, labels = {}, {}
    boilerplate = data.draw(st.lists(hashes.map(lambda some: some[:3]), max_size=2))
    with fpdb.open(tmp_path_factory.mktemp("pairs") / "t.fpdb") as db, pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS if tiny else ():
            patch.setattr(*limit)
        for number, held in enumerate(boilerplate):
            db.add_fingerprints(f"boilerplate {number}", held, boilerplate=True)
        for commit in history:
            with db.batch() as batch:
                for name, held, said in commit:
                    batch.add_fingerprints(name, held, labels=said)
                    documents[name], labels[name] = set(held), labels.get(name, {}) | said
        for name in data.draw(st.lists(st.sampled_from(sorted(documents)), unique=True)) if documents else ():
            db.remove(name)
            del documents[name]
        for options in data.draw(st.lists(st.sampled_from(OPTIONS), min_size=4, max_size=6)):
            agree(db, oracle(documents, map(set, boilerplate), labels, **options), **options)
            told = db.pairs(**options).ignored
            assert (told.hashes, told.documents) == ignored(documents, map(set, boilerplate), labels, **options)
        assert db.check() == []


def test_the_order_of_insertion_does_not_matter(tmp_path, crowd, rng):
    answers = []
    for number in range(3):
        order = [list(crowd)[index] for index in rng.permutation(len(crowd))]
        with fpdb.open(tmp_path / f"{number}.fpdb") as db:
            for chosen in np.array_split(np.array(order), 1 + 2 * number):
                with db.batch() as batch:
                    for name in chosen.tolist():
                        batch.add_fingerprints(name, rng.permutation(np.array(crowd[name], np.uint64)))
            answers.append(
                [
                    [repr(pair) for pair in db.pairs(by=by, top=top)]
                    for by in pair_options.MEASURES
                    for top in (None, 17)
                ]
                + [[repr(cluster) for cluster in db.clusters(min=0.3)]]
            )
            assert db.check() == []
    assert answers[0] == answers[1] == answers[2]


def test_one_template_hides_no_class(db, rng):
    """By default, thirty students who share a template are all compared, copies among them first."""
    template = rng.integers(0, 2**64 - 1, 100, np.uint64)
    own = rng.integers(0, 2**64 - 1, (30, 50), np.uint64)
    own[7] = own[3]
    with db.batch() as batch:
        for number in range(30):
            batch.add_fingerprints(f"{number:02}", np.r_[template, own[number]])
    found = list(db.pairs())
    assert len(found) == 30 * 29 / 2
    assert (found[0].a, found[0].b, found[0].containment_a) == ("03", "07", 1)


def test_an_empty_database_has_no_pairs(db):
    assert list(db.pairs()) == list(db.clusters()) == list(db.pairs(by_owner=True)) == []
    db.add_fingerprints("a", [1], boilerplate=True)
    db.add_fingerprints("b", [])
    assert list(db.pairs(by="weighted_containment", min=0)) == []
    assert list(db.pairs(by="shared", min=math.inf)) == []
