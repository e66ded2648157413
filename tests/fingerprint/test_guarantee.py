"""Section 3: no shared passage of t = w + k - 1 symbols is missed, and none shorter than k is seen."""

import numpy as np
import pytest

from fpdb.fingerprint import Recipe

TRIALS = 10_000
SIZES = [(30, 21), (50, 100), (5, 4), (8, 1), (12, 40)]


def random_letters(rng, count, alphabet):
    return "".join(rng.choice(list(alphabet), count))


def hide(rng, passage, alphabet, most):
    """The passage somewhere in random letters, which may be none at either side."""
    before, after = rng.integers(0, most, 2)
    return random_letters(rng, before, alphabet) + passage + random_letters(rng, after, alphabet)


@pytest.mark.parametrize("scheme", ["winnow", "robust-winnow"])
def test_a_shared_passage_of_t_symbols_is_always_found(scheme):
    rng = np.random.default_rng(11)
    for trial in range(TRIALS):
        k, w = SIZES[0] if trial % 2 else SIZES[trial % len(SIZES)]
        recipe = Recipe.preset().with_(k=k, scheme=scheme, w=w)
        shared = random_letters(rng, w + k - 1, "pq" if trial % 10 == 0 else "pqrstuvw")
        first = recipe.fingerprint(hide(rng, shared, "abcdef", 150))
        second = recipe.fingerprint(hide(rng, shared, "ghijkl", 150))
        assert np.intersect1d(first.hashes, second.hashes).size


@pytest.mark.parametrize("scheme", ["winnow", "robust-winnow"])
def test_less_than_k_shared_symbols_are_never_seen(scheme):
    rng = np.random.default_rng(12)
    for trial in range(1_000):
        k, w = SIZES[trial % len(SIZES)]
        recipe = Recipe.preset().with_(k=k, scheme=scheme, w=w)
        passages = [random_letters(rng, k - 1, "pqrstuvw") for _ in range(5)]
        first = recipe.fingerprint("a".join(["", *passages, ""]) + random_letters(rng, 100, "abc"))
        second = recipe.fingerprint("x".join(["", *passages[::-1], ""]) + random_letters(rng, 100, "xyz"))
        assert not np.intersect1d(first.hashes, second.hashes).size
