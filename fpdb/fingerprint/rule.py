"""The rule of a recipe for one alphabet: k, and a scheme with its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass

from fpdb.errors import BadRecipe
from fpdb.fingerprint.hashing import K_LIMIT
from fpdb.fingerprint.schemes import find_scheme
from fpdb.fingerprint.selection import Number, Parameter

K = Parameter(1, K_LIMIT, 30, "the length of a k-gram, in symbols")


@dataclass(frozen=True)
class Rule:
    """The rule that selects k-grams of one alphabet: k, the name of a scheme, and its parameters, or defaults."""

    k: int
    scheme: str
    parameters: Mapping[str, Number]

    def __post_init__(self) -> None:
        """Check all fields; may raise BadRecipe."""
        K.check("k", self.k)
        scheme = find_scheme(self.scheme)
        checked = scheme.check(self.scheme, self.parameters)
        if scheme.find_conflict and (conflict := scheme.find_conflict(self.k, **checked)):
            raise BadRecipe(conflict)
        object.__setattr__(self, "parameters", checked)

    def with_(self, k: int | None = None, scheme: str | None = None, /, **parameters: Number) -> "Rule":
        """Return this rule with some values changed; parameters that a new scheme lacks are dropped."""
        name = scheme or self.scheme
        known = find_scheme(name).parameters
        shared = {parameter: value for parameter, value in self.parameters.items() if parameter in known}
        return Rule(self.k if k is None else k, name, shared | parameters)

    def widen(self, window: int) -> Mapping[str, Number]:
        """Return the parameters for a query with a wider window; BadRecipe if it is narrower, or there is none."""
        scheme = find_scheme(self.scheme)
        if scheme.window is None:
            raise BadRecipe(f"scheme {self.scheme!r} has no window to widen; leave the window out")
        if isinstance(window, int) and window < self.parameters[scheme.window]:
            raise BadRecipe(
                f"a query's window may be wider than the recipe's {scheme.window}="
                f"{self.parameters[scheme.window]}, not narrower: {window}"
            )
        checked = scheme.check(self.scheme, {**self.parameters, scheme.window: window})[scheme.window]
        return {**self.parameters, scheme.wider or scheme.window: checked}

    @property
    def window(self) -> int | None:
        """The number of k-grams in a row of which the scheme selects one, or None if it has no such number."""
        name = find_scheme(self.scheme).window
        return None if name is None else int(self.parameters[name])

    @property
    def guarantee(self) -> int | None:
        """The length of the shortest passages that are surely found, in symbols; None for a scheme without window."""
        return None if self.window is None else self.k + self.window - 1

    @property
    def symbols_per_fingerprint(self) -> int | None:
        """The most symbols that equal passages have for each fingerprint that they share; None if it is not known.

        With m shared fingerprints, m at least 1, they have fewer than m + 1 windows one after the other.
        """
        return None if self.window is None or self.guarantee is None else self.guarantee + self.window - 1

    def __str__(self) -> str:
        """Return k, the scheme and its parameters on one line."""
        return " ".join([f"k={self.k}", self.scheme, *(f"{name}={value}" for name, value in self.parameters.items())])
