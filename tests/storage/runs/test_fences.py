"""Fences against their plain definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.runs import _fences
from tests.storage.runs.encoded_postings import MOST

HASH = st.integers(0, 12) | st.integers(MOST - 3, MOST)


@given(st.lists(HASH, min_size=1), st.lists(HASH, min_size=1, unique=True))
def test_spans_are_the_blocks_between_whose_fences_a_hash_lies(first, hashes):
    first, hashes = sorted(first), sorted(hashes)
    lows, highs = (
        each.tolist() for each in _fences.find_blocks(np.array(first, np.uint64), np.array(hashes, np.uint64))
    )
    ends = [*first[1:], MOST + 1]
    for hash_, low, high in zip(hashes, lows, highs, strict=True):
        may_hold = [at for at, fence in enumerate(first) if fence <= hash_ <= ends[at]]
        assert list(range(low, high + 1)) == may_hold
    start = sum(high < 0 for high in highs)
    spans = list(zip(lows[start:], highs[start:], strict=True))
    wanted, *ends = _fences.distinct_blocks(np.array(lows[start:], np.int64), np.array(highs[start:], np.int64))
    assert wanted.tolist() == sorted({block for low, high in spans for block in range(low, high + 1)})
    assert [wanted[each].tolist() for each in ends] == [[low for low, _ in spans], [high for _, high in spans]]


@given(st.lists(st.integers(0, 3), max_size=5), st.integers(0, 40))
def test_fences_add_up_if_they_ascend_and_no_block_is_empty_or_too_full(first_hashes, seed):
    counts = np.random.default_rng(seed).integers(0, 7, len(first_hashes), np.uint16)
    possible = first_hashes == sorted(first_hashes) and all(0 < count <= 5 for count in counts)
    total = _fences.count_postings(np.array(first_hashes, np.uint64), counts, 5)
    assert total == (sum(counts.tolist()) if possible else -1)
