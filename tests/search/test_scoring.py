"""The measures are those of the sets, and samples err as they may."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import options as pair_options
from fpdb.search import options as query_options
from fpdb.search.scoring import measure_sets
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json
from tests.search.answers import MEASURES, MOST, WEIGHTED, only, uniform


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_measures_are_those_of_the_sets(tmp_path_factory, data):
    hashes = st.lists(st.one_of(st.integers(0, 30), st.integers(MOST - 5, MOST)), max_size=40)
    documents = data.draw(st.dictionaries(st.text("abc\x00", min_size=1, max_size=3), hashes, max_size=8))
    boilerplate = data.draw(st.lists(hashes, max_size=2))
    plain = ReferenceDatabase()
    with fpdb.open(tmp_path_factory.mktemp("sets") / "t.fpdb") as db, db.batch() as batch:
        for name, held in documents.items():
            batch.add_fingerprints(name, held)
            plain.add(name, held)
        for number, held in enumerate(boilerplate):
            batch.add_fingerprints(f"boilerplate {number}", held, boilerplate=True)
            plain.add(f"boilerplate {number}", held, True)
    with fpdb.open(db.path) as db:
        for _ in range(3):
            query, options = data.draw(hashes), data.draw(st.sampled_from(OPTIONS))
            answer = db.query_fingerprints(query, **options)
            assert as_json(answer) == as_json(plain.answer(query, **options))
            counted = db.query_fingerprints(query, **options, with_total=True)
            assert counted.matches == answer.matches
            assert counted.total == len(plain.answer(query, **options | {"top": None})["matches"])
            assert all(
                0 <= (getattr(match, name) or 0) <= 1 for match in answer.matches for name in MEASURES + WEIGHTED
            )
        assert db.check() == []


def test_a_sample_of_any_size_measures_what_it_holds(db):
    plain = ReferenceDatabase()
    for name, held in {"a": range(1, 9), "b": range(3, 30), "c": [2, 40, 41]}.items():
        db.add_fingerprints(name, held)
        plain.add(name, held)
    for options in OPTIONS:
        for query in (range(2, 12), [3], [2, 50]):
            assert as_json(db.query_fingerprints(query, **options)) == as_json(plain.answer(query, **options))
    assert db.check() == []


def test_resemblance_is_symmetric(db, rng):
    pool = uniform(rng, 300)
    held = {f"{number}": rng.choice(pool, 100) for number in range(12)}
    with db.batch() as batch:
        for name, hashes in held.items():
            batch.add_fingerprints(name, hashes)
    found = {
        (name, match.name): (match.resemblance, match.containment, match.reverse_containment)
        for name, hashes in held.items()
        for match in db.query_fingerprints(hashes).matches
    }
    for a, b in itertools.product(held, repeat=2):
        resemblance, containment, reverse = found[a, b]
        assert (resemblance, reverse, containment) == found[b, a]
        assert containment == len(np.intersect1d(held[a], held[b])) / len(np.unique(held[a]))
    assert all(found[name, name] == (1, 1, 1) for name in held)


@pytest.mark.parametrize("overlap", [0.1, 0.5, 0.9])
def test_the_smallest_are_an_unbiased_sample(db, rng, overlap):
    """Broder: the estimates err by at most 3 / sqrt(n) in 99 of 100 cases, and not to one side."""
    size, trials = 1_500, 300
    shared = round(overlap * size)
    queried = []
    with db.batch() as batch:
        for trial in range(trials):
            hashes = uniform(rng, 2 * size - shared)
            batch.add_fingerprints(str(trial), hashes[size - shared :])
            queried.append(hashes[:size])
    for smallest in (25, 100, 400):
        errors = []
        for hashes in queried:
            matches = db.query_fingerprints(hashes, smallest=smallest).matches
            found = (matches[0].resemblance, matches[0].containment) if matches else (0, 0)
            errors.append((found[0] - shared / (2 * size - shared), found[1] - overlap))
        off = np.array(errors)
        assert (np.abs(off) <= 3 / math.sqrt(smallest)).mean(axis=0).min() >= 0.99
        assert (np.abs(off.mean(axis=0)) <= 3 * off.std(axis=0) / math.sqrt(trials) + 0.5 / smallest).all()


def test_a_copy_scores_one_whatever_the_sample(db, rng):
    for size in (1, 49, 1_499):
        db.add_fingerprints(f"{size}", uniform(rng, size))
    for size in (1, 49, 1_499):
        rng_again = np.random.default_rng(1)
        hashes = [uniform(rng_again, each) for each in (1, 49, 1_499) if each <= size][-1]
        for smallest in range(1, size + 2, 7):
            matches = [only(db.query_fingerprints(hashes, smallest=smallest, by=by)) for by in WEIGHTED]
            assert {getattr(match, name) for match in matches for name in MEASURES} == {1}
            assert [getattr(match, by) for match, by in zip(matches, WEIGHTED, strict=True)] == [1, 1]


def test_a_copy_scores_one_in_floating_point():
    """The product n / |Q| * |Q| is not n in floating point; a copy must still score exactly 1."""
    for size in [*range(1, 400), 1_499]:
        with_rounding = []
        for n in range(1, size + 1, 1 + size // 40):
            reached = np.array([size]) * n / size
            found = measure_sets(np.array([n]), n, reached)
            with_rounding += [found["containment"][0], found["reverse_containment"][0], found["resemblance"][0]]
        assert set(with_rounding) == {1}


def test_a_sample_of_everything_is_everything(db, rng):
    pool = uniform(rng, 200)
    for name in "abcdef":
        db.add_fingerprints(name, rng.choice(pool, 60))
    query = rng.choice(pool, 90)
    full, sampled = (db.query_fingerprints(query, **options) for options in ({}, {"smallest": 1_000}))
    assert as_json(full) == as_json(sampled)


def test_boilerplate_lasts_as_long_as_one_document_holds_it(db):
    db.add_fingerprints("a", [1, 2, 3])
    assert only(db.query_fingerprints([1, 2, 9])).shared == 2
    db.add_fingerprints("x", [1, 7], boilerplate=True)
    db.add_fingerprints("y", [1, 2, 8], boilerplate=True)
    answer = db.query_fingerprints([1, 2, 3, 9])
    assert (answer.query.ignored_boilerplate, only(answer).reverse_containment, only(answer).containment) == (2, 1, 0.5)
    db.remove("y")
    answer = db.query_fingerprints([1, 2, 3, 9])
    assert (answer.query.ignored_boilerplate, only(answer).shared) == (1, 2)
    assert only(answer).resemblance == 2 / 3
    db.add_fingerprints("x", [1, 7], boilerplate=False)
    assert [match.shared for match in db.query_fingerprints([1, 2, 3, 9]).matches] == [3, 1]


def test_questions_without_hashes_have_no_matches(db):
    for options in OPTIONS:
        assert db.query_fingerprints([], **options).matches == []
        assert db.query_fingerprints([5], **options).matches == []
    db.add_fingerprints("empty", [])
    db.add_fingerprints("all", [5], boilerplate=True)
    for options in OPTIONS:
        answer = db.query_fingerprints([5, 5], **options)
        assert (answer.matches, answer.query.looked_up, answer.query.ignored_boilerplate) == ([], 0, 1)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=9).map(lambda row: [7919 * each for each in row]),
    st.lists(st.lists(st.integers(0, 9).map(lambda each: 7919 * each), max_size=9), max_size=3),
)
@settings(max_examples=35, deadline=None)
def test_a_copy_scores_one_by_every_measure_in_every_database(tmp_path_factory, hashes, others):
    """However few the documents, and if all of them hold all that it holds."""
    with fpdb.open(tmp_path_factory.mktemp("copy") / "t.fpdb") as db:
        names = [(f"c{at}", each) for at, each in enumerate(others)]
        with db.batch() as batch:
            for name, held in [("a", hashes), ("b", hashes[::-1]), *names]:
                batch.add_fingerprints(name, held)
        for by in {*query_options.MEASURES} - {"shared", *query_options.COVERED}:
            (copy,) = (match for match in db.query_fingerprints(hashes, by=by).matches if match.name == "b")
            assert getattr(copy, by) == 1
        for by in {*pair_options.MEASURES} - {"shared", *pair_options.REGIONAL}:
            (pair,) = (pair for pair in db.pairs(by=by) if (pair.a, pair.b) == ("a", "b"))
            assert pair.score(by) == 1
        assert db.check() == []
