"""What a scheme is: a function that selects k-grams, and a row that says what may be asked of it.

One signature: k-grams and parameters in, a `Selection` out. The rows stand in `schemes`. Knows nothing of kinds,
recipes or files.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadRecipe
from fpdb.fingerprint.hashing import KGrams

Number = int | float
Purpose = Literal["store", "search", "discard"]
Sampling = Literal["least", "level"]

# The share of fingerprints that are no sample of the hashes.
WHOLE = 2**32 - 1

# The position of a fingerprint that has none. No document is long enough to reach it.
NO_POSITION = 2**32 - 1


class Selection(NamedTuple):
    """Selected k-grams, in ascending order of position; those without one (`NO_POSITION`) come last.

    positions: (n,) uint32, index of each one's first symbol. hashes: (n,) uint64, as selection compares them.
    level: where they are a distinct sample, the level it has come to; else 0.
    """

    positions: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    level: int = 0


def pick(kgrams: KGrams, positions: NDArray[np.integer]) -> Selection:
    """The selection of the k-grams at some positions, given in any order, each once."""
    ordered = np.sort(positions)
    return Selection(ordered.astype(np.uint32), kgrams.hashes[ordered])


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
    """A row of the table.

    select: selects what is stored. search: selects what a search looks up, where that is not the same.
    parameters: what they may be. window: the one that a query may widen: what is selected then is a subset.
    wider: the keyword that takes it, where the recipe's own window still counts for something else.
    rotates: whether `select` takes `rotation`, the number of a subset of what `search` selects.
    sampling: where what is stored is a sample of the document's hashes that two documents can be compared by: "least",
    the n least in stored form, or "level", those whose stored form ends with so many zeros.
    measure: the one to rank a search by, unless it says otherwise. fixed: whether documents of any length get as many
    fingerprints, without being such a sample.
    refuse: says what is wrong with k and parameters that are each in range; None if nothing is.
    """

    select: Callable[..., Selection]
    about: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    window: str | None = None
    wider: str | None = None
    search: Callable[..., Selection] | None = None
    rotates: bool = False
    sampling: Sampling | None = None
    measure: str = "containment"
    fixed: bool = False
    refuse: Callable[..., str | None] | None = None

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

    def selector(self, purpose: Purpose, rotation: int) -> Callable[..., Selection]:
        """The function that serves the purpose; BadRecipe if the scheme does not rotate, and is asked to."""
        if rotation and not self.rotates:
            raise BadRecipe("only a scheme that stores a part of what it searches with can rotate: koala")
        if purpose == "search":
            return self.search or self.select
        return partial(self.select, rotation=rotation) if rotation else self.select


def _article(of: type) -> str:
    return "a whole number" if of is int else "a number"
