"""Hits are lists of document ids, one for each hash."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.storage import hits
from fpdb.storage.hits import Hits, concat_hits, count_documents


def hits_of(lists):
    counts = np.array(list(map(len, lists)), np.int64)
    return Hits(counts, np.array([*chain.from_iterable(lists)], np.uint32), np.zeros(len(lists), np.bool_))


def as_lists(some_hits):
    ends = np.cumsum(some_hits.counts)
    bounds = zip(ends - some_hits.counts, ends, strict=True)
    return [some_hits.document_ids[start:end].tolist() for start, end in bounds]


IDS = st.sets(st.integers(0, 9), max_size=4).map(sorted)


@given(st.lists(IDS), st.sets(st.integers(0, 9)))
def test_only_the_selected_hits_are_left(lists, selected):
    all_hits = hits_of(lists)
    filtered = all_hits.filter(np.isin(all_hits.document_ids, list(selected)))
    assert as_lists(filtered) == [[document_id for document_id in ids if document_id in selected] for ids in lists]
    assert all_hits.hash_indices.tolist() == [index for index, ids in enumerate(lists) for _ in ids]


@given(st.lists(st.none() | IDS))
def test_hashes_that_were_not_looked_up_list_nothing(lists):
    asked = np.array([ids is not None for ids in lists], np.bool_)
    looked_up = hits_of([ids for ids in lists if ids is not None])
    assert as_lists(looked_up.scatter(asked)) == [ids or [] for ids in lists]


@given(
    st.integers(0, 4).flatmap(lambda n: st.lists(st.lists(IDS, min_size=n, max_size=n), min_size=1, max_size=4)),
    st.none() | st.integers(1, 6),
)
@example([[[1]]], None)
@example([[[1], []], [[2], [3]]], None)
@example([[[1], []], [[2], [3]], [[], [4]]], 2)
def test_hits_of_parts_are_joined_hash_by_hash(parts, cap):
    """The ids of each part are above those of the part before."""
    shifted = [[[10 * index + each for each in ids] for ids in part] for index, part in enumerate(parts)]
    joined = [[*chain.from_iterable(lists)] for lists in zip(*shifted, strict=True)]
    capped = [cap is not None and len(ids) >= cap for ids in joined]
    concatenated = concat_hits([hits_of(part) for part in shifted], cap)
    assert concatenated.capped.tolist() == capped
    assert as_lists(concatenated) == [[] if full else ids for ids, full in zip(joined, capped, strict=True)]


@pytest.mark.parametrize("counted_by_id", [0, 4096])
@given(ids=st.lists(st.integers(0, 30), min_size=1) | st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5))
def test_documents_are_counted(counted_by_id, ids):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hits, "COUNTED_BY_ID", counted_by_id)
        distinct, counts = count_documents(np.array(ids, np.uint32))
    assert list(zip(distinct.tolist(), counts.tolist(), strict=True)) == sorted(Counter(ids).items())
