"""Text for tests of pairs."""

import random


def words(seed, count):
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefghij", k=rng.randint(3, 9))) for _ in range(count))
