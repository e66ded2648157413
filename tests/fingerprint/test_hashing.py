"""The rolling hash equals its formula, differs with key and alphabet, and its stored form is uniform."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import Recipe
from fpdb.fingerprint._hashing import hash_kgrams
from fpdb.fingerprint.hashing import KGrams, derive
from tests.fingerprint import oracle


def random_symbols(count, letters=26, seed=5):
    return np.random.default_rng(seed).integers(97, 97 + letters, count, np.uint8)


@given(
    symbols=st.lists(st.integers(1, 300) | st.integers(0x7FE, 0x802) | st.integers(1, 2**32 - 1), max_size=40),
    k=st.integers(1, 50),
    key=st.integers(0, 2**64 - 1),
    alphabet=st.sampled_from(["characters", "tokens", "consonants"]),
    bits=st.integers(16, 64),
)
def test_rolling_hashes_equal_the_formula(symbols, k, key, alphabet, bits):
    kgrams = KGrams(np.array(symbols, np.uint32), k, derive(key, alphabet, bits))
    expected = oracle.hash_kgrams(symbols, k, key, alphabet)
    assert kgrams.hashes.tolist() == expected
    assert len(kgrams) == len(expected)
    stored = kgrams.hashing.stored(kgrams.hashes)
    assert stored.tolist() == [oracle.stored(h, key, alphabet) >> 64 - bits for h in expected]


@given(st.binary(max_size=200), st.integers(1, 20))
def test_narrow_and_wide_symbols_hash_alike(symbols, k):
    narrow = np.frombuffer(symbols, np.uint8)
    rolling = derive(9, "characters").rolling(k)
    wide = narrow.astype(np.uint32)
    assert np.array_equal(hash_kgrams(narrow, rolling), hash_kgrams(wide, rolling))


@given(st.lists(st.integers(0, 2**64 - 1), unique=True))
def test_the_second_mix_is_one_to_one(hashes):
    assert len(set(derive(1, "characters").stored(np.array(hashes, np.uint64)).tolist())) == len(hashes)


def hashes_of(symbols, key, alphabet):
    return np.unique(KGrams(symbols, 30, derive(key, alphabet)).hashes)


def test_another_key_or_alphabet_gives_other_hashes():
    symbols = random_symbols(100_000)
    ours = hashes_of(symbols, 1, "characters")
    assert np.intersect1d(ours, hashes_of(symbols, 1, "characters")).size == ours.size
    assert not np.intersect1d(ours, hashes_of(symbols, 2, "characters")).size
    assert not np.intersect1d(ours, hashes_of(symbols, 1, "tokens")).size


def test_distinct_k_grams_do_not_collide():
    symbols = random_symbols(300_000, letters=2)
    assert len(hashes_of(symbols, 4, "characters")) == len(np.unique(_words(symbols, 30)))


def _words(symbols, k):
    """Return the k-grams over two letters, as numbers of k bits."""
    bits = (symbols - 97).astype(np.uint64)
    last = len(bits) - k
    return sum(bits[place : last + place + 1] << np.uint64(place) for place in range(k))


def chi_square(hashes, shift):
    counts = np.bincount((hashes >> np.uint64(shift)).astype(np.int64) & 255, minlength=256)
    expected = len(hashes) / 256
    return ((counts - expected) ** 2 / expected).sum()


@pytest.mark.parametrize("shift", [0, 8, 24, 40, 56])
@pytest.mark.parametrize("letters", [2, 26])
def test_stored_hashes_are_uniform_though_selected_ones_are_not(shift, letters):
    text = random_symbols(2_000_000, letters).tobytes()
    fingerprints = Recipe.preset("web").fingerprint(text)
    # 255 degrees of freedom: mean 255, standard deviation 22.6.
    assert chi_square(np.unique(fingerprints.hashes), shift) < 255 + 5 * 22.6
    selected = KGrams(np.frombuffer(text, np.uint8), 50, derive(Recipe.preset("web").key, "characters"))
    assert chi_square(selected.hashes, 56) < len(selected) / 50


def test_thue_morse_words_within_the_limit_of_k_are_told_apart():
    bits = [bin(i).count("1") % 2 for i in range(256)]
    word = np.array(bits, np.uint8)
    rolling = derive(1, "characters").rolling(256)
    assert hash_kgrams(word, rolling) != hash_kgrams(1 - word, rolling)
