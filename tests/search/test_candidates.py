"""What many queries look up, and whom they share with, as plain sets say it."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.search import _candidates
from fpdb.storage import sorting

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
