"""The longest common passage, against brute force."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.regions.longest_common import longest_common


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_the_longest_common_stretch(one, other, letters):
    one, other = (bytes(byte % (letters + 1) for byte in part) for part in (one, other))
    longest = max(n for n in range(len(one) + 1) for at in range(len(one) - n + 1) if one[at : at + n] in other)
    assert longest_common(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8)) == longest


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 9))
def test_no_stretch_reaches_over_symbols_that_differ(before, after, between):
    same = np.arange(before + after)
    one, other = (
        np.concatenate((same[:before], np.arange(start, start + between), same[before:])) for start in (90, 200)
    )
    assert longest_common(one, other) == longest_common(other, one) == max(before, after)
