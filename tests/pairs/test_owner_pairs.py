"""Pairs of owners tell the pairs of their documents that share most, by definition."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import owner_pairs
from tests.pairs.reference_pairs import LIMITS, hashes, labelled, names, owner_of

LIMITS = [*LIMITS, (owner_pairs, "POOL", 3)]
OPTIONS = st.fixed_dictionaries(
    {
        "by": st.sampled_from(["containment", "resemblance", "shared", "weighted_containment", "weighted_resemblance"]),
        "owners": st.sampled_from(["path:1", "label:owner"]),
    },
    optional={
        "max_df": st.integers(0, 4),
        "min": st.just(0.4),
        "new": st.just(("term", "2")),
        "top": st.just(2),
    },
)


def expected_pairs(documents, labels, pair, options):
    """Return the pairs of documents of two owners: the names, and the number of shared hashes."""
    owner = owner_of(labels, options["owners"])
    held = {}
    for name, values in documents.items():
        held.setdefault(owner(name), set()).update(values)
    most = options.get("max_df") or math.inf
    common = {
        value for value in set().union(*held.values()) if sum(value in values for values in held.values()) >= most
    }
    found = []
    for a, b in itertools.permutations(documents, 2):
        if (owner(a)[1], owner(b)[1]) != (pair.a, pair.b) or owner(a) == owner(b):
            continue
        left_out = set() if documents[a] == documents[b] else common
        if shared := (documents[a] & documents[b]) - left_out:
            found.append((a, b, len(shared)))
    return found


@given(st.dictionaries(names, st.tuples(hashes, labelled), max_size=9), OPTIONS, st.integers(1, 3), st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_pairs_of_documents_that_share_most_come_first(tmp_path_factory, made, options, limit, tiny):
    documents = {name: set(values) for name, (values, _) in made.items()}
    labels = {name: told for name, (_, told) in made.items()}
    with fpdb.open(tmp_path_factory.mktemp("owners") / "t.fpdb") as db, pytest.MonkeyPatch.context() as patch:
        for limits in LIMITS if tiny else ():
            patch.setattr(*limits)
        for name, values in documents.items():
            db.add_fingerprints(name, sorted(values), labels=labels[name])
        listed = list(db.pairs(by_owner=True, document_pairs=limit, **options))
        plain = list(db.pairs(by_owner=True, **options))
        assert [(pair.a, pair.b, pair.shared) for pair in listed] == [(pair.a, pair.b, pair.shared) for pair in plain]
        for pair in listed:
            if pair.a == pair.b:  # an owner, and a document without one that is called like him
                continue
            found = [(each.a, each.b, each.shared) for each in pair.document_pairs]
            expected = expected_pairs(documents, labels, pair, options)
            assert set(found) <= set(expected)
            assert [each[2] for each in found] == sorted((each[2] for each in expected), reverse=True)[:limit]
        assert db.check() == []


def test_pairs_of_documents_have_their_measures(db):
    db.add_fingerprints("x/1", [1, 2, 3, 4])
    db.add_fingerprints("x/2", [5, 6])
    db.add_fingerprints("a/1", [1, 2, 3, 9, 10])
    db.add_fingerprints("a/2", [5, 11, 12])
    db.add_fingerprints("z", [99])
    (pair,) = db.pairs(by_owner=True, owners="path:1", document_pairs=5, by="weighted_containment")
    alone = {(each.a, each.b): each for each in db.pairs(owners="path:1", by="weighted_containment")}
    assert pair.document_pairs == [alone["a/1", "x/1"], alone["a/2", "x/2"]]
    assert pair.to_dict()["document_pairs"] == [each.to_dict() for each in pair.document_pairs]
