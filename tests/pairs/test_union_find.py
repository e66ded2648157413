"""Union-find, against merging sets."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.pairs import union_find


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
@settings(max_examples=100, deadline=None)
def test_join_finds_the_least_of_each_group(links):
    roots = np.arange(31, dtype=np.uint32)
    groups = [{number} for number in range(31)]
    for start in range(0, len(links), 7):
        a, b = np.array(links[start : start + 7], np.uint32).T
        union_find.connect(roots, a, b)
    for a, b in links:
        merged = groups[a] | groups[b]
        for number in merged:
            groups[number] = merged
    assert roots.tolist() == [min(group) for group in groups]
