"""Regions are extended, joined and measured as their definitions say."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.regions.region import Region, bridge, coverage, extend


def plain_extension(query, document, region, others, barriers):
    """Move the ends of a region symbol by symbol, up to the next barrier."""
    starts, ends = (set(side.tolist()) for side in barriers)
    q0, q1, d0, d1, shared = region
    q_blocked = {at for other in others for at in range(other.a_start, other.a_end)}
    d_blocked = {at for other in others for at in range(other.b_start, other.b_end)}
    while q1 < len(query) and d1 < len(document) and query[q1] == document[d1]:
        if q1 in q_blocked or d1 in d_blocked or q1 in ends:
            break
        q1, d1 = q1 + 1, d1 + 1
    while q0 and d0 and query[q0 - 1] == document[d0 - 1] and q0 not in starts:
        if q0 - 1 in q_blocked or d0 - 1 in d_blocked:
            break
        q0, d0 = q0 - 1, d0 - 1
    return Region(q0, q1, d0, d1, shared)


@given(st.data(), st.sampled_from([1, 2, 3]))
@settings(max_examples=300, deadline=None)
def test_ends_move_to_the_last_equal_symbol_and_into_no_other_region(data, letters):
    text = st.lists(st.integers(0, letters - 1), min_size=2, max_size=200)
    query, document = (np.array(data.draw(text), np.uint8) for _ in range(2))
    edges = [
        sorted(data.draw(st.sets(st.integers(0, len(side)), min_size=2, max_size=6))) for side in (query, document)
    ]
    spans = [list(zip(side[::2], side[1::2], strict=False)) for side in edges]
    regions = [Region(q[0], q[1], d[0], d[1], 1) for q, d in zip(*spans, strict=False)]
    wide = np.uint32 if data.draw(st.booleans()) else np.uint8
    edge = st.sets(st.integers(0, len(query)), max_size=5).map(sorted)
    barriers = tuple(np.array(data.draw(edge), np.int64) for _ in range(2))
    moved = extend(query, document.astype(wide), regions, barriers)
    for index, (region, after) in enumerate(zip(regions, moved, strict=True)):
        assert plain_extension(query, document, after, moved[:index] + moved[index + 1 :], barriers) == after
        assert after.a_start <= region.a_start <= region.a_end <= after.a_end
        assert not any(after.a_start < barrier <= region.a_start for barrier in barriers[0])
        assert not any(region.a_end <= barrier < after.a_end for barrier in barriers[1])
        for start, end in ((after.a_start, region.a_start), (region.a_end, after.a_end)):
            shift = (after.b_start, region.b_end)[start == region.a_end]
            base = (after.a_start, region.a_end)[start == region.a_end]
            assert (query[start:end] == document[shift + start - base : shift + end - base]).all()
    for start, end in ((0, 1), (2, 3)):
        ordered = sorted((region[start], region[end]) for region in moved)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(ordered))


def test_ends_stay_within_what_counts():
    text = np.arange(100, dtype=np.uint8)
    region = Region(40, 50, 40, 50, 1)
    assert extend(text, text, [region]) == [Region(0, 100, 0, 100, 1)]
    within = np.array([10, 31]), np.array([45, 62])
    assert extend(text, text, [region], within) == [Region(31, 62, 31, 62, 1)]


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
