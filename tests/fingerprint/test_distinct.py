"""The distinct sample keeps its bounds, whatever the input, and finds what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import NO_POSITION, Recipe, Rule, hash_levels
from fpdb.fingerprint.distinct import best_s, make_sketch
from fpdb.readers.folding import fold
from tests.fingerprint.kgrams import kgrams_of
from tests.fingerprint.test_schemes import INPUTS, REAL

K, W, DELTA, TRIALS = 10, 150, 0.01, 1_000
FOLDED = fold(REAL).values
letters = st.integers(1, 26).flatmap(lambda last: st.lists(st.integers(1, last), max_size=400))


def size(sketch):
    return len(sketch.sample) + len(sketch.window_frequent) + len(sketch.globally_frequent)


@given(letters, st.integers(K, 200), st.integers(1, 100), st.floats(0.001, 0.5))
def test_the_sample_never_exceeds_s(symbols, guarantee, s, delta):
    kgrams = kgrams_of(symbols, K)
    sketch = make_sketch(kgrams, guarantee, s, delta)
    assert len(sketch.sample) <= s
    assert np.all(hash_levels(kgrams.stored[sketch.sample]) >= sketch.level)


@given(letters, st.integers(K, 200), st.integers(1, 100), st.floats(0.001, 0.5))
def test_the_whole_sketch_never_exceeds_its_total(symbols, guarantee, total, delta):
    assert size(make_sketch(kgrams_of(symbols, K), guarantee, 0, delta, total)) <= total


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("total", [1, 10, 100, 1000, 10**6])
def test_totals_hold_on_all_input(name, total):
    kgrams = kgrams_of(INPUTS[name], K)
    sketch = make_sketch(kgrams, W, 0, DELTA, total)
    assert size(sketch) <= total
    held = np.concatenate([sketch.sample, sketch.window_frequent, sketch.globally_frequent])
    assert len(np.unique(kgrams.stored[held])) == len(held)
    if total >= len(kgrams):
        assert len(held) == len(np.unique(kgrams.stored))


@pytest.mark.parametrize("name", INPUTS)
def test_the_sketch_is_within_the_papers_bound(name):
    """IV.E: O(m sqrt(log(1/delta) / W)); the sample at most s, a window-frequent k-gram at most one in k."""
    kgrams = kgrams_of(INPUTS[name], K)
    s = best_s(len(kgrams), W - K + 1, DELTA)
    assert size(make_sketch(kgrams, W, s, DELTA)) <= 5 * s


def surround(rng, passage, pattern):
    before, after = (make(rng, pattern, int(rng.integers(0, 1500))) for _ in range(2))
    return np.concatenate([before, passage, after])


def make(rng, pattern, length):
    if pattern == "random":
        return rng.integers(97, 123, length, np.uint8)
    if pattern == "periodic":
        return np.resize(rng.integers(97, 123, int(rng.integers(1, 60)), np.uint8), length)
    at = int(rng.integers(0, len(FOLDED) - length))
    return FOLDED[at : at + length]


@pytest.mark.parametrize("sparse", [0, 1])
@pytest.mark.parametrize("pattern", ["random", "periodic", "real"])
def test_a_shared_passage_of_w_symbols_is_found(pattern, sparse):
    """In at least 1 - delta of the trials, however long the two documents are."""
    rng = np.random.default_rng(41)
    recipe = Recipe(1, {"characters": Rule(K, "distinct", {"guarantee": W, "delta": DELTA, "sparse": sparse})})
    found = 0
    for _ in range(TRIALS):
        passage = make(rng, pattern, W)
        stored = recipe.fingerprint(bytes(surround(rng, passage, "random")))
        searched = recipe.fingerprint(bytes(surround(rng, passage, "random")), purpose="search")
        found += not set(stored.hashes.tolist()).isdisjoint(searched.hashes.tolist())
    assert found >= (1 - DELTA) * TRIALS


def test_documents_can_be_compared_at_the_higher_level():
    """Of the k-grams that two documents share, the lower sample's hold the higher one's."""
    rng = np.random.default_rng(42)
    shared = rng.integers(97, 123, 3_000, np.uint8)
    small = bytes(shared)
    large = bytes(np.concatenate([shared, rng.integers(97, 123, 60_000, np.uint8)]))
    recipe = Recipe(1, {"characters": Rule(K, "distinct", {"guarantee": 50_000, "s": 400})})
    first, second = recipe.fingerprint(small), recipe.fingerprint(large)
    assert 0 < first.level < second.level
    higher = first.hashes[hash_levels(first.hashes) >= second.level]
    assert set(higher.tolist()) <= set(second.hashes.tolist())
    assert np.intersect1d(first.hashes, second.hashes).size == higher.size


def test_frequent_k_grams_keep_a_window_or_no_position():
    rng = np.random.default_rng(43)
    header = rng.integers(97, 123, 40, np.uint8)
    parts = [np.concatenate([header, rng.integers(97, 123, 300, np.uint8)]) for _ in range(200)]
    text = bytes(np.concatenate([*parts, np.tile(header, 5)]))
    recipe = Recipe(1, {"characters": Rule(K, "distinct", {"guarantee": 400, "s": 1500})})
    found = recipe.fingerprint(text)
    assert np.count_nonzero(found.positions == NO_POSITION) == 40 - K + 1
    assert np.all(np.diff(found.positions.astype(np.int64)) >= 0)
    assert np.array_equal(found.starts == -1, found.positions == NO_POSITION)


def test_the_sparse_variant_keeps_about_one_a_window():
    rng = np.random.default_rng(44)
    text = bytes(rng.integers(97, 123, 100_000, np.uint8))
    rule = Rule(K, "distinct", {"guarantee": W, "sparse": 1})
    found = Recipe(1, {"characters": rule}).fingerprint(text)
    assert len(found.hashes) <= 2 * len(text) / (W - K + 1) + 2
    assert np.diff(found.positions.astype(np.int64)).max() <= 2 * W
