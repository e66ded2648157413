"""Postings of documents that are added come in order, each once, and are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage import document_columns, sorting
from fpdb.storage.file_format import WHOLE
from fpdb.storage.record_columns import RecordColumns
from fpdb.storage.runs.postings import NO_POSTINGS, concat_postings, is_ascending

FIRST = 7  # id

PAIRS = st.lists(st.tuples(st.integers(0, 3) | st.integers(0, 2**64 - 1), st.integers(0, 3)), max_size=6)


def columns_of(hashes, encoded_positions, offsets, lead=0):
    """Make documents; lead: postings of the arrays before the first document's."""
    hashes, encoded = np.array(hashes, np.uint64), np.array(encoded_positions, np.uint32)
    hashes, encoded = np.r_[np.full(lead, 5, np.uint64), hashes], np.r_[np.full(lead, 1, np.uint32), encoded]
    documents = len(offsets) - 1
    records = RecordColumns([], "hashes", 0, b"", np.zeros((documents, 4), np.int64))
    shares = np.full(documents, WHOLE, np.uint32)
    return document_columns.DocumentColumns(records, hashes, encoded, np.array(offsets, np.int64) + lead, shares, False)


def in_order(given_documents, boilerplate=()):
    """Return the sorted postings as tuples, and the counts."""
    counts = document_columns.Counts(given_documents)
    ignored = np.array(sorted(boilerplate), np.uint64)
    pieces = list(document_columns.sorted_postings(given_documents, FIRST, ignored, counts))
    if not counts.changed:
        counts.change()
    rows = [list(zip(*(column.tolist() for column in vars(piece).values()), strict=True)) for piece in pieces]
    counted = zip(*(column.tolist() for column in (counts.postings, counts.hashes, counts.boilerplate)), strict=True)
    return [row for piece in rows for row in piece], list(counted)


@given(st.lists(PAIRS, min_size=1, max_size=5), st.sets(st.integers(0, 3)), st.integers(0, 2))
def test_postings_are_distinct_in_order_and_counted(documents, boilerplate, lead):
    offsets = np.cumsum([0, *map(len, documents)])
    flat = [pair for pairs in documents for pair in pairs]
    some = columns_of([value for value, _ in flat], [place for _, place in flat], offsets, lead)
    postings, counts = in_order(some, boilerplate)
    assert postings == sorted({(value, FIRST + row, at) for row, pairs in enumerate(documents) for value, at in pairs})
    hashes = [{value for value, _ in pairs} for pairs in documents]
    assert counts == [
        (len(set(pairs)), len(held), len(held & boilerplate)) for pairs, held in zip(documents, hashes, strict=True)
    ]


@pytest.mark.parametrize("bits", [20, 64])
def test_threads_sort_many_postings(bits, rng, monkeypatch):
    """Hashes that differ in their lowest bits only, too, are divided among buckets."""
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    count = 300_000
    hashes = rng.integers(0, 2**64, count, np.uint64) >> np.uint64(64 - bits)
    encoded, offsets = rng.integers(0, 3, count, np.uint32), np.r_[np.arange(0, count, 100), count]
    some = columns_of(hashes, encoded, offsets)
    counts = document_columns.Counts(some)
    whole = NO_POSTINGS
    for piece in document_columns.sorted_postings(some, FIRST, np.empty(0, np.uint64), counts):
        whole = concat_postings(whole, piece)
    assert is_ascending(whole)
    documents = np.arange(FIRST, FIRST + len(offsets) - 1, dtype=np.uint64).repeat(np.diff(offsets))
    keys = np.unique(np.column_stack((hashes, documents, encoded)), axis=0)
    assert (keys == np.column_stack((whole.hashes, whole.document_ids, whole.encoded_positions))).all()
    assert (counts.postings == np.bincount(whole.document_ids)[FIRST:]).all()


@pytest.mark.parametrize("offsets", [[0, 3], [-1, 2], [2, 1, 2]])
def test_offsets_that_lie_are_refused(offsets):
    arrays = np.zeros(2, np.uint64), np.zeros(2, np.uint32)
    with pytest.raises(ValueError, match="offsets"):
        sorting.PostingBuckets(*arrays, np.array(offsets, np.int64), 0)
