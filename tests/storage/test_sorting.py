"""Sorting, grouping and gathering of postings against sorted lists."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage import sorting
from tests.memory_kept import kept_by

MOST = 2**64 - 1


@pytest.mark.parametrize("bits", [0, 1, 3, 11, 12, 33, 64])
@pytest.mark.parametrize("count", [0, 1, 2, 32, 33, 5_000, 100_000])
def test_sorting_is_stable(bits, count, rng):
    hashes = rng.integers(0, MOST, count, np.uint64, endpoint=True) >> np.uint64(64 - bits) if bits else None
    hashes = np.zeros(count, np.uint64) if hashes is None else hashes
    documents, numbers = np.arange(count, dtype=np.uint32), rng.integers(0, 2**32, count, np.uint32)
    order = np.argsort(hashes, kind="stable")
    expected = [hashes[order], documents[order], numbers[order]]
    arrays = [hashes.copy(), documents.copy(), numbers.copy()]
    sorting.sort_postings(*arrays)
    for got, wanted in zip(arrays, expected, strict=True):
        assert (got == wanted).all()


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 3)))
def test_equal_values_are_counted(values):
    found, counts = sorting.run_lengths(np.sort(np.array(values, np.uint32)))
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == Counter(values)
    assert found.tolist() == sorted(set(values))


SOME = st.lists(st.integers(0, 2**32 - 1), max_size=3)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20), st.data())
def test_stretches_stand_one_after_the_other(values, data):
    bound = st.integers(0, len(values))
    bounds = data.draw(st.lists(st.tuples(bound, bound).map(sorted)))
    starts, ends = np.array(bounds, np.int64).reshape(-1, 2).T.copy()
    joined = sorting.gather_slices(np.array(values, np.uint32), starts, ends)
    assert joined.tolist() == [value for start, end in bounds for value in values[start:end]]


@given(
    st.integers(0, 4).flatmap(lambda n: st.lists(st.lists(SOME, min_size=n, max_size=n), min_size=1, max_size=5)),
    st.sets(st.integers(0, 3)),
)
def test_what_sequences_hold_of_a_hash_is_brought_together(sequences, unwanted):
    """Of each sequence: which documents it holds of each hash."""
    counts = [np.array([len(few) for few in held], np.int64) for held in sequences]
    documents = [np.array([one for few in held for one in few], np.uint32) for held in sequences]
    columns = enumerate(zip(*sequences, strict=True))
    expected = [one for at, of_hash in columns if at not in unwanted for few in of_hash for one in few]
    left_out = np.array([at in unwanted for at in range(len(sequences[0]))], np.uint8)
    assert sorting.interleave(counts, documents, left_out).tolist() == expected
    counts[0] = counts[0] + 1
    if len(counts[0]):
        with pytest.raises(ValueError, match="length"):
            sorting.interleave(counts, documents, left_out)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_the_first_of_each_pair_is_marked(pairs):
    pairs.sort()
    hashes, documents = np.array(pairs, np.uint32).reshape(-1, 2).T
    marks = sorting.first_of_pair(hashes.astype(np.uint64), documents.copy())
    assert marks.tolist() == [i == 0 or pair != pairs[i - 1] for i, pair in enumerate(pairs)]


POSTINGS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=9)


@given(POSTINGS, st.booleans())
def test_order_is_strict_by_hash_document_and_position(rows, in_order):
    rows = sorted(set(rows)) if in_order else rows
    hashes, documents, positions = np.array(rows, np.uint64).reshape(-1, 3).T.copy()
    ascending = sorting.is_ascending(hashes, documents.astype(np.uint32), positions.astype(np.uint32))
    assert ascending == all(before < after for before, after in pairwise(rows))


@pytest.mark.parametrize("bits", [1, 20, 64])
@pytest.mark.parametrize("count", [0, 1, 50, 300_000])
def test_buckets_hold_the_sorted_postings(bits, count, rng):
    """Of documents that begin at any posting of the arrays."""
    hashes = rng.integers(0, 2**bits, count + 3, np.uint64)
    positions = rng.integers(0, 2**32, count + 3, np.uint32)
    offsets = np.array([2, 2, 2 + count // 3, 2 + count], np.int64)
    for given_positions in (positions, None):
        buckets = sorting.PostingBuckets(hashes, given_positions, offsets, 7)
        parts = [buckets.sort(bucket) for bucket in range(buckets.count)]
        order = np.argsort(hashes[2 : 2 + count], kind="stable")
        owners = np.repeat(np.arange(7, 10, dtype=np.uint32), np.diff(offsets))
        places = positions if given_positions is not None else np.zeros_like(positions)
        expected = hashes[2:-1][order], owners[order], places[2:-1][order]
        for column, wanted in zip(zip(*parts, strict=True), expected, strict=True):
            assert (np.concatenate(column) == wanted).all()
        assert buckets.count == (2 if count > 2**18 else 1)


def test_no_memory_is_kept():
    counts, documents = [np.zeros(0, np.int64)] * 500, [np.zeros(0, np.uint32)] * 500
    assert kept_by(lambda: sorting.interleave(counts, documents, np.zeros(0, np.uint8))) < 100_000
