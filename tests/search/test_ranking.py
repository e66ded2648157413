"""The measures of section 6: what they are on any sets, how far a sample errs, and what caps and boilerplate leave."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from fpdb.search.options import QueryOptions
from fpdb.search.results import Answer, Match, Query
from fpdb.search.scoring import measure_sets
from fpdb.storage import hits
from tests.made_up_prose import prose
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

MOST = 2**64 - 1
MEASURES = ("containment", "reverse_containment", "resemblance")
WEIGHTED = tuple(f"weighted_{name}" for name in MEASURES)


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


def only(answer):
    (match,) = answer.matches
    return match


NAMES = st.text(st.characters() | st.sampled_from('"\\\n\x00\udc80\u2028é'))
RATIOS = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1 / 3, 1e-9, 5e-324])
COUNTS = st.integers(0, 9)
PLACES = st.builds(TextPlace, *[COUNTS] * 4) | st.builds(SymbolPlace, COUNTS, COUNTS)
REGIONS = st.builds(MatchedRegion, PLACES, PLACES, COUNTS)
QUERIES = st.builds(Query, st.none() | NAMES, NAMES, *[st.integers(0, 9)] * 4, st.none() | NAMES)
MATCHES = st.builds(Match, NAMES, st.integers(0, 2**63), RATIOS, RATIOS, RATIOS) | st.builds(
    Match,
    NAMES,
    st.integers(0, 9),
    *[RATIOS] * 3,
    *[st.none() | RATIOS] * 6,
    source=st.none() | st.sampled_from(["same", "gone"]),
    regions=st.none() | st.lists(REGIONS, max_size=2),
    database=st.none() | NAMES,
)


@given(st.builds(Answer, QUERIES, st.lists(MATCHES, max_size=3)))
def test_json_is_that_of_the_dict(answer):
    assert answer.to_json() == json.dumps(answer.to_dict()) + "\n"


@pytest.fixture(params=[1, hits.COUNTED_BY_ID])
def _many(request, monkeypatch):
    monkeypatch.setattr(hits, "COUNTED_BY_ID", request.param)


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
            assert all(
                0 <= (getattr(match, name) or 0) <= 1 for match in answer.matches for name in MEASURES + WEIGHTED
            )
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


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 25), max_size=30), min_size=1), st.data())
@settings(max_examples=60, deadline=None)
def test_weighted_measures_are_those_of_pairs(tmp_path_factory, documents, data):
    """Whether the query is in the database already or not, to the last bit, and the same from either side."""
    query = data.draw(st.lists(st.integers(0, 25), max_size=30))
    discarded = data.draw(st.lists(st.integers(0, 25), max_size=3))
    with fpdb.open(tmp_path_factory.mktemp("weights") / "t.fpdb") as db:
        with db.batch() as batch:
            batch.add_fingerprints("boilerplate", discarded, boilerplate=True)
            for name, held in documents.items():
                batch.add_fingerprints(name, held)
        before = db.query_fingerprints(query, by="weighted_resemblance")
        contained = db.query_fingerprints(query, by="weighted_containment")
        db.add_fingerprints("q", query)
        after = db.query_fingerprints(query, by="weighted_resemblance", name="q", digest=db.digest("q"))
        pairs = {pair.a: pair for pair in db.pairs(by="weighted_resemblance") if pair.b == "q"}
        turned = {
            name: only_of(
                db.query_fingerprints(held, by="weighted_resemblance", name=name, digest=db.digest(name)), "q"
            )
            for name, held in documents.items()
            if name in pairs
        }
        assert db.check() == []
    assert before.matches == after.matches
    assert {match.name for match in before.matches} == set(pairs)
    assert all(match.weighted_reverse_containment is None for match in contained.matches)
    same = {match.name: match.weighted_containment for match in contained.matches}
    for match in before.matches:
        pair, other = pairs[match.name], turned[match.name]
        assert [getattr(match, name) for name in WEIGHTED] == [
            pair.weighted_containment_b,
            pair.weighted_containment_a,
            pair.weighted_resemblance,
        ]
        assert [getattr(other, name) for name in WEIGHTED] == [
            match.weighted_reverse_containment,
            match.weighted_containment,
            match.weighted_resemblance,
        ]
        assert same[match.name] == match.weighted_containment


def only_of(answer, name):
    return only(fpdb.Answer(answer.query, [match for match in answer.matches if match.name == name]))


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


def test_what_all_documents_and_the_query_hold_weighs_nothing(db):
    db.add_fingerprints("a", [1, 2])
    for by in WEIGHTED:
        match = only(db.query_fingerprints([1, 2], by=by))
        assert (match.containment, match.weighted_containment, match.weighted_resemblance or 0) == (1, 0, 0)
        assert db.query_fingerprints([1, 2], by=by, min=0.1).matches == []


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
            match = only(db.query_fingerprints(hashes, smallest=smallest, by="weighted_resemblance"))
            assert {getattr(match, name) for name in MEASURES + WEIGHTED} == {1}


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


def test_any_number_of_copies_cannot_silence_a_document(db, rng):
    hashes, other = uniform(rng, 60), uniform(rng, 60)
    with db.batch() as batch:
        batch.add_fingerprints("original", np.r_[hashes, other])
        for number in range(1_000):
            batch.add_fingerprints(f"copy {number}", hashes)
    query = np.r_[hashes, uniform(rng, 5)]
    with db.batch() as batch:
        for number in range(1_000):
            batch.remove(f"copy {number}")
    before = db.query_fingerprints(query, max_df=4, max_ignored=10)
    assert [(match.name, match.shared) for match in before.matches] == [("original", 60)]
    with db.batch() as batch:
        for number in range(1_000):
            batch.add_fingerprints(f"copy {number}", hashes)
    silenced = db.query_fingerprints(query, max_df=4)
    assert (silenced.matches, silenced.query.ignored_common) == ([], 60)
    answer = db.query_fingerprints(query, max_df=4, max_ignored=10)
    assert answer.query.ignored_common == 10
    assert len(answer.matches) == 1_001
    assert {match.shared for match in answer.matches} == {50}
    with db.batch() as batch:
        for number in range(1_000):
            batch.remove(f"copy {number}")
    assert db.query_fingerprints(query, max_df=4, max_ignored=10) == before


def test_the_most_frequent_are_ignored_and_ties_go_by_hash(db):
    """Hash 10 + i is held by i documents; 30 and 31 tie with 15."""
    with db.batch() as batch:
        for number in range(9):
            held = [10 + i for i in range(9) if i > number] + ([30, 31] if number < 5 else []) + [100 + number]
            batch.add_fingerprints(f"{number}", held)
    query = [*range(10, 19), 30, 31, *range(100, 109)]
    frequency = {10 + i: i for i in range(9)} | {30: 5, 31: 5}
    for max_df, max_ignored in itertools.product(range(1, 10), range(8)):
        ignored = sorted((hash_ for hash_ in frequency if frequency[hash_] >= max_df), key=lambda h: (-frequency[h], h))
        if max_df == 1:
            ignored += range(100, 109)
            ignored.sort(key=lambda hash_: (-frequency.get(hash_, 1), hash_))
        ignored = ignored[:max_ignored]
        answer = db.query_fingerprints(query, max_df=max_df, max_ignored=max_ignored)
        assert answer.query.ignored_common == len(ignored)
        found = {match.name: match.shared for match in answer.matches}
        for number in range(9):
            held = {10 + i for i in range(9) if i > number} | ({30, 31} if number < 5 else set()) | {100 + number}
            assert found.get(str(number), 0) == len(held - set(ignored))


def test_capped_hashes_that_span_many_blocks(db, rng):
    """The look-up that stops reading early ignores what a count of live documents ignores."""
    hot = np.sort(uniform(rng, 5))
    documents = 5_000
    holders = [documents, 2_500, 300, 10, 4]
    plain = ReferenceDatabase()
    for half in range(2):
        with db.batch() as batch:
            for number in range(half, documents, 2):
                held = np.r_[hot[[number < count for count in holders]], uniform(rng, 2)]
                # Several positions of one hash in one document are one document.
                batch.add_fingerprints(f"{number}", np.repeat(held, 4), np.arange(4 * len(held)))
                plain.add(f"{number}", held)
    for start, step in ((0, 3), (2_501, 2)):
        with db.batch() as batch:
            for number in range(start, documents, step):
                if f"{number}" in plain:
                    batch.remove(f"{number}")
                    plain.remove(f"{number}")
    query = np.r_[hot, uniform(rng, 3)]
    counts = [sum(int(hash_) in held for held, _ in plain.documents.values()) for hash_ in hot]
    for cap in {1, 2, 3, 4, 5, 200, 201, *counts, *(count + 1 for count in counts), *(count - 1 for count in counts)}:
        if cap > 0:
            for options in ({}, {"max_ignored": 1}, {"max_ignored": 2, "top": 2}):
                answer = db.query_fingerprints(query, max_df=cap, **options)
                assert as_json(answer) == as_json(plain.answer(query, max_df=cap, **options))


def test_min_is_inclusive_and_top_breaks_ties_by_name(db):
    for name in ("b", "\udcff", "a", "é", "c"):
        db.add_fingerprints(name, [1, 2, 3])
    db.add_fingerprints("more", [1, 2, 3, 4])
    names = ["more", "a", "b", "c", "é", "\udcff"]
    assert [match.name for match in db.query_fingerprints([1, 2, 3, 4]).matches] == names
    for top in range(1, 8):
        assert [each.name for each in db.query_fingerprints([1, 2, 3, 4], top=top).matches] == names[:top]
    assert len(db.query_fingerprints([1, 2, 3, 4], min=0.75).matches) == 6
    assert len(db.query_fingerprints([1, 2, 3, 4], min=math.nextafter(0.75, 1)).matches) == 1
    assert len(db.query_fingerprints([1, 2, 3], min=1).matches) == 6
    assert len(db.query_fingerprints([1, 2, 3, 4], by="shared", min=4).matches) == 1
    assert len(db.query_fingerprints([1, 2, 3, 4], by="shared", min=3).matches) == 6


@pytest.mark.usefixtures("_many")
def test_min_and_top_only_cut_the_full_answer(db, rng):
    """Leaving candidates out before they are scored leaves out none that belongs in the answer."""
    pool = uniform(rng, 100)
    with db.batch() as batch:
        for number in range(300):
            batch.add_fingerprints(f"{number}", rng.choice(pool, int(rng.integers(1, 100))))
    query = rng.choice(pool, 70)
    for by in (*MEASURES, *WEIGHTED, "shared"):
        for smallest in (None, 20):
            full = db.query_fingerprints(query, by=by, smallest=smallest).matches
            levels = [getattr(match, by) for match in full[::60]]
            for least, top in itertools.product([None, *levels], [None, 1, 7, 299, 1_000]):
                expected = [match for match in full if least is None or getattr(match, by) >= least][:top]
                assert db.query_fingerprints(query, by=by, smallest=smallest, min=least, top=top).matches == expected


def test_only_the_same_name_and_content_is_left_out(db):
    text = "the quick brown fox jumps over the lazy dog " * 9
    db.add("a", text)
    db.add("b", text)
    assert [match.name for match in db.query(text).matches] == ["a", "b"]
    assert [match.name for match in db.query(text, name="a").matches] == ["b"]
    assert [match.name for match in db.query(text, name="a", include_self=True).matches] == ["a", "b"]
    assert [match.name for match in db.query(text + "!", name="a").matches] == ["a", "b"]
    assert [match.name for match in db.query(text, name="none").matches] == ["a", "b"]
    digest = db.digest("b")
    assert [match.name for match in db.query_fingerprints([], name="b", digest=digest).matches] == []
    db.add("b", text, boilerplate=True)
    assert db.query(text, name="b").matches == []


def test_order_is_independent_of_insertion(tmp_path, rng):
    pool = uniform(rng, 50)
    held = {f"{number}": rng.choice(pool, 20) for number in range(40)}
    answers = set()
    for attempt in range(4):
        names = rng.permutation(list(held)).tolist()
        with fpdb.open(tmp_path / f"{attempt}.fpdb") as db:
            for start in range(0, 40, 10 * (attempt + 1)):
                with db.batch() as batch:
                    for name in names[start : start + 10 * (attempt + 1)]:
                        batch.add_fingerprints(name, held[name])
            answers.add(b"".join(as_json(db.query_fingerprints(pool, **options)) for options in OPTIONS))
            assert db.check() == []
    assert len(answers) == 1


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
    db.add_fingerprints("x", [1, 7])
    assert [match.shared for match in db.query_fingerprints([1, 2, 3, 9]).matches] == [3, 1]


@pytest.mark.parametrize(
    "options",
    [
        {"by": "size"},
        {"by": None},
        {"by": ["shared"]},
        *(
            {name: value}
            for name in ("smallest", "top")
            for value in (0, -1, 1.5, 3.0, "3", True, math.nan, math.inf, [])
        ),
        *({"max_df": value} for value in (0, -1, 1.5, "a", math.nan)),
        {"max_ignored": 3},
        {"max_df": 3, "max_ignored": -1},
        *({"min": value} for value in (-0.1, 1.5, math.nan, math.inf, "a", [], 1j)),
        {"by": "shared", "min": -1},
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(fpdb.BadQuery):
        QueryOptions(**options)


def test_numpy_numbers_are_options(db):
    db.add_fingerprints("a", [1, 2, 3])
    options = {"smallest": np.int64(2), "max_df": np.uint8(9), "top": np.int32(1), "min": np.float32(0.5)}
    assert only(db.query_fingerprints([1, 2, 3], **options)).shared == 2


def test_questions_without_hashes_have_no_matches(db):
    for options in OPTIONS:
        assert db.query_fingerprints([], **options).matches == []
        assert db.query_fingerprints([5], **options).matches == []
    db.add_fingerprints("empty", [])
    db.add_fingerprints("all", [5], boilerplate=True)
    for options in OPTIONS:
        answer = db.query_fingerprints([5, 5], **options)
        assert (answer.matches, answer.query.looked_up, answer.query.ignored_boilerplate) == ([], 0, 1)


def test_low_ratios_of_documents_of_very_different_length_are_flagged(koala: fpdb.Database) -> None:
    short = prose(7, 1_000)
    koala.add("whole", prose(8, 8_000) + short + prose(9, 8_000))
    koala.add("other", prose(10, 17_000))
    koala.add("itself", short)
    found = {match.name: match for match in koala.query(short).matches}
    assert found["itself"].part is None
    assert found["whole"].reverse_containment < 0.3
    assert found["whole"].part is not None
    assert found["whole"].part > 0.3
    assert "part" in koala.query(short).to_dict()["matches"][-1]
    assert "part" not in koala.query(short).to_dict()["matches"][0]
