"""Occurrences of several readers as one. `index_reader_tests.IndexReaderTests` states what every reader must do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.index_reader import Occurrences

TRIPLES = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=6)


@given(st.lists(TRIPLES))
def test_occurrences_of_parts_are_joined_in_order(parts):
    """The ids of each part are above those of the part before."""
    shifted = [
        sorted((index, 4 * part + document_id, position) for index, document_id, position in triples)
        for part, triples in enumerate(parts)
    ]
    joined = Occurrences.concatenate([Occurrences(*np.array(each, np.uint32).reshape(-1, 3).T) for each in shifted])
    expected = sorted(triple for triples in shifted for triple in triples)
    assert list(zip(*(column.tolist() for column in joined), strict=True)) == expected
