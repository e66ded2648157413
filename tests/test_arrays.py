"""Operations on sorted arrays are those on sets and lists."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.arrays import contains, group_starts, sorted_distinct

VALUES = st.lists(st.integers(0, 9) | st.integers(2**64 - 3, 2**64 - 1), max_size=20)


@given(VALUES)
def test_groups_are_those_of_groupby(values):
    starts = group_starts(np.array(values, np.uint64)).tolist()
    lengths = [len(list(group)) for _, group in groupby(values)]
    assert starts == [sum(lengths[:index]) for index in range(len(lengths))]


@given(VALUES)
def test_distinct_values_are_those_of_a_set(values):
    assert sorted_distinct(np.array(values, np.uint64)).tolist() == sorted(set(values))


@given(VALUES, VALUES)
def test_membership_is_that_in_a_set(ordered, values):
    array = np.array(sorted(ordered), np.uint64)
    assert contains(array, np.array(values, np.uint64)).tolist() == [value in ordered for value in values]
