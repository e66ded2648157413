"""Queries of hashes with positions: the offset at which most agree, which a shuffled track has not."""

import numpy as np
import pytest

import fpdb


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
        lambda: db.queries_fingerprints([], regions=True),
        lambda: db.queries_fingerprints([("a", hashes[0]), ("b", hashes[0], range(300))]),
    ):
        with pytest.raises(fpdb.BadQuery):
            call()
    for wrong in (range(299), [-1] * 300, 5):
        with pytest.raises(fpdb.BadFingerprints):
            db.query_fingerprints(hashes[0], wrong)
    for wrong in (hashes[0], ("a",), ("a", hashes[0], range(300), None), (1, hashes[0]), "ab", 5):
        with pytest.raises(fpdb.BadArgument, match="index 1"):
            db.queries_fingerprints([("a", hashes[0]), wrong])
