"""A merge is the sorted union of its inputs without dead documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.storage.id_set import IdSet
from fpdb.storage.runs import merge
from fpdb.storage.runs.postings import Postings

MOST = 2**64 - 1


@st.composite
def inputs_of_a_merge(draw):
    """Neighbouring runs with hot hashes, some of whose documents are dead, in pieces of any length."""
    hash_ = st.sampled_from([0, 1, 2, 3, MOST])
    first_id = draw(st.integers(0, 2**32 - 100))
    inputs, document = [], first_id
    for _ in range(draw(st.integers(1, 5))):
        span = draw(st.integers(1, 5))
        entry = st.tuples(hash_, st.integers(document, document + span - 1), st.integers(0, 3))
        inputs.append(sorted(draw(st.sets(entry, max_size=30))))
        document += span
    dead = draw(st.sets(st.integers(first_id, document - 1)))
    return inputs, first_id, document, dead, draw(st.integers(1, 9)), draw(st.integers(1, 40))


def in_pieces(entries, length):
    for start in range(0, len(entries), length):
        hashes, documents, numbers = zip(*entries[start : start + length], strict=True)
        yield Postings(np.array(hashes, np.uint64), np.array(documents, np.uint32), np.array(numbers, np.uint32))
        yield Postings(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))


@given(inputs_of_a_merge())
@settings(max_examples=200, deadline=None)
def test_a_merge_is_the_sorted_union_without_the_dead(case):
    inputs, first_id, end, dead, length, piece = case
    live = IdSet(np.array([each for each in range(first_id, end) if each not in dead], np.uint32)) if dead else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "PIECE", piece)
        pieces = list(merge.merge_postings([in_pieces(entries, length) for entries in inputs], live))
    assert all(len(each) == piece for each in pieces[:-1])
    assert all(0 < len(each) <= piece for each in pieces)
    got = [
        entry
        for each in pieces
        for entry in zip(each.hashes.tolist(), each.document_ids.tolist(), each.encoded_positions.tolist(), strict=True)
    ]
    assert got == sorted(entry for entries in inputs for entry in entries if entry[1] not in dead)


def test_documents_far_from_those_that_live_are_dead():
    """A run damaged in a way that its checksums hide must not make a merge read beyond its arrays."""
    entries = [(1, 3, 0), (1, 700, 0), (1, 9_000, 0), (1, 2**32 - 1, 0)]
    (piece,) = merge.merge_postings([in_pieces(entries, 2)], IdSet(np.array([700], np.uint32)))
    assert piece.document_ids.tolist() == [700]
    assert list(merge.merge_postings([in_pieces(entries, 2)], IdSet(np.empty(0, np.uint32)))) == []
