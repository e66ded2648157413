"""Measures, random hashes and single matches, for tests of answers."""

import numpy as np

MOST = 2**64 - 1
MEASURES = ("containment", "reverse_containment", "resemblance")
WEIGHTED = ("weighted_containment", "similarity")


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


def only(answer):
    (match,) = answer.matches
    return match
