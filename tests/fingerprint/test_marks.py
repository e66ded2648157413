"""Marks are the symbols of k-grams of boilerplate, and what is too short for a k-gram between these."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint.marks import NO_MARKS, Marks

SYMBOLS = 60


def plain_marks(positions, k):
    marked = {symbol for start in positions for symbol in range(start, start + k)}
    for start in range(SYMBOLS):
        for end in range(start + 1, start + k):
            if {start - 1, end} <= marked:
                marked |= set(range(start, end))
    return marked


@given(st.sets(st.integers(0, SYMBOLS - 7), max_size=8).map(sorted), st.integers(1, 7))
def test_marks_are_those_of_the_plain_rule(positions, k):
    marks = Marks.of(np.array(positions, np.int64), k)
    marked = plain_marks(positions, k)
    assert np.flatnonzero(marks.flags(SYMBOLS)).tolist() == sorted(marked)
    assert marks.total(SYMBOLS) == len(marked)
    starts, ends = np.triu_indices(SYMBOLS)
    counts = [len(marked & set(range(start, end))) for start, end in zip(starts, ends, strict=True)]
    assert marks.count(starts, ends).tolist() == counts
    kgrams = np.arange(SYMBOLS - k)
    expected = [2 * len(marked & set(range(at, at + k))) > k for at in kgrams.tolist()]
    assert marks.covers_most(kgrams, k).tolist() == expected


def test_no_marks():
    assert NO_MARKS.total(9) == 0
    assert NO_MARKS.flags(3).tolist() == [0, 0, 0]
    assert NO_MARKS.covers_most(np.arange(4), 3).tolist() == [False] * 4
