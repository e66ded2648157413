"""Section 3: no shared passage of t = w + k - 1 symbols is missed, and none shorter than k is seen."""

import numpy as np
import pytest

from fpdb.fingerprint import SCHEMES, Recipe
from fpdb.fingerprint.hashing import KGrams, derive
from tests.fingerprint.kgrams import random_letters

TRIALS = 10_000
GUARANTEED = ["winnow", "robust-winnow", "mod-winnow", "safe-mod"]
SIZES = [(30, 21), (50, 100), (5, 4), (8, 1), (12, 40)]


def recipes(scheme):
    return [Recipe.preset().with_(k=k, scheme=scheme, w=w) for k, w in SIZES]


def hide(rng, passages, alphabet, most):
    """Put passages into random letters, possibly none between or around them; return the text and where each begins."""
    *before, after = rng.integers(-most // 4, most, len(passages) + 1).clip(0)
    text, begins = "", []
    for count, passage in zip(before, passages, strict=True):
        text += random_letters(rng, count, alphabet)
        begins.append(len(text))
        text += passage
    return text + random_letters(rng, after, alphabet), begins


def selected_within(found, begins, w):
    """Of each passage the set of the hashes that are selected among its w k-grams."""
    bounds = np.searchsorted(found.positions, np.add.outer(begins, [0, w])).tolist()
    return [set(found.hashes[first:last].tolist()) for first, last in bounds]


@pytest.mark.parametrize(("scheme", "trials"), [(s, 3_000 if s == "safe-mod" else TRIALS) for s in GUARANTEED])
def test_a_shared_passage_of_t_symbols_is_always_found(scheme, trials):
    """A trial is a passage: one alone in two documents, or one of 19, each of which is found by its own hashes."""
    rng = np.random.default_rng(11)
    options, tried = recipes(scheme), 0
    for number in range(trials // 10):
        size = 0 if number % 4 < 2 else number // 4 % len(SIZES)
        k, w = SIZES[size]
        letters = ["pq" if rng.random() < 0.1 else "pqrstuvw" for _ in range(1 if number % 2 else 19)]
        shared = [random_letters(rng, w + k - 1, alphabet) for alphabet in letters]
        both = []
        for alphabet in ("abcdef", "ghijkl"):
            text, begins = hide(rng, shared, alphabet, 150)
            both.append(selected_within(options[size].fingerprint(text), begins, w))
        assert all(one & other for one, other in zip(*both, strict=True))
        tried += len(shared)
    assert tried == trials


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
    options = recipes(scheme)
    for trial in range(1_000):
        k, _ = SIZES[trial % len(SIZES)]
        recipe = options[trial % len(SIZES)]
        passages = [random_letters(rng, k - 1, "pqrstuvw") for _ in range(5)]
        first = recipe.fingerprint("a".join(["", *passages, ""]) + random_letters(rng, 100, "abc"))
        second = recipe.fingerprint("x".join(["", *passages[::-1], ""]) + random_letters(rng, 100, "xyz"))
        assert not np.intersect1d(first.hashes, second.hashes).size
