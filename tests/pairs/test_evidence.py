"""Nothing is claimed on few fingerprints alone: texts tell, or a document counts as if it had enough."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import evidence as pair_evidence
from fpdb.pairs import pair_scorer

RECIPE = fpdb.Recipe.preset("text").with_(k=4, w=6)
MEASURES = ("containment_a", "containment_b", "resemblance")
WEIGHTED = tuple(f"weighted_{name}" for name in MEASURES)
LETTERS = "abcdefghijklmnopqrstuvwxyz"

contents = st.lists(st.sampled_from(["lorem", "ipsum", "dolor", "sit", "ametconsectetur"]), max_size=9).map("".join)
collections = st.lists(contents, min_size=2, max_size=6).map(
    lambda texts: {str(n): text for n, text in enumerate(texts)}
)


def letters(rng, count):
    return "".join(rng.choices(LETTERS, k=count))


def short_pairs(count=400):
    """Return texts of 50 letters, of which each two share 35."""
    rng = random.Random(5)
    return {
        f"{number}/{side}": shared + letters(rng, 15)
        for number in range(count)
        for shared in [letters(rng, 35)]
        for side in "ab"
    }


def add_all(db, documents, **options):
    with db.batch() as batch:
        for name, content in documents.items():
            batch.add(name, content, **options)


def measures_of(a, b):
    """Return both containments and the resemblance of two sets."""
    return len(a & b) / len(a), len(a & b) / len(b), len(a & b) / len(a | b)


def kgrams_of(content):
    k, symbols = RECIPE.rules["characters"].k, RECIPE.fingerprint(content).source.values.tolist()
    return {tuple(symbols[at : at + k]) for at in range(len(symbols) - k + 1)}


def expected_pair(documents, a, b, few, unread):
    """Return the measures of a pair and their evidence by the definition; None if nothing is shared."""
    (content_a, found_a), (content_b, found_b) = (
        (documents[name], RECIPE.fingerprint(documents[name])) for name in (a, b)
    )
    set_a, set_b = set(found_a.hashes.tolist()), set(found_b.hashes.tolist())
    if content_a == content_b:
        return ((1.0, 1.0, 1.0), "content") if content_a else None
    if not set_a & set_b:
        return None
    estimates = measures_of(set_a, set_b)
    certain = [
        len(found.hashes) == found.kgrams or len(set(found.hashes.tolist())) >= few for found in (found_a, found_b)
    ]
    if all(certain):
        return estimates, "fingerprints"
    if max(estimates[:2]) >= 0.5 and unread not in (a, b):
        exact = measures_of(kgrams_of(content_a), kgrams_of(content_b))
        return tuple(map(min, estimates, exact)), "texts"
    union = min(len(set_a | set_b) / few, 1.0)
    factors = [1.0 if sure else min(len(some) / few, 1.0) for sure, some in zip(certain, (set_a, set_b), strict=True)]
    return tuple(estimate * factor for estimate, factor in zip(estimates, (*factors, union), strict=True)), "few"


@given(collections, st.integers(0, 12), st.data())
@settings(max_examples=70, deadline=None)
def test_measures_are_those_of_the_definition(tmp_path_factory, documents, few, data):
    unread = data.draw(st.none() | st.sampled_from(sorted(documents)))
    top, least = data.draw(st.none() | st.integers(1, 4)), data.draw(st.sampled_from([None, 0.3, 0.9]))
    expected = {}
    for a, b in itertools.combinations(sorted(documents), 2):
        pair = expected_pair(documents, a, b, few, unread)
        if pair is not None and max(pair[0][:2]) >= (least or 0):
            expected[a, b] = pair

    def texts(document):
        return None if document.name == unread else documents[document.name]

    with (
        fpdb.open(tmp_path_factory.mktemp("certain") / "t.fpdb", recipe=RECIPE) as db,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(pair_scorer, "JUDGED", data.draw(st.sampled_from([1, 2, 256])))
        patch.setattr(pair_evidence, "MAX_KGRAMS", data.draw(st.sampled_from([0, 1 << 20])))
        add_all(db, documents)
        found = list(db.pairs(by="containment", few=few, texts=texts, top=top, min=least))
        scores = [max(pair.containment_a, pair.containment_b) for pair in found]
        assert scores == sorted(scores, reverse=True)
        ranked = sorted((max(measures[:2]) for measures, _ in expected.values()), reverse=True)
        assert scores == pytest.approx(ranked[:top])
        for pair in found:
            measures, evidence = expected[pair.a, pair.b]
            assert [getattr(pair, name) for name in MEASURES] == pytest.approx(measures)
            assert pair.evidence == evidence
        for pair in db.pairs(by="similarity", few=few, texts=texts, min=least):
            plain = next(iter(p for p in db.pairs(few=few, texts=texts) if (p.a, p.b) == (pair.a, pair.b)))
            assert [getattr(pair, name) for name in MEASURES] == [getattr(plain, name) for name in MEASURES]
            assert pair.similarity <= (1 if pair.evidence == "content" else 1 + 1e-9)
        assert db.check() == []


@pytest.mark.parametrize("kept", [True, False])
def test_short_texts_that_share_a_part_are_not_dropped(db, kept):
    """By their fingerprints alone, many are wholly contained in each other."""
    add_all(db, short_pairs(), keep_text=kept)
    by_fingerprints = [pair for pair in db.pairs(by="containment", few=0) if pair.containment_a == 1]
    assert len(by_fingerprints) > 20
    assert max(pair.score("containment") for pair in db.pairs(by="containment")) < 0.5
    for options in ({}, {"direct": True}, {"by": "similarity"}, {"by": "resemblance"}, {"by": "weighted_containment"}):
        drops = db.drop_list(min=0.9, **options)
        assert list(drops) == []
        held = drops.held_back
        assert bool(held.by_texts) == kept
        assert bool(held.unread) != kept
    assert len(list(db.drop_list(min=0.9, few=0))) >= len(by_fingerprints)
    assert db.check() == []


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("size", [1, 5, 29, 50, 70, 2000])
@pytest.mark.parametrize("max_df", [0, 2, 5])
def test_documents_of_the_same_content_are_pairs_however_short(db, kept, size, max_df):
    rng = random.Random(size)
    content = letters(rng, size)
    add_all(db, dict.fromkeys("abcd", content) | {"other": letters(rng, size + 1)}, keep_text=kept)
    for by in ("containment", "resemblance", "similarity", "weighted_resemblance"):
        found = list(db.pairs(by=by, max_df=max_df))
        assert [(pair.a, pair.b) for pair in found] == list(itertools.combinations("abcd", 2))
        assert {pair.score(by) for pair in found} == {1.0}
        assert {pair.evidence for pair in found} == {"content"}
    for direct in (False, True):
        drops = list(db.drop_list(min=1, direct=direct, max_df=max_df))
        assert [(drop.name, drop.kept, drop.measure, drop.evidence) for drop in drops] == [
            (name, "a", 1.0, "content") for name in "bcd"
        ]
    (cluster,) = db.clusters(max_df=max_df)
    assert (cluster.members, cluster.pairs) == (tuple("abcd"), 6)
    assert db.check() == []


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("bob", "shared", "containments"),
    [
        ({"x": "short"}, 1, (1.0, 1.0)),
        ({"x": "short", "y": "short"}, 1, (1.0, 1.0)),
        ({"x": "short", "y": "other"}, 1, (1.0, 0.5)),
        ({"x": "Short"}, None, ()),
        ({"x": ""}, None, ()),
    ],
)
def test_owners_are_a_pair_by_copies_too_short_for_a_fingerprint(db, kept, bob, shared, containments):
    documents = {"ann/1": "short", "ann/2": "", "cy/1": "third"} | {f"bob/{name}": text for name, text in bob.items()}
    add_all(db, documents, keep_text=kept)
    found = list(db.pairs(owners="path:1", by_owner=True, document_pairs=1))
    expected = [] if shared is None else [("ann", "bob", shared, *containments)]
    assert [(pair.a, pair.b, pair.shared, pair.containment_a, pair.containment_b) for pair in found] == expected
    assert [(part.a, part.b) for pair in found for part in pair.document_pairs] == [("ann/1", "bob/x")] * len(expected)
    assert [cluster.members for cluster in db.clusters(owners="path:1", by_owner=True)] == [("ann", "bob")] * len(found)
    assert db.check() == []


def test_texts_of_owners_are_compared_with_their_copies_too_short_for_a_fingerprint(db):
    ann, bob = (letters(random.Random(number), 45) for number in (1, 2))
    add_all(db, {"ann/1": ann, "ann/2": "short", "bob/1": bob, "bob/2": "short"}, keep_text=True)
    (pair,) = db.pairs(owners="path:1", by_owner=True, by="containment")
    kgrams = len(ann) - db.recipe.rule_for("text")[1].k + 1
    assert pair.evidence == "texts"
    assert pair.containment_a == pair.containment_b == pytest.approx(1 / (kgrams + 1))
    assert db.check() == []


def test_empty_documents_are_no_pair(db):
    add_all(db, {"a": "", "b": "", "c": "!", "d": "!"})
    assert [(pair.a, pair.b, pair.shared) for pair in db.pairs()] == [("c", "d", 0)]
    assert list(db.pairs(min_shared=2)) == []
    assert db.check() == []


def test_a_common_passage_makes_no_copies_of_short_texts(db):
    """Of each text, only the passage that all share is selected; a cap leaves it out."""
    rng = random.Random(2)
    shared = letters(rng, 30)
    texts = {}
    while len(texts) < 20:
        content = shared + letters(rng, 6)
        if len(set(db.recipe.fingerprint(content).hashes.tolist())) == 1:
            texts[str(len(texts))] = content
    add_all(db, texts, keep_text=True)
    assert list(db.drop_list(max_df=3)) == []
    assert db.check() == []


def test_owners_are_judged_by_all_of_their_texts(db):
    """A copy of all files is a copy, whatever their names; two owners of short files are told by their texts."""
    files = [letters(random.Random(number), 45) for number in range(2)]
    add_all(db, {"ann/1": files[0], "ann/2": files[1], "bob/x": files[1], "bob/y": files[0]}, keep_text=True)
    add_all(db, {"cy/1": files[0][:38] + letters(random.Random(9), 12)}, keep_text=True)
    pairs = {(pair.a, pair.b): pair for pair in db.pairs(owners="path:1", by_owner=True)}
    assert pairs["ann", "bob"].evidence == "content"
    assert pairs["ann", "bob"].resemblance == 1
    for pair in pairs.values():
        assert pair.evidence in ("content", "texts", "few")
    assert db.check() == []


def test_copies_but_for_letter_case_are_found_by_their_texts(db):
    content = letters(random.Random(4), 60)
    add_all(db, {"a": content, "b": content.upper()}, keep_text=True)
    (pair,) = db.pairs()
    assert (pair.evidence, pair.containment_a, pair.containment_b) == ("texts", 1, 1)
    assert [drop.evidence for drop in db.drop_list(min=1)] == ["texts"]
    assert db.check() == []


def test_boilerplate_does_not_count_in_texts(db):
    rng = random.Random(8)
    template = letters(rng, 200)
    db.add("template", template, boilerplate=True)
    add_all(db, {"a": template + letters(rng, 45), "b": template + letters(rng, 45)}, keep_text=True)
    assert list(db.pairs()) == []
    assert db.check() == []
