"""Hashes divisible by p: how many there are, and what they guarantee."""

import math

import numpy as np
import pytest

from fpdb.fingerprint import SCHEMES, Recipe
from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.fingerprint.modular import best_p
from tests.fingerprint.kgrams import RANDOM, density, random_letters


@pytest.mark.parametrize("w", [21, 100])
def test_safe_mod_is_denser_than_winnowing(w):
    """Section 3.1.2: P + (1 - P)^w, which at P = ln w / w is about (1 + ln w) / w."""
    share = 1 / round(w / math.log(w))
    measured = density("safe-mod", RANDOM, 30, w=w)
    assert measured == pytest.approx(share + (1 - share) ** w, rel=0.02)
    assert measured == pytest.approx((1 + math.log(w)) / w, rel=0.07)
    assert measured > 1.9 * 2 / (w + 1)


def test_the_best_p_has_ln_w_good_hashes_in_a_window():
    """Section 3.1.2: their share is ln w / w. In a window of one hash, every hash is Good."""
    assert [best_p(w) for w in (1, 2, 3, 10, 100)] == [1, 3, 3, 4, 22]
    assert all(best_p(w) == round(w / math.log(w)) for w in range(2, 300))


def test_mod_selects_one_in_p():
    assert density("mod", RANDOM, 30, p=50) == pytest.approx(1 / 50, rel=0.02)


def test_mod_gives_no_guarantee():
    """Section 3.1.1: at the density of winnowing, 13.5% of the passages of t symbols have no fingerprint at all."""
    rng = np.random.default_rng(14)
    k, w = 50, 99
    symbols = rng.integers(97, 123, 400_000, np.uint8)
    positions = SCHEMES["mod"].select(KGrams(symbols, k, derive(1, "characters")), p=(w + 1) // 2).positions
    gaps = np.diff(positions.astype(np.int64)) - 1
    missed = np.maximum(gaps - w + 1, 0).sum() / (len(symbols) - k - w)
    assert missed == pytest.approx((1 - 2 / (w + 1)) ** w, rel=0.1)
    assert missed == pytest.approx(0.135, rel=0.1)


def test_mod_selects_of_a_passage_what_it_selects_there_in_the_whole():
    rng = np.random.default_rng(15)
    recipe = Recipe.preset().with_(scheme="mod", k=10, p=5)
    for _ in range(500):
        whole = random_letters(rng, 400, "abcd" if rng.random() < 0.5 else "ab")
        first, last = np.sort(rng.integers(0, 400, 2))
        passage = recipe.fingerprint(whole[first:last])
        assert set(passage.hashes.tolist()) <= set(recipe.fingerprint(whole).hashes.tolist())
