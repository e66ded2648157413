"""Many queries look up the hashes, and share them with the documents, that plain sets give."""

import itertools
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.search import _candidates
from fpdb.storage import sorting
from fpdb.storage.snapshot import Snapshot
from tests.reference_database import ReferenceDatabase, as_json
from tests.small_blocks import small_blocks

MOST = 2**64 - 1
FEW = st.integers(0, 12) | st.integers(2**64 - 3, 2**64 - 1)
QUERIES = st.lists(st.lists(FEW, max_size=12), max_size=6)
DOCUMENTS = st.sets(st.integers(0, 9) | st.integers(2**32 - 4, 2**32 - 1), max_size=8)


def partitioned(queries, boilerplate, most):
    hashes = np.array([hash_ for query in queries for hash_ in query], np.uint64)
    owners = np.array([owner for owner, query in enumerate(queries) for _ in query], np.uint32)
    sorting.sort_postings(hashes, owners, np.zeros(len(hashes), np.uint32))
    return _candidates.partition_hashes(hashes, owners, len(queries), np.array(sorted(boilerplate), np.uint64), most)


@given(QUERIES, st.sets(FEW, max_size=6), st.integers(1, 14))
def test_each_query_looks_up_its_smallest_hashes_beside_boilerplate(queries, boilerplate, most):
    every, at, bounds, distinct, discarded = partitioned(queries, boilerplate, most)
    asked = [sorted(set(query) - boilerplate)[:most] for query in queries]
    assert every.tolist() == sorted(set().union(*asked))
    assert [every[at[start:end]].tolist() for start, end in pairwise(bounds)] == asked
    assert distinct.tolist() == [len(set(query) - boilerplate) for query in queries]
    assert discarded.tolist() == [len(set(query) & boilerplate) for query in queries]


@given(QUERIES, st.dictionaries(FEW, DOCUMENTS), st.data())
def test_who_shares_with_a_query_is_counted(queries, holders, data):
    every, at, bounds, _, _ = partitioned(queries, (), 1 << 62)
    lists = [sorted(holders.get(hash_, ())) for hash_ in every.tolist()]
    ends = np.cumsum([len(held) for held in lists], dtype=np.int64)
    starts = ends - np.array([len(held) for held in lists], np.int64)
    fewest = data.draw(st.lists(st.integers(0, 4), min_size=len(queries), max_size=len(queries)))
    left_out = data.draw(st.lists(DOCUMENTS, min_size=len(queries), max_size=len(queries)))
    documents, shared, counts = _candidates.count_shared(
        (np.array([document for held in lists for document in held], np.uint32), starts, ends),
        (at, bounds),
        np.array(fewest, np.int64),
        (
            np.array([document for few in left_out for document in few], np.uint32),
            np.cumsum([0, *map(len, left_out)], dtype=np.int64),
        ),
    )
    expected = []
    for query, least, others in zip(queries, fewest, left_out, strict=True):
        by_document = {}
        for hash_ in set(query) if least else ():
            for document in holders.get(hash_, set()) - others:
                by_document[document] = by_document.get(document, 0) + 1
        expected.append(sorted((document, count) for document, count in by_document.items() if count >= least))
    assert counts.tolist() == [len(found) for found in expected]
    assert list(zip(documents.tolist(), shared.tolist(), strict=True)) == [pair for found in expected for pair in found]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3000))
def test_many_documents_come_in_order(seed, count):
    """More than the properties above have: the table fills, and sorting goes through all of its gaps."""
    rng = np.random.default_rng(seed)
    lists = [np.unique(rng.integers(0, 4 * count, count, np.uint32)) for _ in range(3)]
    ends = np.cumsum([len(held) for held in lists], dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1]))
    no_one = np.empty(0, np.uint32), np.zeros(2, np.int64)
    documents, shared, _ = _candidates.count_shared(
        (np.concatenate(lists), starts, ends),
        (np.arange(3, dtype=np.uint32), np.array([0, 3])),
        np.ones(1, np.int64),
        no_one,
    )
    found, counts = np.unique(np.concatenate(lists), return_counts=True)
    assert (documents == found).all()
    assert (shared == counts).all()


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


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


def test_a_stored_query_is_left_out_where_hits_are_counted_by_document(db, monkeypatch):
    counted = []
    count = Snapshot.count_by_document

    def noted(*given):
        counted.append(count(*given))
        return counted[-1]

    monkeypatch.setattr(Snapshot, "count_by_document", noted)
    with small_blocks(2), db.batch() as batch:
        for number in range(60):
            batch.add_fingerprints(f"{number:02}", [1, 2, 100 + number])
    answer = db.query_stored("05")
    assert [match.name for match in answer.matches] == [f"{number:02}" for number in range(60) if number != 5]
    assert {match.shared for match in answer.matches} == {2}
    assert [len(by_id) for by_id in counted] == [60]
    assert db.check() == []
