"""Made-up text for documents."""

import numpy as np


def prose(seed: int, words: int = 400) -> str:
    """Words of no meaning, the same for the same seed, about 6 letters each."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(ord("a"), ord("z") + 1, (words, 9), np.uint8)
    return " ".join(
        row.tobytes().decode()[:size] for row, size in zip(letters, rng.integers(3, 10, words), strict=True)
    )


def lines(seed: int, count: int) -> str:
    """Lines of eight words each."""
    return "\n".join(prose(100 * seed + at, 8) for at in range(count))
