"""The drawing on the page: where the bars of the histogram stand. Knows no HTML."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

BINS: Final = 20
WIDTH, HEIGHT = 640, 160


class Bar(NamedTuple):
    """The number of rows with scores in [low, high), and the rectangle that stands for them."""

    low: str
    high: str
    rows: int
    x: float
    y: float
    width: float
    height: float
    stands_out: bool


def histogram(scores: Sequence[float], fence: float = 1.0) -> list[Bar]:
    """Return bars of equal width from 0 to 1; the last one includes 1, and the highest fills the height.

    fence: see `Distribution`.
    """
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS + 1e-9), BINS - 1)] += 1
    highest, step = max(*counts, 1), WIDTH / BINS
    bars = []
    for index, count in enumerate(counts):
        height = round(max(count / highest * HEIGHT, 2 if count else 0), 1)
        low, high = f"{index / BINS:.2f}", f"{(index + 1) / BINS:.2f}"
        bars.append(
            Bar(low, high, count, index * step + 1, round(HEIGHT - height, 1), step - 2, height, index / BINS >= fence)
        )
    return bars


class Distribution(NamedTuple):
    """A histogram, the median, the score above which rows stand out, and how many do."""

    bars: list[Bar]
    median: float
    fence: float
    outliers: int


def distribution(scores: Sequence[float]) -> Distribution:
    """Return how scores are distributed. Outliers are those of Tukey: 1.5 times the quartiles' distance above."""
    first, median, third = np.quantile(scores, [0.25, 0.5, 0.75]).tolist() if scores else (0.0, 0.0, 0.0)
    fence = third + 1.5 * (third - first)
    outliers = sum(score > fence for score in scores)
    return Distribution(histogram(scores, fence), median, fence, outliers)
