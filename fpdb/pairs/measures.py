"""The measures of pairs by the hashes that both have: Broder's (1997), and the same with the weights of `rarity`."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, U32, Bools
from fpdb.pairs.compared_set import NO_U32
from fpdb.search.scoring import ratio


class CountedPairs(NamedTuple):
    """Pairs of ranks, a before b in the order of names, with the hashes that they share; arrays of shape (n,).

    weight: what the shared hashes weigh; shape (0,) without weights. score: the measure that pairs are ranked by.
    """

    a: U32
    b: U32
    shared: U32
    weight: F64
    score: F64

    def take(self, indices: NDArray[np.intp] | Bools | slice) -> "CountedPairs":
        """Return the pairs of these indices."""
        weight = self.weight[indices] if len(self.weight) else self.weight
        return CountedPairs(self.a[indices], self.b[indices], self.shared[indices], weight, self.score[indices])

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the pairs of all parts, of which there may be none."""
        none = cls(NO_U32, NO_U32, NO_U32, np.empty(0), np.empty(0))
        return cls(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))


class Measures(NamedTuple):
    """The measures of pairs, without weights or with them; shape (n,)."""

    containment_a: F64
    containment_b: F64
    resemblance: F64

    @classmethod
    def compute(cls, value: F64, sizes: tuple[F64, F64]) -> Self:
        """Compute the measures.

        Args:
            value: The number of shared hashes, or their weight; shape (n,).
            sizes: The number of hashes of both documents, or what they weigh.
        """
        size_a, size_b = sizes
        return cls(ratio(value, size_a), ratio(value, size_b), ratio(value, size_a + size_b - value))

    def times(self, factors: "Measures") -> "Measures":
        """Return the measures, each times its factor."""
        return Measures(*(measure * factor for measure, factor in zip(self, factors, strict=True)))

    def score(self, by: str) -> F64:
        """Return the measure to rank by: the resemblance, the mean of both containments or the larger one."""
        if by.endswith("resemblance"):
            return self.resemblance
        return self.mean if by in ("similarity", "mean_containment") else self.larger

    @property
    def mean(self) -> F64:
        """The mean of both containments."""
        return (self.containment_a + self.containment_b) / 2

    @property
    def larger(self) -> F64:
        """The larger of both containments."""
        return np.maximum(self.containment_a, self.containment_b)


def common_sizes(value: F64, sizes: tuple[F64, F64], shares: tuple[U32, U32]) -> tuple[F64, F64]:
    """Return the sizes of two samples within what both are samples of: that share of the wider one.

    shares: of how much of all their hashes these are a sample, see file_format.WHOLE. The rest as for `Measures`.
    """
    share_a, share_b = (share.astype(np.float64) + 1 for share in shares)
    common = np.minimum(share_a, share_b)
    size_a, size_b = sizes
    return np.maximum(size_a * (common / share_a), value), np.maximum(size_b * (common / share_b), value)
