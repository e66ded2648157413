"""The measures of text alignment are as Potthast and others define them."""

from math import log2
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.plagdet import Figures, Passage, measure

INTERVAL = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair)))
PASSAGES = st.lists(
    st.tuples(st.integers(0, 1), INTERVAL, INTERVAL).map(lambda each: Passage(each[0], *each[1], *each[2])), max_size=4
)


def characters(passage):
    """Return the characters of both documents, as a set."""
    a, b = range(passage.a_start, passage.a_end), range(passage.b_start, passage.b_end)
    return {(passage.pair, "a", place) for place in a} | {(passage.pair, "b", place) for place in b}


def detects(detection, case):
    common = characters(detection) & characters(case)
    return {side for _, side, _ in common} == {"a", "b"}


def share(passage, others):
    union = set().union(*map(characters, others))
    return len(characters(passage) & union) / len(characters(passage))


@given(PASSAGES, PASSAGES)
def test_the_measures_are_as_defined(cases, detections):
    figures = measure(cases, detections)
    of_case = [[each for each in detections if detects(each, case)] for case in cases]
    of_detection = [[case for case in cases if detects(each, case)] for each in detections]
    if cases:
        assert figures.recall == pytest.approx(mean(map(share, cases, of_case)))
    if detections:
        assert figures.precision == pytest.approx(mean(map(share, detections, of_detection)))
    counts = [len(each) for each in of_case if each]
    assert figures.granularity == (mean(counts) if counts else 1)
    exchanged = measure(detections, cases)
    if cases and detections:
        assert (exchanged.recall, exchanged.precision) == pytest.approx((figures.precision, figures.recall))


@given(PASSAGES.filter(bool))
def test_cases_themselves_are_perfect_if_they_are_apart(cases):
    apart = [case._replace(pair=number) for number, case in enumerate(cases)]
    assert measure(apart, apart) == (1, 1, 1)
    assert measure(apart, apart).plagdet == 1


def test_a_pair_worked_by_hand():
    """One case of 10 + 10 characters, found in two halves of which one reaches too far, and a false alarm."""
    cases = [Passage(0, 0, 10, 100, 110), Passage(1, 0, 10, 0, 10)]
    detections = [Passage(0, 0, 5, 100, 105), Passage(0, 5, 15, 105, 115), Passage(0, 50, 55, 100, 105)]
    figures = measure(cases, detections)
    assert figures == pytest.approx((1 / 2, (1 + 1 / 2 + 0) / 3, 2))
    assert figures.plagdet == pytest.approx(0.5 / log2(3))


def test_nothing():
    case = Passage(0, 0, 1, 0, 1)
    assert measure([], []).plagdet == 1
    assert measure([case], []) == (0, 0, 1)
    assert measure([], [case]) == (1, 0, 1)
    assert Figures(0, 0, 1).plagdet == 0
