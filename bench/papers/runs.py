"""Tally what the winnowing paper's schemes select, by document: densities, and runs without a fingerprint."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import SCHEMES
from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.modular import best_p

K, W, P = 50, 100, 50  # of section 5.1
SAME = 2 * P - 1  # the window with which winnowing is as dense as 0 mod P
LONG = 1000  # runs of at least so many are counted
MOST = 2**16  # longer ones count as this long in `lengths`


class Selector(NamedTuple):
    """A scheme of the table with its parameters, the density that the paper expects of it, and a window.

    window: the one that is guaranteed to hold a fingerprint; for schemes without a guarantee, that of winnowing at the
    same density.
    """

    scheme: str
    parameters: Mapping[str, int]
    density: float
    window: int = W

    def expect(self, count: int) -> float:
        """Return the expected fingerprints of a document of `count` random hashes; its ends differ from its middle."""
        if self.scheme == "mod":
            return count * self.density
        if self.scheme == "safe-mod":
            good = 1 / best_p(W)
            return count * good + max(count - W + 1, 0) * (1 - good) ** W
        return min(count, 1) + max(count - W, 0) * self.density

    def positions(self, kgrams: KGrams) -> NDArray[np.uint32]:
        """Return the positions of the selected k-grams."""
        return SCHEMES[self.scheme].select(kgrams, **self.parameters).positions


MOD = f"0 mod {P}"
SELECTORS: Mapping[str, Selector] = {
    "winnow": Selector("winnow", {"w": W}, 2 / (W + 1)),
    "robust-winnow": Selector("robust-winnow", {"w": W}, 2 / (W + 1)),
    MOD: Selector("mod", {"p": P}, 1 / P, SAME),
    "safe-mod": Selector("safe-mod", {"w": W, "p": 0}, (1 + math.log(W)) / W),
}


@dataclass
class Tally:
    """Sums over documents: the hashes, the fingerprints selected and expected, and runs without a fingerprint.

    lengths: number of runs of each length. place: document and position of the longest run's first k-gram. windows,
    empty: number of windows, and of those without a fingerprint.
    """

    selector: Selector
    hashes: int = 0
    expected: float = 0.0
    selected: int = 0
    longest: int = 0
    place: tuple[str, int] = ("", 0)
    windows: int = 0
    empty: int = 0
    lengths: NDArray[np.int64] = field(default_factory=lambda: np.zeros(MOST + 1, np.int64))

    def add(self, positions: NDArray[np.uint32], count: int, name: str = "") -> None:
        """Count a document of `count` hashes; runs end with it."""
        ends = np.concatenate(([-1], positions.astype(np.int64), [count]))
        runs = np.diff(ends) - 1
        at = int(runs.argmax())
        if runs[at] > self.longest:
            self.longest, self.place = int(runs[at]), (name, int(ends[at]) + 1)
        self.hashes += count
        self.expected += self.selector.expect(count)
        self.selected += len(positions)
        window = self.selector.window
        self.windows += max(count - window + 1, 0)
        self.empty += int(np.maximum(runs - window + 1, 0).sum())
        found = np.bincount(np.minimum(runs, MOST))
        self.lengths[: len(found)] += found

    @property
    def density(self) -> float:
        """Return fingerprints a hash."""
        return self.selected / max(self.hashes, 1)

    @property
    def missed(self) -> float:
        """Return the share of windows without a fingerprint."""
        return self.empty / max(self.windows, 1)

    @property
    def long(self) -> int:
        """Return the number of long runs."""
        return int(self.lengths[LONG:].sum())
