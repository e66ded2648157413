"""Winnowing selects what Definitions 1 and 3 say, in linear time; the mod-minimizer selects fewer k-grams."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import SCHEMES
from fpdb.fingerprint._hashing import hash_kgrams
from fpdb.fingerprint._winnowing import winnow_hashes, winnow_symbols, winnow_texts
from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.fingerprint.selection import Selection
from fpdb.readers.folding import READER_VERSION, ascii_table
from tests.fingerprint import oracle
from tests.fingerprint.kgrams import RANDOM, density
from tests.memory_kept import kept_by

WINNOWING = ["winnow", "robust-winnow"]
FIGURE_2 = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]


def as_hashes(values):
    return np.array(values, np.uint64)


def select(scheme, hashes, w):
    return Selection(*winnow_hashes(as_hashes(hashes), w, scheme == "robust-winnow"))


def random_symbols(count, letters=26, seed=1):
    return np.random.default_rng(seed).integers(97, 97 + letters, count, np.uint8)


def test_figure_2_of_the_paper():
    positions, hashes, _ = select("winnow", FIGURE_2, 4)
    assert list(zip(hashes, positions, strict=True)) == [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]


def test_robust_winnowing_keeps_what_the_window_to_the_left_selected():
    positions, hashes, _ = select("robust-winnow", [5, 3, 9, 3, 9, 9, 3, 9], 4)
    assert positions.tolist() == [3, 6]
    assert hashes.tolist() == [3, 3]


@pytest.mark.parametrize("scheme", WINNOWING)
@given(
    hashes=st.lists(st.integers(0, 6) | st.sampled_from([2**64 - 1, 2**63]), max_size=80),
    w=st.integers(1, 90),
)
def test_selection_equals_its_definition(scheme, hashes, w):
    positions, selected, _ = select(scheme, hashes, w)
    assert positions.tolist() == oracle.WINNOWING[scheme](hashes, w)
    assert selected.tolist() == [hashes[position] for position in positions]


@pytest.mark.parametrize("robust", [False, True])
@given(
    symbols=st.lists(st.sampled_from([97, 98, 255, 256, 0x1F600]), max_size=120),
    k=st.integers(1, 12),
    w=st.integers(1, 40),
    chunk=st.integers(1, 50),
)
def test_streams_select_what_whole_arrays_do_wherever_chunks_end(robust, symbols, k, w, chunk):
    values, rolling = np.array(symbols, np.uint32), derive(7, "characters").rolling(k)
    hashes = hash_kgrams(values, rolling)
    expected = oracle.WINNOWING[WINNOWING[robust]](hashes.tolist(), w)
    for positions, selected in (
        winnow_symbols(values, rolling, w, robust, chunk),
        winnow_hashes(hashes, w, robust, chunk),
    ):
        assert positions.tolist() == expected
        assert np.array_equal(selected, hashes[positions])


@pytest.mark.parametrize("robust", [False, True])
def test_streams_of_hashes_that_mostly_rise(robust):
    """What the scan of one window has found serves the next ones, also beyond the end of a chunk."""
    rolling, rng = derive(7, "characters").rolling(1), np.random.default_rng(1)
    alphabet = np.arange(1_000, dtype=np.uint32)
    by_hash = alphabet[np.argsort(hash_kgrams(alphabet, rolling))]
    for w in range(3, 40):
        ranks = np.cumsum(rng.choice([1, 2, 3, -4, -9], 300, p=[0.5, 0.2, 0.1, 0.15, 0.05]))
        values = by_hash[ranks - ranks.min()]
        expected = oracle.WINNOWING[WINNOWING[robust]](hash_kgrams(values, rolling).tolist(), w)
        for chunk in range(w, w + 5):
            assert winnow_symbols(values, rolling, w, robust, chunk)[0].tolist() == expected


PATTERNS = {
    "random": random_symbols(7000),
    "two letters": random_symbols(7000, letters=2),
    "one letter": np.full(7000, 97, np.uint8),
    "period 7": np.resize(np.arange(97, 104, dtype=np.uint8), 7000),
    "sensor data": np.where(np.random.default_rng(2).random(7000) < 0.01, 49, 48).astype(np.uint8),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("w", [1, 2, 21, 100, 2047, 2048, 2049, 6971, 6972, 10**6])
def test_long_inputs_equal_the_definitions(pattern, w):
    kgrams = KGrams(PATTERNS[pattern], 30, derive(1, "characters"))
    streamed = {scheme: SCHEMES[scheme].select(kgrams, w=w) for scheme in WINNOWING}
    hashes = kgrams.hashes
    end = min(w, len(hashes))
    minima = np.lib.stride_tricks.sliding_window_view(hashes, end).min(axis=1)
    for scheme in WINNOWING:
        whole = select(scheme, hashes, w)
        assert np.array_equal(whole.positions, streamed[scheme].positions)
        assert np.array_equal(whole.hashes, streamed[scheme].hashes)
        assert np.array_equal(np.unique(whole.hashes), np.unique(minima))
    if w <= 100:
        for scheme in WINNOWING:
            assert streamed[scheme].positions.tolist() == oracle.WINNOWING[scheme](hashes.tolist(), w)


@pytest.mark.parametrize("scheme", WINNOWING)
@given(hashes=st.lists(st.integers(0, 50), max_size=100), w=st.integers(1, 20), more=st.integers(0, 20))
def test_a_wider_window_selects_a_subset(scheme, hashes, w, more):
    wide, narrow = (set(select(scheme, hashes, window).hashes.tolist()) for window in (w + more, w))
    assert wide <= narrow


@pytest.mark.parametrize("scheme", WINNOWING)
def test_fewer_hashes_than_a_window_give_the_rightmost_minimum(scheme):
    assert select(scheme, [9, 4, 7, 4, 8], 6).positions.tolist() == [3]
    assert select(scheme, [], 6).positions.tolist() == []


@pytest.mark.parametrize("w", [5, 50_000])  # many hashes are selected, or a window is large
def test_no_memory_is_kept(w):
    symbols, rolling = random_symbols(60_000), derive(1, "characters").rolling(5)
    hashes, table = hash_kgrams(symbols, rolling), ascii_table(READER_VERSION)
    assert kept_by(lambda: winnow_hashes(hashes, w, True)) < 100_000
    assert kept_by(lambda: winnow_symbols(symbols, rolling, w, True)) < 100_000
    assert kept_by(lambda: winnow_texts([symbols.tobytes()], READER_VERSION, table, rolling, w, True, 1)) < 100_000


@pytest.mark.parametrize("scheme", WINNOWING)
def test_density_on_random_text(scheme):
    kgrams = KGrams(random_symbols(8_000_000), 50, derive(3, "characters"))
    selected = SCHEMES[scheme].select(kgrams, w=100)
    assert len(selected.positions) / len(kgrams) == pytest.approx(2 / 101, rel=0.01)


def test_density_on_a_megabyte_of_one_character():
    kgrams = KGrams(np.full(1_000_000, 97, np.uint8), 50, derive(3, "characters"))
    robust = SCHEMES["robust-winnow"].select(kgrams, w=100)
    assert len(robust.positions) == len(kgrams) // 100
    plain = SCHEMES["winnow"].select(kgrams, w=100)
    assert len(plain.positions) == len(kgrams) - 99


@pytest.mark.parametrize("scheme", WINNOWING)
@pytest.mark.parametrize("order", ["ascending", "descending", "constant", "sawtooth"])
def test_no_input_takes_more_than_linear_time(scheme, order):
    count, w = 400_000, 100_000
    up = np.arange(count, dtype=np.uint64)
    hashes = {"ascending": up, "descending": up[::-1].copy(), "constant": up * 0, "sawtooth": up % (w - 1)}[order]
    began = time.perf_counter()
    select(scheme, hashes, w)
    assert time.perf_counter() - began < 2  # a scan of the window each step would take 3 * 10^10 comparisons


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


@pytest.mark.parametrize("period", [1, 2, 3, 7, 20, 21])
@pytest.mark.parametrize("scheme", ["robust-winnow", "mod-winnow"])
def test_periodic_text_has_few(scheme, period):
    symbols = np.resize(np.arange(97, 97 + period, dtype=np.uint8), 100_000)
    assert density(scheme, symbols, 30, w=21) <= 1 / (21 // period * period) + 0.001
