"""Made-up prose of words that recur, as those of a language do."""

import numpy as np

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
WORDS = ["".join(letters) for letters in np.random.default_rng(0).choice(LETTERS, (5_000, 6))]


def prose(seed: int, words: int) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))
