"""Figure 4 of the winnowing paper: frequency of k-grams by rank.

A plateau is all hashes of one frequency. Only its two ends are points, so that the many rare hashes do not outweigh
the rest; a plateau of a single hash is two points, too.
"""

from functools import cached_property

import numpy as np

from fpdb.arrays import F64, U64

MOST = 400  # of the commonest hashes are remembered
NEARBY = 12  # plateaus on each side


class Frequencies:
    """Frequencies of hashes: `frequency` in descending order, and the `number` of hashes that have it.

    common, common_counts: the most common hashes, and how often each occurs.
    """

    def __init__(self, hashes: U64) -> None:
        """Sort the hashes in place, and count them."""
        hashes.sort()
        begins = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
        counts = np.diff(begins, append=len(hashes))
        number = np.bincount(counts)
        self.frequency = np.flatnonzero(number)[::-1]
        self.number = number[self.frequency]
        self.distinct = len(begins)
        self.occurrences = len(hashes)
        top = np.flatnonzero(counts >= np.partition(counts, -MOST)[-MOST] if len(counts) > MOST else counts > 0)
        top = top[np.argsort(-counts[top], kind="stable")]
        self.common, self.common_counts = hashes[begins[top]], counts[top]

    def share(self, frequency: int) -> float:
        """Return the share of distinct hashes with this frequency."""
        return float(self.number[self.frequency == frequency].sum()) / self.distinct

    @cached_property
    def aberrant(self) -> int:
        """Return the index of the aberrant plateau: the longest one relative to those nearby."""
        # How long a plateau is depends on how far apart frequencies are: where they are dense, each has fewer hashes.
        gaps = np.abs(np.gradient(self.frequency.astype(np.float64))) if len(self.number) > 1 else np.ones(1)
        lengths = self.number / gaps
        nearby = [np.median(lengths[max(at - NEARBY, 0) : at + NEARBY + 1]) for at in range(len(lengths))]
        return int(np.argmax(np.where(self.frequency > 1, lengths / nearby, 0)))

    def points(self, *, cleaned: bool) -> tuple[F64, F64]:
        """Return rank and frequency at both ends of each plateau, as log10; if cleaned, without the aberrant one."""
        number, frequency = self.number, self.frequency
        if cleaned:
            number, frequency = np.delete(number, self.aberrant), np.delete(frequency, self.aberrant)
        right = np.cumsum(number)
        ranks = np.stack([right - number + 1, right], axis=1).ravel()
        return np.log10(ranks), np.log10(np.repeat(frequency, 2))

    def slope(self, *, cleaned: bool) -> float:
        """Return the slope of the line fitted to the points."""
        ranks, frequencies = self.points(cleaned=cleaned)
        return float(np.polyfit(ranks, frequencies, 1)[0]) if len(ranks) > 2 else 0.0
