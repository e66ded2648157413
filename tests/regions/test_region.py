"""Regions are joined and measured as their definitions say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.regions.region import Region, bridge, coverage


def test_small_gaps_are_bridged():
    regions = [Region(0, 10, 5, 15, 2), Region(14, 30, 20, 36, 3), Region(40, 50, 90, 99, 1), Region(60, 70, 0, 4, 1)]
    assert bridge(regions, 4) == regions
    assert bridge(regions, 5) == [Region(0, 30, 5, 36, 5), *regions[2:]]
    assert bridge(regions[::-1], 5) == bridge(regions, 5)
    assert bridge([Region(0, 10, 50, 60, 1), Region(11, 20, 5, 14, 1)], 50) == [
        Region(0, 10, 50, 60, 1),
        Region(11, 20, 5, 14, 1),
    ]


SIDE = st.tuples(st.integers(-12, 9), st.integers(1, 12))  # the distance from the region before, and the length


@given(st.lists(st.tuples(SIDE, SIDE), min_size=2, max_size=2), st.integers(0, 9))
def test_two_regions_are_bridged_exactly_if_the_gap_allows(steps, gap):
    (a, b), ((a_distance, a_length), (b_distance, b_length)) = steps
    first = Region(20, 20 + a[1], 20, 20 + b[1], 2)
    a_start, b_start = first.a_end + a_distance, first.b_end + b_distance
    second = Region(a_start, a_start + a_length, b_start, b_start + b_length, 3)
    one, other = sorted((first, second))
    forward = other.a_end > one.a_end and other.b_start > one.b_start and other.b_end > one.b_end
    near = max(other.a_start - one.a_end, other.b_start - one.b_end) <= gap
    joined = [Region(one.a_start, other.a_end, one.b_start, other.b_end, 5)]
    assert bridge([first, second], gap) == (joined if forward and near else [one, other])


@pytest.mark.parametrize("gap", range(4))
@pytest.mark.parametrize("a_distance", range(5))
@pytest.mark.parametrize("b_distance", range(5))
def test_the_gap_of_a_bridge_is_inclusive_in_both_documents(gap, a_distance, b_distance):
    regions = [Region(0, 10, 50, 60, 1), Region(10 + a_distance, 30, 60 + b_distance, 80, 1)]
    assert len(bridge(regions, gap)) == 1 + (a_distance > gap or b_distance > gap)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted), max_size=9), st.integers(60, 80))
def test_coverage_counts_symbols_once(spans, symbols):
    inside = {at for start, end in spans for at in range(start, end)}
    assert coverage(spans, symbols) == len(inside) / symbols
    assert coverage(spans, 0) == 0
