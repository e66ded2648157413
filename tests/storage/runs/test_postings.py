"""Postings in memory: order, and where pairs begin."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.runs.postings import Postings, concat_postings, is_ascending, mark_pairs
from tests.storage.runs.written_runs import equal, random_postings


def postings_of(triples):
    hashes, document_ids, positions = zip(*triples, strict=True) if triples else ((), (), ())
    return Postings(np.array(hashes, np.uint64), np.array(document_ids, np.uint32), np.array(positions, np.uint32))


TRIPLES = st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=6)


@given(TRIPLES | TRIPLES.map(sorted), TRIPLES)
def test_postings_are_compared_and_joined_as_tuples(first, second):
    assert equal(concat_postings(postings_of(first), postings_of(second)), postings_of(first + second))
    assert is_ascending(postings_of(first)) is all(before < after for before, after in pairwise(first))


@pytest.mark.parametrize("length", [1, 2, 7, 1_000])
def test_pairs_are_marked_across_pieces(rng, length):
    postings = random_postings(rng, 900, 0)
    pieces = (postings[start : start + length] for start in range(0, len(postings), length))
    marks = np.concatenate([first for _, first in mark_pairs(pieces)])
    pairs = list(zip(postings.hashes.tolist(), postings.document_ids.tolist(), strict=True))
    assert marks.tolist() == [index == 0 or pair != pairs[index - 1] for index, pair in enumerate(pairs)]
