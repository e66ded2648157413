"""Regions from fingerprints alone: what a plain reading of MOSS's rule finds, and what repeats come to."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpdb.regions import tiling
from fpdb.regions.region import Region, coverage
from fpdb.regions.tiling import FingerprintSequence, find_regions

K = 5


def selected(pairs, complete=True):
    """Fingerprints of (hash, position) pairs."""
    hashes = np.array([hash_ for hash_, _ in pairs], np.uint64)
    return FingerprintSequence(hashes, np.array([position for _, position in pairs], np.uint32), complete)


def common(query, document):
    return np.intersect1d(query.hashes, document.hashes)


def found(query, document, shared=None, slack=K):
    return find_regions(query, document, common(query, document) if shared is None else shared, K, slack)


def plain_regions(query, document, slack):  # noqa: C901 (the definition in one piece)
    """All maximal runs of shared fingerprints that are consecutive in both, chosen longest first, symbol by symbol."""

    def runs(allowed):
        for i, j in itertools.product(range(len(query)), range(len(document))):
            if not allowed(i, j) or (allowed(i - 1, j - 1) and joins(i, j)):
                continue
            length = 1
            while allowed(i + length, j + length) and joins(i + length, j + length):
                length += 1
            yield -length, shared_before(query, i) + shared_before(document, j), i, j

    def shared_before(side, index):
        other = {hash_ for hash_, _ in (document if side is query else query)}
        return sum(hash_ in other for hash_, _ in side[:index])

    def joins(i, j):
        ours, theirs = query[i][1] - query[i - 1][1], document[j][1] - document[j - 1][1]
        return abs(ours - theirs) <= slack

    def equal(i, j):
        return 0 <= i < len(query) and 0 <= j < len(document) and query[i][0] == document[j][0]

    taken = set(), set()
    chosen = []
    for against in ((0, 1), (0,), (1,)):

        def allowed(i, j, against=against):
            return equal(i, j) and not any((i, j)[side] in taken[side] for side in against)

        while True:
            candidates = list(runs(allowed))
            if not candidates:
                break
            length, place = min(candidates)[:2]
            ties = [run for run in candidates if run[:2] == (length, place)]
            _, _, i, j = min(
                ties, key=lambda run: (abs(shared_before(query, run[2]) - shared_before(document, run[3])), run[2])
            )
            chosen.append((i, j, -length))
            taken[0].update(range(i, i - length))
            taken[1].update(range(j, j - length))
    return sorted(
        Region(query[i][1], query[i + n - 1][1] + K, document[j][1], document[j + n - 1][1] + K, n)
        for i, j, n in chosen
    )


@st.composite
def fingerprints(draw, hashes=6, most=14):
    steps = draw(st.lists(st.tuples(st.integers(0, hashes), st.integers(1, 9)), max_size=most))
    positions = itertools.accumulate((step for _, step in steps), initial=0)
    return [(hash_, position) for (hash_, _), position in zip(steps, positions, strict=False)]


def in_order(*hashes):
    return [(hash_, 3 * index) for index, hash_ in enumerate(hashes)]


@given(fingerprints(), fingerprints(), st.sampled_from([0, 3, 9]))
@example([(1, 0)], [(1, 0)], 0)
@example([(1, 0), (2, 3)] * 1, [(1, 0), (2, 3), (1, 7), (2, 10)], 0)
@example(in_order(1, 2, 3, 4, 5, 6, 7, 8), in_order(1, 2, 3, 4, 5, 9, 4, 5, 6, 7, 8), 0)
@example(in_order(1, 2, 3, 4, 5, 9, 4, 5, 6, 7, 8), in_order(1, 2, 3, 4, 5, 6, 7, 8), 0)
@settings(max_examples=400, deadline=None)
def test_runs_are_those_of_the_plain_rule(query, document, slack):
    if max((sum(hash_ == one for hash_, _ in query) for one, _ in query), default=0) > tiling.ALL_PAIRS:
        return
    assert found(selected(query), selected(document), slack=slack) == plain_regions(query, document, slack)


@given(fingerprints(hashes=3, most=60), fingerprints(hashes=3, most=60), st.sampled_from([1, 2, 8]))
@settings(max_examples=200, deadline=None)
def test_every_shared_fingerprint_is_in_a_region(query, document, few):
    """Whatever repeats, and however few pairs are looked at; and mirrored documents are covered alike."""
    kept, tiling.ALL_PAIRS = tiling.ALL_PAIRS, few
    try:
        one, other = selected(query), selected(document)
        regions = found(one, other)
        mirrored = found(other, one)
    finally:
        tiling.ALL_PAIRS = kept
    shared = set(one.hashes.tolist()) & set(other.hashes.tolist())
    for pairs, start, end in ((query, 0, 1), (document, 2, 3)):
        inside = {symbol for region in regions for symbol in range(region[start], region[end])}
        for hash_, position in pairs:
            if hash_ in shared:
                assert set(range(position, position + K)) <= inside
    ours = [sum(hash_ in shared for hash_, _ in pairs) for pairs in (query, document)]
    assert max(ours) <= sum(region.shared for region in regions) <= sum(ours)
    assert len(regions) <= sum(ours)
    assert sum(region.shared for region in mirrored) <= sum(ours)


def test_regions_do_not_depend_on_the_order_of_shared_hashes_or_on_hash_values():
    rng = np.random.default_rng(3)
    query = selected([(int(hash_), 3 * index) for index, hash_ in enumerate(rng.integers(0, 9, 50))])
    document = selected([(int(hash_), 4 * index) for index, hash_ in enumerate(rng.integers(0, 9, 50))])
    renamed = rng.permutation(9).astype(np.uint64)
    again = (FingerprintSequence(renamed[side.hashes.astype(int)], side.positions) for side in (query, document))
    assert found(query, document) == found(*again)


def test_a_fingerprint_between_parts_a_region():
    query = selected([(1, 0), (9, 2), (2, 4), (3, 6)])
    document = selected([(1, 10), (2, 14), (3, 16)])
    assert found(query, document) == [Region(0, 5, 10, 15, 1), Region(4, 11, 14, 21, 2)]
    assert found(document, query) == [Region(10, 15, 0, 5, 1), Region(14, 21, 4, 11, 2)]
    assert found(selected([(1, 0), (2, 4), (3, 6)]), document) == [Region(0, 11, 10, 21, 3)]


def test_only_shared_ones_at_hand_join_unless_distances_differ():
    query = selected([(1, 0), (2, 4), (3, 8)])
    document = selected([(1, 10), (2, 14), (3, 40)], complete=False)
    assert found(query, document) == [Region(0, 9, 10, 19, 2), Region(8, 13, 40, 45, 1)]


def test_hashes_that_do_not_count_part_regions():
    query, document = (selected([(hash_, 3 * hash_) for hash_ in range(5)]) for _ in range(2))
    regions = found(query, document, shared=np.array([0, 1, 3, 4], np.uint64))
    assert regions == [Region(0, 8, 0, 8, 2), Region(9, 17, 9, 17, 2)]


def test_equal_hashes_may_stand_apart_by_the_slack():
    """Robust winnowing: in a passage of few k-grams equal hashes are selected at different places."""
    query = selected([(1, 0), (1, 4), (2, 8)])
    document = selected([(1, 2), (1, 4), (2, 10)])
    assert found(query, document, slack=4) == [Region(0, 13, 2, 15, 3)]
    assert len(found(query, document, slack=1)) == 3


@pytest.mark.parametrize(("here", "there"), [(10, 10), (10, 1), (1, 10), (3, 10)])
def test_a_passage_that_repeats_makes_as_many_regions_as_it_stands(here, there):
    """Each time among something else: n + m regions at most, not n m."""
    passage = [100 + index for index in range(6)]

    def document(times, other):
        hashes = itertools.chain.from_iterable([*passage, other + index] for index in range(times))
        return selected([(hash_, 4 * index) for index, hash_ in enumerate(hashes)])

    regions = found(document(here, 1000), document(there, 2000))
    assert len(regions) == max(here, there)
    assert {region.shared for region in regions} == {6}
    assert len({region.a_start for region in regions}) == here
    assert len({region.b_start for region in regions}) == there
    if here == there:
        assert all(region.a_start == region.b_start for region in regions)


@pytest.mark.parametrize("times", [tiling.ALL_PAIRS - 1, 10 * tiling.ALL_PAIRS])
def test_repeats_side_by_side_are_one_region(times):
    hashes = list(range(6)) * times
    document = selected([(hash_, 4 * index) for index, hash_ in enumerate(hashes)])
    assert found(document, document) == [Region(0, 4 * len(hashes) - 4 + K, 0, 4 * len(hashes) - 4 + K, len(hashes))]


def test_what_is_frequent_goes_with_the_rare_beside_it():
    """The first document has more of the frequent hash before; ranks alone would pair all of it wrongly."""
    frequent = [7] * (4 * tiling.ALL_PAIRS)
    query = selected([(hash_, 4 * at) for at, hash_ in enumerate([7, 7, 7, 1, *frequent, 2])])
    document = selected([(hash_, 4 * at) for at, hash_ in enumerate([1, *frequent, 2])])
    longest = max(found(query, document), key=lambda region: region.shared)
    assert longest.shared == len(frequent) + 2


@pytest.mark.parametrize("pattern", ["one", "alternating", "random"])
def test_very_frequent_hashes_take_linear_time(pattern, rng):
    """50,000 times on both sides are 2.5 billion pairs; memory for these is not there."""
    count = 50_000
    hashes = {"one": np.zeros(count), "alternating": np.arange(count) % 2, "random": rng.integers(0, 3, count)}[pattern]
    query = FingerprintSequence(hashes.astype(np.uint64), np.arange(count, dtype=np.uint32) * 3)
    document = FingerprintSequence(hashes[::-1].astype(np.uint64), np.arange(count, dtype=np.uint32) * 3)
    regions = found(query, document)
    end = 3 * (count - 1) + K
    assert coverage([region[:2] for region in regions], end) == coverage([region[2:4] for region in regions], end) == 1
