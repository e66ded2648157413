"""Regions are joined as the definition says, tried on all sets of regions, and in time that the worst order allows."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint.marked_symbols import NO_MARKS, MarkedSymbols
from fpdb.regions.joining import join
from fpdb.regions.region import Region


@st.composite
def disjoint_regions(draw, most=7):
    """Draw regions that are disjoint in both documents, in any order in b."""
    order = draw(st.permutations(range(draw(st.integers(0, most)))))
    places = []
    for _ in "ab":
        step = st.tuples(st.integers(0, 4), st.integers(1, 3))
        steps = draw(st.lists(step, min_size=len(order), max_size=len(order)))
        ends = [sum(map(sum, steps[: place + 1])) for place in range(len(order))]
        places.append([(end - length, end) for end, (_, length) in zip(ends, steps, strict=True)])
    a, b = places
    return [Region(a[i][0], a[i][1], b[j][0], b[j][1], i + 1) for i, j in enumerate(order)]


def may_be_one(members, regions, gap, marked=(frozenset(), frozenset())):
    """Return True if the members are consecutive in both documents, without a larger gap or marked symbols."""
    for side, symbols in zip((0, 2), marked, strict=True):
        order = sorted(regions, key=lambda region: region[side])
        places = sorted(order.index(member) for member in members)
        if places != list(range(places[0], places[0] + len(places))):
            return False
        if any(order[after][side] - order[before][side + 1] > gap for before, after in pairwise(places)):
            return False
        if any(symbols & {*range(order[one][side + 1], order[other][side])} for one, other in pairwise(places)):
            return False
    return True


def plainly(regions, gap, marked=(frozenset(), frozenset())):
    """Return the largest sets that may be one."""
    sets = [
        frozenset(members)
        for size in range(1, len(regions) + 1)
        for members in combinations(regions, size)
        if may_be_one(members, regions, gap, marked)
    ]
    largest = [each for each in sets if not any(each < other for other in sets)]
    assert sum(map(len, largest)) == len(regions)  # they are disjoint
    joined = []
    for members in largest:
        a, a_end, b, b_end, shared = zip(*members, strict=True)
        joined.append(Region(min(a), max(a_end), min(b), max(b_end), sum(shared)))
    return sorted(joined)


@given(disjoint_regions(), st.integers(0, 5), st.randoms())
def test_the_largest_sets_of_neighbours_are_joined(regions, gap, random):
    expected = plainly(regions, gap)
    random.shuffle(regions)
    assert join(regions, gap) == expected
    assert sorted(region.swapped() for region in join([region.swapped() for region in regions], gap)) == expected


@given(disjoint_regions(), st.integers(1, 5), st.data())
def test_marked_symbols_part_regions(regions, gap, data):
    """The marks lie anywhere between the regions."""
    marked = []
    for side in (0, 2):
        inside = {symbol for region in regions for symbol in range(region[side], region[side + 1])}
        free = sorted(set(range(50)) - inside)
        marked.append(frozenset(data.draw(st.sets(st.sampled_from(free)))))
    marks = [MarkedSymbols(np.array(sorted(each), np.int64), np.array(sorted(each), np.int64) + 1) for each in marked]
    assert join(regions, gap, *marks) == plainly(regions, gap, marked)


def test_marked_symbols_that_reach_into_regions_part_them():
    regions = [Region(0, 10, 0, 10, 1), Region(14, 20, 14, 20, 1)]
    for start, end in ((8, 12), (12, 16), (8, 16), (10, 14)):
        marks = MarkedSymbols(np.array([start]), np.array([end]))
        assert join(regions, 4, marks) == join(regions, 4, NO_MARKS, marks) == regions
    touching = [Region(0, 10, 0, 10, 1), Region(10, 20, 10, 20, 1)]
    across = MarkedSymbols(np.array([8]), np.array([12]))
    assert join(touching, 4, across) == join(touching, 4, NO_MARKS, across) == touching
    harmless = MarkedSymbols(np.array([2, 15]), np.array([5, 18]))
    assert len(join(regions, 4, harmless)) == len(join(regions, 10**30, harmless)) == 1


@given(disjoint_regions(), st.integers(0, 5))
def test_joined_regions_are_disjoint(regions, gap):
    joined = join(regions, gap)
    for side in (0, 2):
        assert all(one[side + 1] <= other[side] for one, other in pairwise(sorted(joined, key=lambda one: one[side])))


@pytest.mark.parametrize("gap", range(4))
@pytest.mark.parametrize("a_distance", range(5))
@pytest.mark.parametrize("b_distance", range(5))
def test_the_gap_is_inclusive_in_both_documents(gap, a_distance, b_distance):
    regions = [Region(0, 10, 50, 60, 1), Region(10 + a_distance, 30, 60 + b_distance, 80, 1)]
    assert len(join(regions, gap)) == 1 + (a_distance > gap or b_distance > gap)


def test_sentences_in_another_order_are_one_passage():
    """No two neighbours of one document are neighbours in the other one."""
    regions = [Region(10 * i, 10 * i + 9, 10 * j, 10 * j + 9, 1) for i, j in enumerate((1, 3, 0, 2))]
    assert join(regions, 1) == [Region(0, 39, 0, 39, 4)]
    elsewhere = Region(19, 20, 80, 81, 1)  # between two of them
    assert len(join([*regions, elsewhere], 1)) == 5


@pytest.mark.parametrize("apart", [False, True])
def test_a_gap_may_part_all_regions_one_after_the_other(apart):
    """Each region that leaves the set stood between two others; going through the set each time would take minutes."""
    count = 30_000
    a = [0, *(number for odd in range(1, count - 1, 2) for number in (odd + 1, odd)), count - 1]
    b = [number for even in range(0, count, 2) for number in (even + 1, even)]
    place_in_b = {number: place for place, number in enumerate(b)}
    regions = []
    for place, number in enumerate(a):
        start = 3 * (place + (apart and place > 0))
        regions.append(Region(start, start + 2, 3 * place_in_b[number], 3 * place_in_b[number] + 2, 1))
    assert len(join(regions, 1)) == (count if apart else 1)
