"""Tiles are those of a plain greedy string tiling, whatever repeats."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fpdb.regions.region import Region, coverage
from fpdb.regions.tiling import NO_BARS, FingerprintSequence, symbol_sequence, tile_fingerprints, tile_symbols
from tests.memory_kept import kept_by

K = 5
NONE = frozenset()


def plain_tiles(a, b, anchors, shortest, **rules):
    """Return (i, j, length), sorted: the longest match around an anchor first; of one partly taken, free parts remain.

    anchors: (i, j, width). rules: barred, the symbols of a and of b that no match is extended to; joins(i, j), False
    where no match goes on; repeats, see `RegionOptions`.
    """
    barred, repeats = rules.get("barred", (NONE, NONE)), rules.get("repeats", False)
    joins = rules.get("joins", lambda *_: True)

    def agree(i, j):
        return 0 <= i < len(a) and 0 <= j < len(b) and a[i] == b[j] and i not in barred[0] and j not in barred[1]

    def match(i, j, width):
        start, end = 0, width
        while agree(i + start - 1, j + start - 1) and joins(i + start, j + start):
            start -= 1
        while agree(i + end, j + end) and joins(i + end, j + end):
            end += 1
        return i + start, j + start, end - start

    def choose(matches, shortest, taken_b):
        waiting = list(matches)
        while waiting:
            first = min(waiting, key=lambda one: (-one[2], one[0] + one[1], abs(one[0] - one[1]), one[0]))
            waiting.remove(first)
            i, j, length = first
            free = [at for at in range(length) if i + at not in taken_a and j + at not in taken_b]
            if len(free) == length:
                tiles.append(first)
                taken_a.update(range(i, i + length))
                if taken_b is not nothing:
                    taken_b.update(range(j, j + length))
                continue
            groups = itertools.groupby(enumerate(free), lambda pair: pair[1] - pair[0])
            parts = [[at for _, at in group] for _, group in groups]
            waiting += [(i + part[0], j + part[0], len(part)) for part in parts if len(part) >= shortest]

    tiles, taken_a, nothing = [], set(), set()
    matches = merged([match(*anchor) for anchor in anchors], joins)
    choose(matches, shortest, set())
    if repeats:
        choose(matches, 1, nothing)
    return sorted(tiles)


def merged(matches, joins):
    """Return matches, those as one that overlap or touch on a diagonal: around barred symbols in anchors they may."""
    result = []
    for i, j, length in sorted(matches, key=lambda one: (one[0] - one[1], one)):
        start, other, before = result[-1] if result else (0, 0, 0)
        end = start + before
        if result and start - other == i - j and (i < end or (i == end and joins(i, j))):
            result[-1] = start, other, max(end, i + length) - start
        else:
            result.append((i, j, length))
    return result


def kgrams(symbols, chosen):
    """Return the k-grams of symbols that are chosen by their hashes."""
    found = [(hash(tuple(symbols[at : at + K])) % 2**60, at) for at in range(len(symbols) - K + 1)]
    return selected([(value, at) for value, at in found if value % chosen == 0])


def selected(pairs, complete=True):
    """Fingerprints of (hash, position) pairs."""
    hashes = np.array([hash_ for hash_, _ in pairs], np.uint64)
    return FingerprintSequence(hashes, np.array([position for _, position in pairs], np.uint32), complete)


def anchor_pairs(one, other, width):
    return [
        (int(i), int(j), width)
        for (x, i), (y, j) in itertools.product(
            zip(one.hashes, one.positions, strict=True), zip(other.hashes, other.positions, strict=True)
        )
        if x == y
    ]


def flags(barred, length):
    return np.array([at in barred for at in range(length)], np.uint8) if barred else NO_BARS


@st.composite
def two_texts(draw):
    letters = draw(st.sampled_from([1, 2, 3]))
    pieces = draw(st.lists(st.lists(st.integers(0, letters), min_size=1, max_size=12), min_size=1, max_size=4))
    orders = [draw(st.lists(st.sampled_from(pieces), max_size=5)) for _ in range(2)]
    return [list(itertools.chain.from_iterable(order)) for order in orders]


@given(two_texts(), st.sampled_from([1, 1, 3]), st.data(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_tiles_of_symbols_are_those_of_the_plain_rule(texts, chosen, data, repeats):
    fingerprints = [kgrams(text, chosen) for text in texts]
    barred = [data.draw(st.frozensets(st.integers(0, max(len(text) - 1, 0)), max_size=3)) for text in texts]
    sequences = [
        symbol_sequence(np.array(text, np.uint8), each, flags(bars, len(text)))
        for text, each, bars in zip(texts, fingerprints, barred, strict=True)
    ]
    regions = tile_symbols(*sequences, K, repeats=repeats)
    anchors = anchor_pairs(fingerprints[0], fingerprints[1], K)
    expected = plain_tiles(texts[0], texts[1], anchors, K, barred=barred, repeats=repeats)
    assert [(r.a_start, r.b_start, r.a_end - r.a_start) for r in regions] == expected
    shared = [at for at, value in zip(fingerprints[0].positions, fingerprints[0].hashes, strict=True)
              if value in fingerprints[1].hashes]  # fmt: skip
    assert [r.shared for r in regions] == [sum(r.a_start <= at <= r.a_end - K for at in shared) for r in regions]


@st.composite
def fingerprint_lists(draw, hashes=5, most=14):
    steps = draw(st.lists(st.tuples(st.integers(0, hashes), st.integers(K, K + 4)), max_size=most))
    positions = itertools.accumulate((step for _, step in steps), initial=0)
    return [(hash_, position) for (hash_, _), position in zip(steps, positions, strict=False)]


@given(fingerprint_lists(), fingerprint_lists(), st.sampled_from([0, 1, 9]), st.booleans())
@example([(1, 0)], [(1, 0)], 0, False)
@example([(1, 0), (2, 5)], [(1, 0), (2, 5), (1, 10), (2, 15)], 0, True)
@settings(max_examples=300, deadline=None)
def test_tiles_of_positions_are_those_of_the_plain_rule(one, other, slack, repeats):
    """Far apart, so that k-grams do not overlap."""
    sides = selected(one), selected(other)

    def joins(i, j):
        return abs((one[i][1] - one[i - 1][1]) - (other[j][1] - other[j - 1][1])) <= slack

    shared = np.intersect1d(sides[0].hashes, sides[1].hashes)
    values = [[hash_ for hash_, _ in side] for side in (one, other)]
    numbers = [selected(list(zip(side, itertools.count(), strict=False))) for side in values]
    anchors = anchor_pairs(numbers[0], numbers[1], 1)
    tiles = plain_tiles(values[0], values[1], anchors, 1, joins=joins, repeats=repeats)
    expected = [Region(one[i][1], one[i + n - 1][1] + K, other[j][1], other[j + n - 1][1] + K, n) for i, j, n in tiles]
    assert tile_fingerprints(sides[0], sides[1], shared, K, slack, repeats=repeats) == expected


def found(one, other, shared=None, slack=K, repeats=False):
    shared = np.intersect1d(one.hashes, other.hashes) if shared is None else shared
    return tile_fingerprints(one, other, shared, K, slack, repeats=repeats)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=30),
    st.randoms(use_true_random=False),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_regions_of_positions_never_overlap(steps, random, repeats):
    """Though several hashes may have one position; with repeats, they may in the second document."""
    one = list(zip((hash_ for hash_, _ in steps), itertools.accumulate(step for _, step in steps), strict=True))
    other = [(hash_, 7 * at) for at, (hash_, _) in enumerate(random.sample(one, len(one)))]
    regions = found(selected(one), selected(other), repeats=repeats)
    for start, end in ((0, 1),) if repeats else ((0, 1), (2, 3)):
        ordered = sorted((region[start], region[end]) for region in regions)
        assert all(first < last for first, last in ordered)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ordered))


def test_a_fingerprint_between_parts_a_region():
    one = selected([(1, 0), (9, 2), (2, 6), (3, 8)])
    other = selected([(1, 10), (2, 16), (3, 18)])
    assert found(one, other) == [Region(0, 5, 10, 15, 1), Region(6, 13, 16, 23, 2)]
    assert found(other, one) == [Region(10, 15, 0, 5, 1), Region(16, 23, 6, 13, 2)]
    assert found(selected([(1, 0), (2, 6), (3, 8)]), other) == [Region(0, 13, 10, 23, 3)]


def test_regions_of_overlapping_kgrams_are_cut():
    one = selected([(1, 0), (9, 1), (2, 3)])
    other = selected([(1, 10), (2, 13)])
    assert found(one, other) == [Region(0, 5, 10, 15, 1), Region(5, 8, 15, 18, 1)]


def test_only_shared_ones_at_hand_join_unless_distances_differ():
    one = selected([(1, 0), (2, 5), (3, 10)])
    other = selected([(1, 10), (2, 15), (3, 40)], complete=False)
    assert found(one, other) == [Region(0, 10, 10, 20, 2), Region(10, 15, 40, 45, 1)]


def test_hashes_that_do_not_count_part_regions():
    one, other = (selected([(hash_, 5 * hash_) for hash_ in range(5)]) for _ in range(2))
    regions = found(one, other, shared=np.array([0, 1, 3, 4], np.uint64))
    assert regions == [Region(0, 10, 0, 10, 2), Region(15, 25, 15, 25, 2)]


def test_equal_hashes_may_stand_apart_by_the_slack():
    """Robust winnowing: in a passage of few k-grams equal hashes are selected at different places."""
    one = selected([(1, 0), (1, 4), (2, 8)])
    other = selected([(1, 2), (1, 4), (2, 10)])
    assert found(one, other, slack=4) == [Region(0, 13, 2, 15, 3)]
    assert len(found(one, other, slack=1)) == 3


@pytest.mark.parametrize(("here", "there"), [(10, 10), (10, 1), (1, 10), (3, 10)])
def test_a_passage_counts_as_often_as_it_stands_in_both(here, there):
    passage = [100 + index for index in range(20)]

    def document(times, other):
        symbols = np.array([*itertools.chain.from_iterable([*passage, other + index] for index in range(times))])
        return symbol_sequence(symbols, kgrams(symbols.tolist(), 1))

    one, other = document(here, 1000), document(there, 2000)
    assert len(tile_symbols(one, other, K)) == min(here, there)
    regions = tile_symbols(one, other, K, repeats=True)
    assert len({region.a_start for region in regions}) == len(regions) == here


@pytest.mark.parametrize("letters", [2, 3])
def test_many_matches_are_taken_by_length_and_place(letters, rng):
    texts = rng.integers(0, letters, (2, 150)).tolist()
    fingerprints = [kgrams(text, 1) for text in texts]
    sequences = [
        symbol_sequence(np.array(text, np.uint8), each) for text, each in zip(texts, fingerprints, strict=True)
    ]
    anchors = anchor_pairs(fingerprints[0], fingerprints[1], K)
    for repeats in (False, True):
        tiles = [(r.a_start, r.b_start, r.a_end - r.a_start) for r in tile_symbols(*sequences, K, repeats=repeats)]
        assert tiles == plain_tiles(texts[0], texts[1], anchors, K, repeats=repeats)


@pytest.mark.parametrize(("here", "there"), [(32, 32), (32, 33), (40, 30), (30, 40)])
def test_occurrences_of_a_hash_are_paired_by_rank_beyond_1024_pairs(here, there):
    """Each stands before a symbol of its own, which the other document has in reverse order."""

    def document(numbers, separator):
        text = [symbol for number in numbers for symbol in (1, 2, 3, 4, 5, 100 + number, separator)]
        starts = range(0, len(text), K + 2)
        return text, starts, symbol_sequence(np.array(text, np.uint8), selected([(1, at) for at in starts]))

    one, starts, sequence = document(range(here), 10)
    other, other_starts, other_sequence = document(range(there)[::-1], 11)
    expected = [(start, other_start, K + 1) for start, other_start in zip(starts, other_starts[::-1], strict=False)]
    if here * there > 1024:
        ranks = [(starts[at % here], other_starts[at % there], K) for at in range(max(here, there))]
        expected = plain_tiles(one, other, ranks, K)
    tiles = tile_symbols(sequence, other_sequence, K)
    assert [(r.a_start, r.b_start, r.a_end - r.a_start) for r in tiles] == expected


def test_no_memory_is_kept(rng):
    symbols = rng.integers(0, 2, 400)
    sequence = symbol_sequence(symbols, kgrams(symbols.tolist(), 1))
    assert kept_by(lambda: tile_symbols(sequence, sequence, K, repeats=True)) < 100_000


@pytest.mark.parametrize("pattern", ["one", "alternating", "random"])
def test_very_frequent_hashes_take_linear_time(pattern, rng):
    """50,000 times on both sides are 2.5 billion pairs; memory for these is not there."""
    count = 50_000
    hashes = {"one": np.zeros(count), "alternating": np.arange(count) % 2, "random": rng.integers(0, 3, count)}[pattern]
    one = FingerprintSequence(hashes.astype(np.uint64), np.arange(count, dtype=np.uint32) * K)
    regions = found(one, one)
    assert regions == [Region(0, K * count, 0, K * count, count)]
    last = count - K + 1
    anchors = FingerprintSequence(one.hashes[:last], np.arange(last, dtype=np.uint32))
    symbols = symbol_sequence(hashes.astype(np.uint8), anchors)
    backwards = one._replace(hashes=one.hashes[::-1].copy())
    assert tile_symbols(symbols, symbols, K) == [Region(0, count, 0, count, last)]
    assert coverage([region[:2] for region in found(one, backwards)], K * count) > 0.5


def test_anchors_beyond_the_end_are_refused():
    symbols = np.arange(K, dtype=np.uint8)
    good = symbol_sequence(symbols, selected([(1, 0)]))
    for wrong in (selected([(1, 1)]), selected([(1, 0), (2, 7)])):
        with pytest.raises(ValueError, match="beyond"):
            tile_symbols(good, symbol_sequence(symbols, wrong), K)
    with pytest.raises(ValueError, match="differ"):
        symbol_sequence(symbols, selected([(1, 0)]), np.zeros(3, np.uint8))
    empty = symbol_sequence(symbols[:0], selected([]))
    assert tile_symbols(good, empty, K) == tile_symbols(empty, empty, K) == []
