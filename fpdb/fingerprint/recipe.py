"""Recipe: how documents become fingerprints; fixed when a database is created.

Joins the stages: front-end, k-grams, scheme, stored form. Knows nothing of files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import xxhash

from fpdb.errors import BadRecipe, UnknownKind, Unreadable
from fpdb.fingerprint.fingerprints import Fingerprints
from fpdb.fingerprint.frontends import find_kind
from fpdb.fingerprint.hashing import K_LIMIT, KGrams, derive
from fpdb.fingerprint.selection import Number, find_scheme

# Public on purpose: two databases can be compared if they share a key. Choose another to keep others from
# finding out, or making up, what you hold.
DEFAULT_KEY = 0x6670_6462_2D6B_6579

# Positions are 32-bit, and the highest number is kept free.
SYMBOLS_LIMIT = 2**32 - 1


@dataclass(frozen=True)
class Rule:
    """What one alphabet uses: k, a scheme of `SCHEMES`, and all of its parameters."""

    k: int
    scheme: str
    parameters: Mapping[str, Number]

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int):
            raise BadRecipe(f"k must be a whole number, not {self.k!r}")
        if not 1 <= self.k <= K_LIMIT:
            raise BadRecipe(f"k is the length of a k-gram, in symbols: from 1 to {K_LIMIT}, not {self.k}")
        checked = find_scheme(self.scheme).check(self.scheme, self.parameters)
        object.__setattr__(self, "parameters", checked)

    def with_(self, k: int | None = None, scheme: str | None = None, **parameters: Number | None) -> "Rule":
        """This rule with what is given (not None) changed; parameters that a new scheme lacks are dropped."""
        name = scheme or self.scheme
        known = find_scheme(name).parameters
        kept = {parameter: value for parameter, value in self.parameters.items() if parameter in known}
        given = {parameter: value for parameter, value in parameters.items() if value is not None}
        return Rule(self.k if k is None else k, name, kept | given)

    def widen(self, window: int) -> Mapping[str, Number]:
        """The parameters with a wider window, for a query; else BadRecipe."""
        name = find_scheme(self.scheme).window
        if name is None:
            raise BadRecipe(f"scheme {self.scheme!r} has no window to widen; leave the window out")
        if isinstance(window, int) and window < self.parameters[name]:
            raise BadRecipe(
                f"a query's window may be wider than the recipe's {name}={self.parameters[name]}, "
                f"not narrower: {window}"
            )
        return find_scheme(self.scheme).check(self.scheme, {**self.parameters, name: window})


@dataclass(frozen=True)
class Recipe:
    """A hash key (0 .. 2^64 - 1) and a rule for each alphabet. Recipes that are equal give equal hashes."""

    key: int
    rules: Mapping[str, Rule]

    def __post_init__(self) -> None:
        if isinstance(self.key, bool) or not isinstance(self.key, int) or not 0 <= self.key < 2**64:
            raise BadRecipe(f"the key must be a whole number from 0 to 2^64 - 1, not {self.key!r}")
        if not self.rules:
            raise BadRecipe("a recipe needs a rule for at least one alphabet")

    @classmethod
    def preset(cls, name: str = "text") -> "Recipe":
        """A recipe of `PRESETS`; BadRecipe if there is none of that name."""
        if name not in PRESETS:
            raise BadRecipe(f"there is no preset {name!r}; choose one of: {', '.join(PRESETS)}")
        return PRESETS[name]

    def with_(
        self,
        *,
        key: int | None = None,
        k: int | None = None,
        scheme: str | None = None,
        **parameters: Number | None,
    ) -> "Recipe":
        """This recipe with what is given (not None) changed, in every rule; else BadRecipe."""
        rules = {name: rule.with_(k, scheme, **parameters) for name, rule in self.rules.items()}
        return replace(self, key=self.key if key is None else key, rules=rules)

    def to_record(self) -> dict[str, Any]:
        """Plain dicts, strings and numbers; `from_record` gives an equal recipe back."""
        return {
            "key": self.key,
            "rules": {
                name: {"k": rule.k, "scheme": rule.scheme, "parameters": dict(rule.parameters)}
                for name, rule in self.rules.items()
            },
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Recipe":
        """The recipe of a record; BadRecipe if it is not the record of one."""
        try:
            rules = {str(name): Rule(**rule) for name, rule in record["rules"].items()}
            return cls(**{**record, "rules": rules})
        except (AttributeError, KeyError, TypeError) as error:
            raise BadRecipe(f"this is not the record of a recipe: {error}") from error

    def fingerprint(self, content: bytes | str, kind: str = "text", *, window: int | None = None) -> Fingerprints:
        """The fingerprints of a document of the given kind; `window` is a wider one, for a query.

        UnknownKind: no front-end, or no rule for its alphabet. Unreadable: not a document of that kind, or
        too long. BadRecipe: the window is narrower than the recipe's.
        """
        front_end = find_kind(kind)
        rule = self.rules.get(front_end.alphabet)
        if rule is None:
            raise UnknownKind(f"the recipe has no rule for {front_end.alphabet}, which {kind!r} documents need")
        parameters = rule.parameters if window is None else rule.widen(window)
        symbols = front_end.read(content)
        if len(symbols) >= SYMBOLS_LIMIT:
            raise Unreadable(f"a document may have {SYMBOLS_LIMIT - 1} symbols; this one has {len(symbols)}")
        hashing = derive(self.key, front_end.alphabet)
        kgrams = KGrams(symbols.values, rule.k, hashing)
        positions, hashes = find_scheme(rule.scheme).select(kgrams, **parameters)
        stored = hashing.stored(hashes)
        return Fingerprints(kind, len(symbols), len(kgrams), stored, positions, symbols.note, symbols)


def content_digest(content: bytes | str) -> bytes:
    """16 bytes that stand for the content: xxh3-128; a string counts as its UTF-8, surrogates passed."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return xxhash.xxh3_128_digest(content)


def _preset(k: int, w: int) -> Recipe:
    return Recipe(DEFAULT_KEY, {"characters": Rule(k, "robust-winnow", {"w": w})})


PRESETS: Mapping[str, Recipe] = {
    "text": _preset(k=30, w=21),  # every shared passage of 50 letters and digits is found
    "web": _preset(k=50, w=100),  # the winnowing paper's experiments (section 5.1)
}
