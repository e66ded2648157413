"""Documents that come as columns are those that come one by one."""

import os
import signal
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from tests.storage.processes import run_in_child

WRITES = {"put", "putmulti", "delete", "__exit__"}  # calls of LMDB; the last ends a transaction
MOMENTS = 8

DOCUMENTS = st.lists(
    st.tuples(
        st.sampled_from("abcdé"),
        st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 3), st.integers(0, 2**32 - 2)), max_size=4),
        st.none() | st.sampled_from(["x", "y", ""]),
    ),
    max_size=6,
)


def records(db):
    """Return all that the database says of its documents, but when they were added."""
    documents = [document.to_dict() | {"added": ""} for document in db.documents()]
    stored = [db.fingerprints(document["name"]) for document in documents]
    return documents, [(h.tolist(), None if p is None else p.tolist()) for h, p in stored]


@given(DOCUMENTS, DOCUMENTS, st.booleans(), st.booleans(), st.integers(1, 5))
def test_columns_are_the_same_documents(tmp_path_factory, before, documents, with_positions, as_arrow, postings):
    folder = tmp_path_factory.mktemp("columns")
    names = [name for name, _, _ in documents]
    hashes = np.array([value for _, pairs, _ in documents for value, _ in pairs], np.uint64)
    positions = np.array([place for _, pairs, _ in documents for _, place in pairs], np.uint32)
    offsets = np.cumsum([0, *(len(pairs) for _, pairs, _ in documents)])
    labels = [label for _, _, label in documents]
    columns = [names, offsets, hashes, positions if with_positions else None, {"term": labels}]
    if as_arrow:
        columns[:3] = pa.array(names, pa.string()), pa.chunked_array([offsets]), pa.array(hashes)
        columns[4] = {"term": pa.array(labels, pa.string())}
    counts = {"added": 0, "replaced": 0, "updated": 0, "unchanged": 0}
    with fpdb.open(folder / "one") as one, fpdb.open(folder / "all") as all_, pytest.MonkeyPatch.context() as patch:
        patch.setattr("fpdb.ingest.writable.POSTINGS_PER_COMMIT", postings)
        for db in (one, all_):
            for name, pairs, label in before:
                db.add_fingerprints(name, [value for value, _ in pairs], labels={"term": label or ""})
        for name, pairs, label in documents:
            values, places = [value for value, _ in pairs], [place for _, place in pairs]
            given_labels = None if label is None else {"term": label}
            counts[one.add_fingerprints(name, values, places if with_positions else None, labels=given_labels)] += 1
        assert all_.add_columns(*columns) == counts
        assert records(all_) == records(one)
        assert all_.check() == []


def test_a_batch_takes_columns_and_copies_them(tmp_path):
    hashes = np.arange(6, dtype=np.uint64)
    with fpdb.open(tmp_path / "db") as db:
        with db.batch() as batch:
            batch.add_fingerprints("b", [9])
            counts = batch.add_columns(["a", "b"], [0, 2, 6], hashes, boilerplate=True, kind="audio")
            hashes[:] = 0
        assert counts == {"added": 1, "replaced": 1, "updated": 0, "unchanged": 0}
        assert [(each.kind, each.boilerplate, each.hashes) for each in db.documents()] == [
            ("audio", True, 2),
            ("audio", True, 4),
        ]
        assert db.check() == []


@pytest.mark.parametrize(
    "columns",
    [
        (["a"], [0, 1, 2], [1, 2]),
        (["a"], [0, 3], [1, 2]),
        (["a", "b"], [0, 2, 1], [1, 2]),
        (["a"], [0, 1], [1, 2], [1]),
        (["a"], [0, 1], ["x"]),
        (["a"], [0, 1], [-1]),
        (["a"], [0, 1], pa.array([None, 2])),
        (["a"], [0, 1], [1], None, {"term": []}),
        (5, [0, 1], [1]),
        ([5], [0, 1], [1]),
        ([""], [0, 1], [1]),
        (["a"], [0, 1], [1], None, {"term": [5]}),
    ],
)
def test_columns_that_do_not_fit_are_refused_and_nothing_is_added(tmp_path, columns):
    with fpdb.open(tmp_path / "db") as db:
        with pytest.raises((fpdb.BadFingerprints, fpdb.BadName, fpdb.BadLabel)):
            db.add_columns(*columns)
        assert len(db) == 0
        assert db.check() == []


def test_stored_hashes_and_positions_come_out_again(tmp_path):
    with fpdb.open(tmp_path / "db") as db:
        db.add_fingerprints("placed", [7, 5, 7, 7], [3, 1, 2, 3])
        db.add_fingerprints("not placed", [7, 5, 7])
        hashes, positions = db.fingerprints("placed")
        assert (hashes.tolist(), positions.tolist()) == ([5, 7, 7], [1, 2, 3])
        hashes, positions = db.fingerprints("not placed")
        assert (sorted(hashes.tolist()), positions) == ([5, 7], None)
        with pytest.raises(fpdb.NoSuchDocument):
            db.fingerprints("neither")
        assert db.check() == []


@pytest.fixture
def columns(monkeypatch):
    """Return columns of ten documents, two in a commit, of which the second hashes come twice."""
    monkeypatch.setattr("fpdb.ingest.writable.POSTINGS_PER_COMMIT", 8)
    hashes = np.arange(40, dtype=np.uint64)
    hashes[1::4] = hashes[::4]
    return [f"{number:02}" for number in range(10)], np.arange(11) * 4, hashes


def load(path, columns, last):
    """Add the columns, and count the calls that write; the process is killed before the last one."""
    calls = 0

    def watch(_frame, event, function):
        nonlocal calls
        if event == "c_call" and function.__name__ in WRITES:
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

    with fpdb.open(path) as db:
        sys.setprofile(watch)
        db.add_columns(*columns)
        sys.setprofile(None)
    return calls


def test_a_load_that_was_killed_left_whole_commits_and_goes_on(tmp_path, columns):
    names, offsets, hashes = columns
    total = int(run_in_child(lambda: load(tmp_path / "whole", columns, 0)))
    assert total > MOMENTS
    for last in np.linspace(1, total, MOMENTS, dtype=int).tolist():
        path = tmp_path / str(last)
        assert run_in_child(lambda path=path, last=last: load(path, columns, last)) == ""
        with fpdb.open(path) as db:
            assert db.check() == []
            there = [document.name for document in db.documents()]
            assert there == names[: len(there) // 2 * 2]
            assert db.add_columns(*columns) == {
                "added": 10 - len(there),
                "replaced": 0,
                "updated": 0,
                "unchanged": len(there),
            }
            for name, start in zip(names, offsets.tolist(), strict=False):
                assert db.fingerprints(name)[0].tolist() == sorted({*hashes[start : start + 4].tolist()})
            assert db.check() == []
