"""The schemes: which k-grams become fingerprints. One signature, one table.

A scheme is a function of `KGrams` and its parameters, and a row of SCHEMES. Knows nothing of kinds or files.
Source: Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadRecipe
from fpdb.fingerprint import _kernel
from fpdb.fingerprint.hashing import KGrams

Number = int | float


class Selection(NamedTuple):
    """Selected k-grams, in ascending order of position.

    positions: (n,) uint32, index of each one's first symbol. hashes: (n,) uint64, as selection compares them.
    """

    positions: NDArray[np.uint32]
    hashes: NDArray[np.uint64]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme: its type, its range (both ends included) and its default."""

    type: type[int] | type[float]
    least: Number
    most: Number
    default: Number
    about: str

    def check(self, name: str, value: object) -> Number:
        """The value, if it is of the type and in the range; else BadRecipe."""
        accepted = (int, float) if self.type is float else (int,)
        if isinstance(value, bool) or not isinstance(value, accepted):
            raise BadRecipe(f"{name} must be {_article(self.type)}, not {value!r}")
        if not self.least <= value <= self.most:
            raise BadRecipe(f"{name} is {self.about}: from {self.least} to {self.most}, not {value}")
        return self.type(value)


@dataclass(frozen=True)
class Scheme:
    """A row of the table: the function, what its parameters may be, and which one a query may widen."""

    select: Callable[..., Selection]
    about: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    window: str | None = None

    def check(self, name: str, given: Mapping[str, object]) -> dict[str, Number]:
        """All parameters, defaults filled in; BadRecipe for an unknown one or a value out of range."""
        for parameter in given:
            if parameter not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise BadRecipe(f"scheme {name!r} has no parameter {parameter!r}; its parameters: {known}")
        return {
            parameter: row.check(parameter, given.get(parameter, row.default))
            for parameter, row in self.parameters.items()
        }


def _article(of: type) -> str:
    return "a whole number" if of is int else "a number"


def winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Definition 1: in each window of w k-grams the minimum, the rightmost one of several."""
    return _winnow(kgrams, w, robust=False)


def robust_winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Definition 3: ties go to the k-gram that the window one to the left selected, if it can be."""
    return _winnow(kgrams, w, robust=True)


def _winnow(kgrams: KGrams, w: int, robust: bool) -> Selection:
    if kgrams.hashed:
        return Selection(*_kernel.winnow_hashes(kgrams.hashes, w, robust))
    rolling = kgrams.hashing.rolling(kgrams.k)
    return Selection(*_kernel.winnow_symbols(kgrams.symbols, rolling, w, robust))


# The window's limit keeps its buffers to a few megabytes; no document needs a guarantee so wide.
W = Parameter(int, 1, 2**20, 21, "the window, in k-grams")

SCHEMES: Mapping[str, Scheme] = {
    "winnow": Scheme(winnow, "the minimum of each window", {"w": W}, window="w"),
    "robust-winnow": Scheme(robust_winnow, "the minimum of each window, few on repetitive text", {"w": W}, window="w"),
}


def find_scheme(name: str) -> Scheme:
    """The row of that name; BadRecipe if there is none."""
    if name not in SCHEMES:
        raise BadRecipe(f"there is no scheme {name!r}; choose one of: {', '.join(SCHEMES)}")
    return SCHEMES[name]
