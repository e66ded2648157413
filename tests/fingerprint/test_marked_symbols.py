"""Marked are the symbols of k-grams of boilerplate, and what is too short for a k-gram between these."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import NO_POSITION
from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols, seam_hashes
from tests.reference_marks import plain_marks, plain_seams

SYMBOLS = 60


@given(st.sets(st.integers(0, SYMBOLS - 7), max_size=8).map(sorted), st.integers(1, 7))
def test_marks_are_those_of_the_plain_rule(positions, k):
    marks = MarkedSymbols.of(np.array(positions, np.int64), k)
    marked = plain_marks(positions, k, SYMBOLS)
    assert np.flatnonzero(marks.flags(SYMBOLS)).tolist() == sorted(marked)
    assert marks.total(SYMBOLS) == len(marked)
    starts, ends = np.triu_indices(SYMBOLS)
    counts = [len(marked & set(range(start, end))) for start, end in zip(starts, ends, strict=True)]
    assert marks.count(starts, ends).tolist() == counts
    kgrams = np.arange(SYMBOLS - k)
    expected = [2 * len(marked & set(range(at, at + k))) > k for at in kgrams.tolist()]
    assert marks.covers_most(kgrams, k).tolist() == expected


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, SYMBOLS - 8)), max_size=12),
    st.sets(st.integers(0, 9), max_size=3),
    st.integers(1, 7),
    st.lists(st.integers(0, 9), max_size=2),
)
def test_seams_are_hashes_of_which_all_places_are_mostly_marked(fingerprints, boilerplate, k, without_place):
    """A fingerprint without a place is in no seam, so that its hash counts."""
    hashes = np.array([hash_ for hash_, _ in fingerprints] + without_place, np.uint64)
    positions = np.array([at for _, at in fingerprints] + [NO_POSITION] * len(without_place), np.uint32)
    found = seam_hashes(hashes, positions, np.array(sorted(boilerplate), np.uint64), k).tolist()
    assert found == sorted(plain_seams(fingerprints, boilerplate, k, SYMBOLS) - set(without_place))


def test_no_marks():
    assert NO_MARKS.total(9) == 0
    assert NO_MARKS.flags(3).tolist() == [0, 0, 0]
    assert NO_MARKS.covers_most(np.arange(4), 3).tolist() == [False] * 4
