"""A bulk load is as any other, but that merging waits for its end, or, after an error, for the next commit."""

import gc

import numpy as np

import fpdb
from fpdb.storage.runs import merge_policy

EACH = merge_policy.SMALLEST  # postings a batch, so that some are merged without a bulk


def batches(db, count, first=0):
    """So many commits of one document each; returns how many runs there were after each."""
    runs = []
    for number in range(first, first + count):
        hashes = np.random.default_rng(number % 7).integers(0, 2**64, EACH, np.uint64)
        with db.batch() as batch:
            batch.add_fingerprints(f"document {number}", hashes)
        runs.append(db.info()["runs"])
    return runs


def answers(db):
    asked = (np.random.default_rng(seed).integers(0, 2**64, EACH, np.uint64) for seed in range(7))
    return [db.query_fingerprints(hashes).to_dict() for hashes in asked]


def test_it_ends_with_the_same_answers_and_few_runs(db, tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "AT_ONCE", 0)  # no commit merges by itself
    with fpdb.open(tmp_path / "plain.fpdb") as plain:
        batches(plain, 15)
        with db.bulk():
            runs = batches(db, 15)
            assert runs == list(range(1, 16))
            assert answers(db) == answers(plain)
        assert db.info()["runs"] == 1
        assert answers(db) == answers(plain)


def test_runs_stay_few_enough_to_be_read(db, monkeypatch):
    monkeypatch.setattr(merge_policy, "AT_ONCE", 0)
    monkeypatch.setattr(merge_policy, "WIDEST", 10)
    with db.bulk():
        runs = batches(db, 35)
    assert max(runs) < 2 * 10
    assert len(db) == 35


def test_bulks_may_be_in_each_other_and_end_in_errors(db, monkeypatch):
    monkeypatch.setattr(merge_policy, "AT_ONCE", 0)
    outer = db.bulk()
    outer.__enter__()
    with db.bulk():
        batches(db, 9)
    assert db.info()["runs"] == 9
    assert not outer.__exit__(KeyError, KeyError(), None)  # the error goes on
    assert db.info()["runs"] == 9
    assert batches(db, 1, first=9) == [1]
    assert batches(db, 9, first=10)[-1] < 2 * merge_policy.FANOUT


def test_a_database_that_nobody_refers_to_is_closed_at_once(tmp_path, monkeypatch):
    """Nothing that commits, queries and lists make refers to itself: a cycle would keep the file open for a while."""
    collecting = gc.isenabled()
    gc.disable()
    monkeypatch.setattr(gc, "enable", lambda: None)
    try:
        for number in range(3):  # a file that is open already is refused
            db = fpdb.open(tmp_path / "one.fpdb")
            batches(db, 2, first=number)
            assert len(answers(db)) == 7
            assert len(list(db.documents())) == number + 2
            assert next(db.documents("document*")).name == "document 0"
            assert db.check() == []
            del db
    finally:
        monkeypatch.undo()
        if collecting:
            gc.enable()
