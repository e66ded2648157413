"""A set of ids is a set, with rows in the order of ids, in memory for those that are there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.id_set import ABSENT, IdSet

IDS = st.integers(0, 2**32 - 1) | st.integers(0, 2_000) | st.integers(2**31 - 600, 2**31 + 600)


@given(st.sets(IDS, max_size=200), st.lists(IDS, max_size=200))
def test_a_set_of_ids_is_a_set(ids, others):
    ordered = sorted(ids)
    id_set = IdSet(np.array(ordered, np.uint32))
    asked = [*ordered, *others, *(number + 1 for number in ordered[:-1])]
    array = np.array(asked, np.uint32)
    assert len(id_set) == len(ids)
    assert id_set.contains(array).tolist() == [number in ids for number in asked]
    assert id_set.rows(array).tolist() == [ordered.index(number) if number in ids else ABSENT for number in asked]


def test_ids_must_ascend():
    for ids in ([1, 1], [2, 1]):
        with pytest.raises(ValueError, match="ascend"):
            IdSet(np.array(ids, np.uint32))
