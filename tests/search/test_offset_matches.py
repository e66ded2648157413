"""Queries of hashes with positions: the offset at which most agree, which a shuffled track has not."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12)), max_size=12)


def best_offset(query, document):
    """Return the offset at which most pairs agree, the lowest of several, and how many; by the definition."""
    counts = Counter(there - here for value, here in set(query) for other, there in set(document) if value == other)
    ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return ranked[0] if ranked else (None, 0)


@given(PAIRS, st.lists(PAIRS, min_size=1, max_size=4), st.sampled_from([None, 0, 2]))
def test_offsets_and_regions_are_those_of_the_definition(tmp_path_factory, query, documents, gap):
    path = tmp_path_factory.mktemp("offsets") / "db"
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number, pairs in enumerate(documents):
                batch.add_fingerprints(str(number), [h for h, _ in pairs], [p for _, p in pairs])
        hashes, positions = [h for h, _ in query], [p for _, p in query]
        answer = db.query_fingerprints(hashes, positions, regions=True, gap=gap)
        expected = {str(number): best_offset(query, pairs) for number, pairs in enumerate(documents)}
        assert {match.name: (match.offset, match.aligned) for match in answer} == {
            name: best for name, best in expected.items() if best[1]
        }
        order = [(-match.aligned, -match.shared, match.name) for match in answer]
        assert order == sorted(order)
        for match in answer:
            held = {*documents[int(match.name)]}
            agreeing = sorted(here for value, here in {*query} if (value, here + match.offset) in held)
            covered = [(region.a.first_symbol, region.a.last_symbol) for region in match.regions]
            assert sum(region.matched_fingerprints for region in match.regions) == match.aligned == len(agreeing)
            assert all(any(first <= here <= last for first, last in covered) for here in agreeing)
            assert all(region.b.first_symbol - region.a.first_symbol == match.offset for region in match.regions)
            assert len(covered) == 1 + sum(
                gap is not None and there - here > gap + 1 for here, there in itertools.pairwise(agreeing)
            )
        assert db.query_fingerprints(hashes, positions, min=2).matches == [
            match._replace(regions=None) for match in answer if match.aligned >= 2
        ]
        assert db.check() == []


@pytest.fixture
def tracks(tmp_path):
    rng = np.random.default_rng(5)
    hashes = rng.integers(0, 2**64, (6, 300), np.uint64)
    with fpdb.open(tmp_path / "tracks") as db:
        with db.batch() as batch:
            for number, track in enumerate(hashes):
                batch.add_fingerprints(f"track {number}", track, np.arange(300))
        assert db.check() == []
        yield db, hashes, rng


def test_an_excerpt_is_found_at_its_offset_and_a_shuffled_track_is_none(tracks):
    db, hashes, rng = tracks
    (match,) = db.query_fingerprints(hashes[3, 100:160], np.arange(60)).matches
    assert (match.name, match.offset, match.aligned, match.containment) == ("track 3", 100, 60, 1.0)
    shuffled = rng.permutation(300)
    (match,) = db.query_fingerprints(hashes[3], shuffled).matches
    assert match.containment == 1
    assert match.aligned < 10
    assert db.query_fingerprints(hashes[3], shuffled, min=10).matches == []


def test_many_queries_are_answered_as_each_alone(tracks):
    db, hashes, _ = tracks
    queries = [(f"q{row}", hashes[row, row * 10 : 100], np.arange(100 - row * 10)) for row in range(6)]
    answers = db.queries_fingerprints(queries, regions=True, gap=3)
    assert answers == [db.query_fingerprints(h, p, name=name, regions=True, gap=3) for name, h, p in queries]
    assert [answer[0].offset for answer in answers] == [row * 10 for row in range(6)]
    answers = db.queries_fingerprints([query[:2] for query in queries], by="resemblance", top=1)
    assert answers == [db.query_fingerprints(h, name=name, by="resemblance", top=1) for name, h, _ in queries]
    assert answers[0][0].offset is None
    assert db.queries_fingerprints([]) == []


def test_ignored_hashes_do_not_agree(tracks):
    db, hashes, _ = tracks
    db.add_fingerprints("jingle", hashes[3, 100:120], boilerplate=True)
    db.add_fingerprints("copy", hashes[3, 120:130], range(10))
    query = hashes[3, 100:160], range(60)
    assert [(match.name, match.aligned) for match in db.query_fingerprints(*query)] == [("track 3", 40), ("copy", 10)]
    assert [(match.name, match.aligned) for match in db.query_fingerprints(*query, max_df=2)] == [("track 3", 30)]


def test_several_databases_tell_offsets_as_one(tracks, tmp_path):
    db, hashes, _ = tracks
    with fpdb.open(tmp_path / "others") as other:
        other.add_fingerprints("track 3", hashes[3], np.arange(300) + 7)
    db.close()
    with fpdb.open_all([tmp_path / "tracks", tmp_path / "others"]) as both:
        answer = both.query_fingerprints(hashes[3, 100:160], range(60))
        assert {match.offset for match in answer} == {100, 107}


def test_what_positions_do_not_tell_is_refused(tracks):
    db, hashes, _ = tracks
    for call in (
        lambda: db.query_fingerprints(hashes[0], by="aligned"),
        lambda: db.query_fingerprints(hashes[0], regions=True),
        lambda: db.query_fingerprints(hashes[0], range(300), gap=-1),
        lambda: db.query("text", by="aligned"),
        lambda: db.queries_fingerprints([("a", hashes[0]), ("b", hashes[0], range(300))]),
    ):
        with pytest.raises(fpdb.BadQuery):
            call()
    for wrong in (range(299), [-1] * 300, 5):
        with pytest.raises(fpdb.BadFingerprints):
            db.query_fingerprints(hashes[0], wrong)
    with pytest.raises(fpdb.BadArgument, match="index 1"):
        db.queries_fingerprints([("a", hashes[0]), hashes[0]])


@given(PAIRS, PAIRS, st.sampled_from([None, 0, 2]))
def test_pairs_have_the_regions_of_queries(tmp_path_factory, one, other, gap):
    """Of two documents, those at their best offset; a document without positions has none."""
    with fpdb.open(tmp_path_factory.mktemp("offsets") / "db") as db:
        for name, pairs in (("a", one), ("b", other)):
            db.add_fingerprints(name, [h for h, _ in pairs], [p for _, p in pairs])
        found = list(db.pairs(regions=True, gap=gap))
        query = [h for h, _ in one], [p for _, p in one]
        expected = [match for match in db.query_fingerprints(*query, regions=True, gap=gap) if match.name == "b"]
        assert [pair.regions for pair in found] == [match.regions for match in expected]
        for pair, match in zip(found, expected, strict=True):
            assert (pair.coverage_a, pair.coverage_b) == (match.aligned / len({*one}), match.aligned / len({*other}))
        assert db.check() == []
