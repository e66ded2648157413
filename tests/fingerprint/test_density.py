"""How many k-grams each scheme selects: what the papers reckon on random text, and little on low-entropy text."""

import math

import numpy as np
import pytest

from fpdb.fingerprint import SCHEMES
from fpdb.fingerprint.hashing import KGrams, derive

RANDOM = np.random.default_rng(21).integers(97, 123, 2_000_000, np.uint8)


def density(scheme, symbols, k, **parameters):
    row = SCHEMES[scheme]
    kgrams = KGrams(symbols, k, derive(1, "characters"))
    return len(row.select(kgrams, **row.check(scheme, parameters)).positions) / len(kgrams)


@pytest.mark.parametrize(("k", "w", "expected"), [(30, 21, 0.0699), (23, 17, 0.0857)])
def test_mod_winnow_selects_fewer_than_the_conjectured_bound(k, w, expected):
    """The winnowing paper's conjecture, 2 / (w + 1) for every local algorithm, and the bound of forward schemes."""
    measured = density("mod-winnow", RANDOM, k, w=w)
    assert measured == pytest.approx(expected, rel=0.01)
    assert math.ceil((w + k) / w) / (w + k) < measured < 0.8 * 2 / (w + 1)


@pytest.mark.parametrize(("k", "w", "expected"), [(30, 21, 0.067), (20, 21, 0.072), (50, 100, 0.0166)])
def test_open_and_closed_t_grams_help_where_k_is_small_too(k, w, expected):
    assert density("mod-winnow", RANDOM, k, w=w, s=3) == pytest.approx(expected, rel=0.02)


def test_mod_winnow_is_winnowing_where_k_is_not_above_w():
    symbols = RANDOM[:300_000]
    assert density("mod-winnow", symbols, 20, w=21) == pytest.approx(2 / 22, rel=0.02)


@pytest.mark.parametrize("w", [21, 100])
def test_safe_mod_is_denser_than_winnowing(w):
    """Section 3.1.2: P + (1 - P)^w, which at P = ln w / w is about (1 + ln w) / w."""
    share = 1 / round(w / math.log(w))
    measured = density("safe-mod", RANDOM, 30, w=w)
    assert measured == pytest.approx(share + (1 - share) ** w, rel=0.02)
    assert measured == pytest.approx((1 + math.log(w)) / w, rel=0.07)
    assert measured > 1.9 * 2 / (w + 1)


def test_mod_selects_one_in_p():
    assert density("mod", RANDOM, 30, p=50) == pytest.approx(1 / 50, rel=0.02)


@pytest.mark.parametrize("period", [1, 2, 3, 7, 20, 21])
@pytest.mark.parametrize("scheme", ["robust-winnow", "mod-winnow"])
def test_periodic_text_has_few(scheme, period):
    symbols = np.resize(np.arange(97, 97 + period, dtype=np.uint8), 100_000)
    assert density(scheme, symbols, 30, w=21) <= 1 / (21 // period * period) + 0.001
