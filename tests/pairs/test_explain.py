"""Explanations agree with pairs, and give each reason where it is due."""

import itertools
import random

import pytest

import fpdb
from fpdb.errors import BadQuery
from tests.pairs.made_up_words import words


def codes(found):
    return [reason.code for reason in found.reasons]


def test_measures_are_those_of_pairs(db):
    rng = random.Random(3)
    held = {f"{number}": rng.sample(range(40), rng.randint(5, 20)) for number in range(7)}
    for name, hashes in held.items():
        db.add_fingerprints(name, hashes, labels={"team": f"{int(name) % 3}"})
    db.add_fingerprints("template", [1, 2, 3], boilerplate=True)
    for by in ("containment", "weighted_containment", "weighted_resemblance", "shared"):
        for options in ({}, {"max_df": 6}, {"owners": "label:team"}):
            for pair in db.pairs(by=by, **options):
                found = db.explain(pair.a, pair.b, by=by, **options)
                assert (found.shared, found.containment_a, found.containment_b, found.resemblance) == (
                    pair.shared,
                    pair.containment_a,
                    pair.containment_b,
                    pair.resemblance,
                )
                assert found.similar
                if by.startswith("weighted"):
                    each = [pair.weighted_containment_a, pair.weighted_containment_b]
                    expected = pair.weighted_resemblance if by.endswith("resemblance") else max(each)
                    assert found.measure == pytest.approx(expected, abs=1e-12)
            known = {(pair.a, pair.b) for pair in db.pairs(by=by, min=3 if by == "shared" else 0.3, **options)}
            for a in held:
                for b in held:
                    if a < b:
                        found = db.explain(a, b, by=by, min=3 if by == "shared" else 0.3, **options)
                        assert found.similar == ((*sorted((a, b), key=str.encode),) in known)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize(
    ("content", "similar"), [("", False), (" ", True), ("\n", True), ("!", True), ("short", True), (words(1, 40), True)]
)
def test_copies_are_a_pair_unless_they_are_empty(db, content, similar, stored):
    for name in "ab":
        db.add(name, content)
    found = db.explain("a", "b", contents=None if stored else {"b": content}, kind="text")
    assert found.similar == similar == bool(list(db.pairs())) == bool(list(db.drop_list()))
    assert codes(found) == (["similar", "same_content"] if similar else ["too_short", "too_short"])
    assert found.evidence == ("content" if similar else "fingerprints")
    assert db.check() == []


def test_each_reason(db):
    text = words(1, 200)
    db.add("long", text, keep_text=True, labels={"owner": "ann"})
    db.add("copy", text, keep_text=True)
    db.add("short", "too short", keep_text=True)
    db.add("part", text[:300] + words(2, 200), keep_text=True, labels={"owner": "ann"})
    db.add("other", words(3, 200), keep_text=True)
    db.add("template", words(4, 50), boilerplate=True, keep_text=True)
    db.add("filled", words(4, 50), keep_text=True)
    db.add_fingerprints("numbers", [1, 2, 3])
    assert codes(db.explain("long", "copy")) == ["similar", "same_content"]
    assert codes(db.explain("long", "part")) == ["same_owner"]
    assert codes(db.explain("copy", "part", min=0.9)) == ["below_min"]
    assert codes(db.explain("copy", "part", min_shared=10_000)) == ["below_min_shared"]
    assert codes(db.explain("copy", "short")) == ["too_short"]
    assert codes(db.explain("copy", "numbers")) == ["other_alphabet", "nothing_shared"]
    assert codes(db.explain("template", "filled")) == [
        "same_content",
        "boilerplate_document",
        "all_boilerplate",
        "shared_boilerplate",
    ]
    assert "all_common" in codes(db.explain("copy", "part", max_df=1))
    assert codes(db.explain("long", "copy", max_df=1)) == ["similar", "same_content"]
    found = db.explain("copy", "other")
    assert codes(found) == ["nothing_shared"]
    assert found.longest == brute(text, words(3, 200))
    assert (found.k, found.surely_found) == (30, 50)
    assert "no fingerprint" in found.reasons[0].text
    given = db.explain("copy", "draft", contents={"draft": text[:500]}, min=0.5)
    assert codes(given) == ["similar"]
    assert not given.b.in_database
    assert given.containment_b == db.query(text[:500]).matches[0].containment
    with pytest.raises(BadQuery):
        db.explain("long", "long")
    with pytest.raises(fpdb.NoSuchDocument):
        db.explain("long", "nowhere")


def brute(one, other):
    one, other = one.replace(" ", ""), other.replace(" ", "")
    return max(n for n in range(30) if any(one[at : at + n] in other for at in range(len(one) - n)))


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_certain_is_that_of_pairs(db, kept):
    """Of few fingerprints, texts tell, or they count as if there were enough; copies without any are alike."""
    rng = random.Random(6)
    pool = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=35)) for _ in range(4)]
    texts = {f"{number}": rng.choice(pool) + rng.choice(pool)[: rng.randrange(36)] for number in range(14)}
    texts |= {"14": "ok", "15": "ok", "16": texts["0"].upper()}
    for name, content in texts.items():
        db.add(name, content, keep_text=kept)
    seen = set()
    for by in ("containment", "similarity", "weighted_resemblance"):
        for least in (None, 0.6):
            pairs = {(pair.a, pair.b): pair for pair in db.pairs(by=by, min=least)}
            for a, b in itertools.combinations(sorted(texts), 2):
                found, pair = db.explain(a, b, by=by, min=least), pairs.get((a, b))
                assert found.similar == (pair is not None)
                if pair is not None:
                    measures = found.containment_a, found.containment_b, found.resemblance, found.measure
                    expected = pair.containment_a, pair.containment_b, pair.resemblance, pair.score(by)
                    assert measures == pytest.approx(expected, abs=1e-12)
                    assert found.evidence == pair.evidence
                    seen.add(pair.evidence)
    assert seen == {"content", "few"} | ({"texts"} if kept else set())
    assert db.check() == []
