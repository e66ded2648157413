"""Equal hashes are found, and counted by COUNTSKETCH, as the definitions say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint._sketch import count_sketch, estimate_counts, first_occurrences
from tests.fingerprint import oracle

INVERSE = pow(oracle.GOLDEN, -1, 2**64)
ANY_HASH = st.integers(0, 2**64 - 1)
# Of few distinct products with GOLDEN, whose top bits are the slot of a hash: the last slots, and a few others.
MEETING = st.integers(2**64 - 5, 2**64 - 1) | st.integers(0, 3) | st.integers(2**60, 2**60 + 3)
HASHES = st.lists(ANY_HASH | MEETING.map(lambda product: product * INVERSE % 2**64), max_size=60)


@given(HASHES)
def test_first_occurrences_equal_the_definition(hashes):
    firsts = first_occurrences(np.array(hashes, np.uint64))
    assert firsts.tolist() == [hashes.index(h) for h in hashes]
    assert firsts.dtype == np.uint32


def test_first_occurrences_of_many_hashes():
    rng = np.random.default_rng(51)
    for count in (1, 2, 3, 4, 5, 1_000, 4_096, 20_000):
        hashes = rng.integers(0, max(count // 2, 1), count, np.uint64)
        _, places, groups = np.unique(hashes, return_index=True, return_inverse=True)
        assert np.array_equal(first_occurrences(hashes), places[groups])
        distinct = rng.permutation(count).astype(np.uint64)
        assert np.array_equal(first_occurrences(distinct), np.arange(count))


@given(
    stream=HASHES | st.lists(st.integers(0, 5), max_size=60),
    asked=st.lists(ANY_HASH | st.integers(0, 5), max_size=10),
    rows=st.integers(0, 31).map(lambda half: 2 * half + 1),
    bits=st.integers(1, 6),
    key=ANY_HASH,
)
def test_count_sketch_equals_the_definition(stream, asked, rows, bits, key):
    expected = oracle.count_sketch(stream, rows, bits, key)
    sketch = count_sketch(np.array(stream, np.uint64), rows, bits, key)
    assert sketch.tolist() == [[row[bucket] for bucket in range(2**bits)] for row in expected]
    estimates = estimate_counts(np.array(asked, np.uint64), sketch, bits, key)
    assert estimates.tolist() == [oracle.estimate(h, expected, bits, key) for h in asked]
