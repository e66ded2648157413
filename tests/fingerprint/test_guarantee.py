"""Section 3: no shared passage of t = w + k - 1 symbols is missed, and none shorter than k is seen."""

import numpy as np
import pytest

from fpdb.fingerprint import SCHEMES, Recipe
from fpdb.fingerprint.hashing import KGrams, derive

TRIALS = 10_000
GUARANTEED = ["winnow", "robust-winnow", "mod-winnow", "safe-mod"]
SIZES = [(30, 21), (50, 100), (5, 4), (8, 1), (12, 40)]


def random_letters(rng, count, alphabet):
    return "".join(rng.choice(list(alphabet), count))


def hide(rng, passage, alphabet, most):
    """The passage somewhere in random letters, which may be none at either side."""
    before, after = rng.integers(0, most, 2)
    return random_letters(rng, before, alphabet) + passage + random_letters(rng, after, alphabet)


@pytest.mark.parametrize(("scheme", "trials"), [(s, 3_000 if s == "safe-mod" else TRIALS) for s in GUARANTEED])
def test_a_shared_passage_of_t_symbols_is_always_found(scheme, trials):
    rng = np.random.default_rng(11)
    for trial in range(trials):
        k, w = SIZES[0] if trial % 2 else SIZES[trial % len(SIZES)]
        recipe = Recipe.preset().with_(k=k, scheme=scheme, w=w)
        shared = random_letters(rng, w + k - 1, "pq" if trial % 10 == 0 else "pqrstuvw")
        first = recipe.fingerprint(hide(rng, shared, "abcdef", 150))
        second = recipe.fingerprint(hide(rng, shared, "ghijkl", 150))
        assert np.intersect1d(first.hashes, second.hashes).size


@pytest.mark.parametrize("scheme", GUARANTEED)
@pytest.mark.parametrize("pattern", ["two letters", "periodic", "nearly constant"])
def test_ties_do_not_break_the_guarantee(scheme, pattern):
    """The same fingerprint of a passage is selected wherever it lies, in text of the same few letters."""
    rng = np.random.default_rng(13)
    row = SCHEMES[scheme]
    for trial in range(500):
        k, w = (6, 4) if trial % 2 else (9, 7)
        passage = make(rng, pattern, w + k - 1)
        found = []
        for _ in range(2):
            before, after = (make(rng, pattern, int(rng.integers(0, 40))) for _ in range(2))
            kgrams = KGrams(np.concatenate([before, passage, after]), k, derive(1, "characters"))
            options = {"w": w, "s": trial % 3} if scheme == "mod-winnow" else {"w": w}
            positions, hashes, _ = row.select(kgrams, **row.check(scheme, options))
            within = (positions >= len(before)) & (positions < len(before) + w)
            found.append(hashes[within])
        assert np.intersect1d(*found).size


def make(rng, pattern, length):
    if pattern == "two letters":
        return rng.integers(97, 99, length, np.uint8)
    if pattern == "periodic":
        return np.resize(rng.integers(97, 99, int(rng.integers(1, 6)), np.uint8), length)
    return np.where(rng.random(length) < 0.05, 98, 97).astype(np.uint8)


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


@pytest.mark.parametrize("scheme", GUARANTEED)
def test_a_wider_window_selects_a_subset_and_still_guarantees(scheme):
    rng = np.random.default_rng(16)
    for trial in range(500):
        k, w, more = 8, int(rng.integers(1, 12)), int(rng.integers(0, 12))
        recipe = Recipe.preset().with_(scheme=scheme, k=k, w=w)
        letters = "ab" if trial % 2 else "abcdefgh"
        text = random_letters(rng, 300, letters)
        narrow, wide = recipe.fingerprint(text), recipe.fingerprint(text, purpose="search", window=w + more)
        assert set(wide.hashes.tolist()) <= set(narrow.hashes.tolist())
        passage = text[100 : 100 + w + more + k - 1]
        other = recipe.fingerprint(random_letters(rng, 50, "xyz") + passage + random_letters(rng, 50, "xyz"))
        assert np.intersect1d(wide.hashes, other.hashes).size


@pytest.mark.parametrize("scheme", GUARANTEED)
def test_less_than_k_shared_symbols_are_never_seen(scheme):
    rng = np.random.default_rng(12)
    for trial in range(1_000):
        k, w = SIZES[trial % len(SIZES)]
        recipe = Recipe.preset().with_(k=k, scheme=scheme, w=w)
        passages = [random_letters(rng, k - 1, "pqrstuvw") for _ in range(5)]
        first = recipe.fingerprint("a".join(["", *passages, ""]) + random_letters(rng, 100, "abc"))
        second = recipe.fingerprint("x".join(["", *passages[::-1], ""]) + random_letters(rng, 100, "xyz"))
        assert not np.intersect1d(first.hashes, second.hashes).size
