"""Define a scheme: a function that selects k-grams, and the row that describes it in the table of `schemes`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U8, U32, U64
from fpdb.errors import BadRecipe
from fpdb.fingerprint.hashing import KGrams
from fpdb.options import Measure

Number = int | float
Purpose = Literal["store", "search", "discard"]
Sampling = Literal["smallest", "level"]

WHOLE = 2**32 - 1
"""The share of fingerprints that are no sample of the hashes."""

NO_POSITION = 2**32 - 1
"""The position of a fingerprint that has none; beyond that of any symbol."""


class Selection(NamedTuple):
    """Selected k-grams in ascending order of position; those without one (`NO_POSITION`) come last.

    positions: (n,) uint32, index of each k-gram's first symbol. hashes: (n,) uint64, in the form that schemes compare.
    level: that of a distinct sample; else 0.
    """

    positions: U32
    hashes: U64
    level: int = 0


def select_positions(kgrams: KGrams, positions: NDArray[np.integer]) -> Selection:
    """Return the selection of the k-grams at distinct positions, which may be in any order."""
    ordered = np.sort(positions)
    return Selection(ordered.astype(np.uint32), kgrams.hashes[ordered])


def hash_levels(stored: U64) -> U8:
    """Return the level of each stored hash: the number of zeros it ends with, 64 for 0 (III.A)."""
    return np.bitwise_count((stored & (~stored + np.uint64(1))) - np.uint64(1))


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme: its range (both ends included), its default, whose type counts, and its meaning."""

    minimum: Number
    maximum: Number
    default: Number
    about: str

    def check(self, name: str, value: object) -> Number:
        """Return the value if it is of the type and in the range; else raise BadRecipe."""
        is_integer = isinstance(self.default, int)
        if isinstance(value, bool) or not isinstance(value, int if is_integer else int | float):
            raise BadRecipe(f"{name} must be {'a whole number' if is_integer else 'a number'}, not {value!r}")
        if not self.minimum <= value <= self.maximum:
            raise BadRecipe(f"{name} is {self.about}: from {self.minimum} to {self.maximum}, not {value}")
        return type(self.default)(value)


@dataclass(frozen=True)
class Scheme:
    """A row of the table of schemes.

    Attributes:
        select: Selects the k-grams to store, and to search with unless there is `search`.
        about: A phrase on what it selects.
        parameters: The parameters by name.
        window: The parameter that a query may increase: it then selects a subset.
        wider: The keyword that takes the increased window if `window` itself still determines the order of k-grams.
        search: Selects the k-grams to search with.
        rotates: Whether `select` takes `rotation`, the number of a subset of what `search` selects.
        sampling: Set if the stored hashes are a sample by which two documents can be compared: the "smallest" ones in
            stored form, or those of a "level", whose stored form ends with so many zeros.
        measure: The default measure that ranks a search.
        fixed_size: Whether documents of any length get the same number of fingerprints, without `sampling`.
        find_conflict: Takes k and the parameters, each in its range, and returns what is wrong with them, or None.
    """

    select: Callable[..., Selection]
    about: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    window: str | None = None
    wider: str | None = None
    search: Callable[..., Selection] | None = None
    rotates: bool = False
    sampling: Sampling | None = None
    measure: Measure = "containment"
    fixed_size: bool = False
    find_conflict: Callable[..., str | None] | None = None

    def check(self, name: str, given: Mapping[str, object]) -> dict[str, Number]:
        """Return all parameters with defaults filled in; BadRecipe if one is unknown or out of range."""
        for parameter in given:
            if parameter not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise BadRecipe(f"scheme {name!r} has no parameter {parameter!r}; its parameters: {known}")
        return {
            parameter: row.check(parameter, given.get(parameter, row.default))
            for parameter, row in self.parameters.items()
        }

    def selector(self, purpose: Purpose, rotation: int) -> Callable[..., Selection]:
        """Return the function that selects for a purpose; BadRecipe if the scheme cannot rotate."""
        if rotation and not self.rotates:
            raise BadRecipe("only a scheme that stores a part of what it searches with can rotate: koala")
        if purpose == "search":
            return self.search or self.select
        return partial(self.select, rotation=rotation) if rotation else self.select
