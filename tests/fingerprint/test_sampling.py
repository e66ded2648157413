"""Fixed numbers of k-grams: the n smallest estimate resemblance, random ones are of no use."""

import numpy as np
import pytest

from fpdb.fingerprint import SCHEMES, Recipe
from tests.fingerprint.kgrams import kgrams_of_hashes

PAIRS, N = 1_000, 100


def sketch(kgrams):
    return kgrams.hashing.stored(SCHEMES["smallest"].select(kgrams, n=N).hashes)


def test_the_smallest_hashes_estimate_resemblance():
    """Broder: within 3 / sqrt(n), three standard errors, in 99% of pairs."""
    rng = np.random.default_rng(31)
    good = 0
    for _ in range(PAIRS):
        size, common = rng.integers(150, 2_000), rng.random()
        pool = rng.integers(0, 2**64, 2 * size, np.uint64)
        shared = int(size * common)
        a, b = pool[:size], pool[size - shared : 2 * size - shared]
        first, second = (set(sketch(kgrams_of_hashes(hashes.copy())).tolist()) for hashes in (a, b))
        least = set(sorted(first | second)[:N])
        estimate = len(least & first & second) / len(least)
        true = np.intersect1d(a, b).size / np.union1d(a, b).size
        good += abs(estimate - true) <= 3 / np.sqrt(N)
    assert good >= 0.99 * PAIRS


def test_a_sketch_of_the_union_is_made_of_the_sketches():
    rng = np.random.default_rng(32)
    a, b = (rng.integers(0, 2**64, 700, np.uint64) for _ in range(2))
    first, second, both = (sketch(kgrams_of_hashes(hashes)) for hashes in (a, b, np.concatenate([a, b])))
    assert sorted(both.tolist()) == sorted([*first.tolist(), *second.tolist()])[:N]


def test_random_selection_misses_the_document_itself():
    """Koala, section 3.4: of 50,000 k-grams 100 are stored and 1000 searched with; two are expected to meet."""
    rng = np.random.default_rng(33)
    recipe = Recipe.preset().with_(scheme="random", k=20)
    met = []
    for _ in range(100):
        text = bytes(rng.integers(97, 123, 50_019, np.uint8))
        stored, searched = recipe.fingerprint(text), recipe.fingerprint(text, purpose="search")
        assert (len(stored.hashes), len(searched.hashes)) == (100, 1000)
        assert recipe.fingerprint(text).positions.tolist() == stored.positions.tolist()
        met.append(np.intersect1d(stored.hashes, searched.hashes).size)
    assert np.mean(met) == pytest.approx(2, abs=0.5)
