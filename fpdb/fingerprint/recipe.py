"""Recipe: how documents become fingerprints; fixed when a database is created.

Joins the stages: front-end, k-grams, scheme, stored form. Knows nothing of files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.errors import BadRecipe, MissingKey, UnknownKind, Unreadable
from fpdb.fingerprint import _kernel
from fpdb.fingerprint.fingerprints import Fingerprints
from fpdb.fingerprint.hashing import K_LIMIT, Frequencies, Hashing, KGrams, derive
from fpdb.fingerprint.schemes import find_scheme
from fpdb.fingerprint.selection import NO_POSITION, WHOLE, Number, Purpose
from fpdb.readers import KINDS, find_kind
from fpdb.readers.folding import ASCII_TABLE
from fpdb.readers.kinds import kind_of
from fpdb.readers.symbols import Symbols

# Public on purpose: two databases can be compared if they share a key. Choose another to keep others from
# finding out, or making up, what you hold.
DEFAULT_KEY = 0x6670_6462_2D6B_6579

# Positions are 32-bit, and the highest number is `NO_POSITION`.
SYMBOLS_LIMIT = 2**32 - 1

AUTO = "auto"  # a kind that is told by name and content

HASH_BITS = range(16, 65)


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
        scheme = find_scheme(self.scheme)
        checked = scheme.check(self.scheme, self.parameters)
        wrong = scheme.refuse and scheme.refuse(self.k, **checked)
        if wrong:
            raise BadRecipe(wrong)
        object.__setattr__(self, "parameters", checked)

    def with_(self, k: int | None = None, scheme: str | None = None, /, **parameters: Number | None) -> "Rule":
        """This rule with what is given (not None) changed; parameters that a new scheme lacks are dropped."""
        name = scheme or self.scheme
        known = find_scheme(name).parameters
        kept = {parameter: value for parameter, value in self.parameters.items() if parameter in known}
        given = {parameter: value for parameter, value in parameters.items() if value is not None}
        return Rule(self.k if k is None else k, name, kept | given)

    def widen(self, window: int) -> Mapping[str, Number]:
        """What the scheme takes for a wider window, for a query; else BadRecipe."""
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


@dataclass(frozen=True)
class Recipe:
    """How documents become fingerprints. Recipes that are equal give equal fingerprints.

    key: the hash key, 0 .. 2^64 - 1, which `repr` and errors do not tell; None where it is kept in a file that was not
    given, see `keys`: nothing can be fingerprinted then. rules: one for each alphabet; they also say which alphabet a
    kind is folded to, where its front-end can make several. hash_bits: how wide stored hashes are; narrower ones take
    less room, and meet by chance more often: of q hashes looked up among n stored, about n q / 2^hash_bits. positions:
    whether a fingerprint's position is stored. max_df, max_ignored: what a query uses unless it is told otherwise.
    """

    key: int | None = field(repr=False)
    rules: Mapping[str, Rule]
    hash_bits: int = 64
    positions: bool = True
    max_df: int | None = None
    max_ignored: int | None = None

    def __post_init__(self) -> None:
        if self.key is not None and not _is_whole(self.key, range(2**64)):
            raise BadRecipe("the key must be a whole number from 0 to 2^64 - 1")
        _check_whole("hash_bits", self.hash_bits, HASH_BITS)
        for name in ("max_df", "max_ignored"):
            if getattr(self, name) is not None:
                _check_whole(name, getattr(self, name), range(2**63))
        if not isinstance(self.positions, bool):
            raise BadRecipe(f"positions must be true or false, not {self.positions!r}")
        if not self.rules:
            raise BadRecipe("a recipe needs a rule for at least one alphabet")
        for kind, front_end in KINDS.items():
            chosen = [alphabet for alphabet in front_end.alphabets if alphabet in self.rules]
            if len(chosen) > 1:
                raise BadRecipe(f"{kind!r} documents are read in one alphabet, not in several: {', '.join(chosen)}")

    @classmethod
    def preset(cls, name: str = "text") -> "Recipe":
        """A recipe of `PRESETS`; BadRecipe if there is none of that name."""
        if name not in PRESETS:
            raise BadRecipe(f"there is no preset {name!r}; choose one of: {', '.join(PRESETS)}")
        return PRESETS[name].recipe

    def with_(
        self,
        /,
        *,
        key: int | None = None,
        k: int | None = None,
        scheme: str | None = None,
        hash_bits: int | None = None,
        positions: bool | None = None,
        max_df: int | None = None,
        max_ignored: int | None = None,
        **parameters: Number | None,
    ) -> "Recipe":
        """This recipe with what is given (not None) changed; else BadRecipe.

        Of the rules the first changes, that of the alphabet which the recipe is chiefly for: a length in characters
        means nothing to tokens.
        """
        chief, rule = next(iter(self.rules.items()))
        rules = {**self.rules, chief: rule.with_(k, scheme, **parameters)}
        given: dict[str, Any] = {
            "key": key,
            "hash_bits": hash_bits,
            "positions": positions,
            "max_df": max_df,
            "max_ignored": max_ignored,
        }
        return replace(self, rules=rules, **{name: value for name, value in given.items() if value is not None})

    def to_record(self) -> dict[str, Any]:
        """Plain dicts, strings and numbers, without what is left at its default; `from_record` gives it back."""
        changed = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.default is not MISSING and getattr(self, field.name) != field.default
        }
        return {
            "key": self.key,
            "rules": {
                name: {"k": rule.k, "scheme": rule.scheme, "parameters": dict(rule.parameters)}
                for name, rule in self.rules.items()
            },
            **changed,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Recipe":
        """The recipe of a record; BadRecipe if it is not the record of one."""
        try:
            rules = {str(name): Rule(**rule) for name, rule in record["rules"].items()}
            return cls(**{**record, "rules": rules})
        except (AttributeError, KeyError, TypeError) as error:
            raise BadRecipe(f"this is not the record of a recipe: {error}") from error

    def differences(self, other: "Recipe") -> list[str]:
        """In what this recipe makes other fingerprints than another one, the key aside, each in a few words."""
        found = []
        for name in sorted({*self.rules, *other.rules}):
            rules = self.rules.get(name), other.rules.get(name)
            if rules[0] != rules[1]:
                found.append(f"the rule for {name} ({_rule_text(rules[0])}, not {_rule_text(rules[1])})")
        for field_name in ("hash_bits", "positions"):
            values = getattr(self, field_name), getattr(other, field_name)
            if values[0] != values[1]:
                found.append(f"{field_name} ({values[0]}, not {values[1]})")
        return found

    def rule_for(self, kind: str) -> tuple[str, Rule]:
        """The alphabet in which documents of a kind are read, and its rule; else UnknownKind."""
        alphabets = find_kind(kind).alphabets
        for alphabet in alphabets:
            if alphabet in self.rules:
                return alphabet, self.rules[alphabet]
        raise UnknownKind(f"the recipe has no rule for {' or '.join(alphabets)}, which {kind!r} documents need")

    def measure(self, kind: str) -> str:
        """The measure to rank searches by, one of `match.answers.MEASURES`, unless another is asked for."""
        rule = next(iter(self.rules.values())) if kind == AUTO else self.rule_for(kind)[1]
        return find_scheme(rule.scheme).measure

    def resolve(self, kind: str, content: bytes | str, name: str | None = None) -> str:
        """The kind itself, or what "auto" stands for: told by the name, then by the content; source code is text
        where there is no rule for tokens."""
        if kind != AUTO:
            return kind
        found = kind_of(name, content)
        return "text" if self.rules.keys().isdisjoint(KINDS[found].alphabets) else found

    def fingerprint(
        self,
        content: bytes | str,
        kind: str = "text",
        *,
        purpose: Purpose = "store",
        window: int | None = None,
        rotation: int = 0,
        frequencies: Frequencies | None = None,
        name: str | None = None,
    ) -> Fingerprints:
        """The fingerprints of a document of the given kind, or of the kind it proves to be, for "auto".

        purpose: "store" for what a database keeps, "search" for what it looks up; they differ where a scheme
        stores a part of what it searches with. "discard" is for boilerplate: all k-grams, without positions, so that
        no passage of it is ever selected in another document, whatever stands beside it there. window: a wider one,
        for a query. rotation: which part is stored, 0 .. 2^63 - 1; does not matter to a search. frequencies: given
        stored hashes, in how many documents of a database each is (same shape); used by koala. name: of the file it
        comes from; tells the language of code.
        UnknownKind: no front-end, or no rule for its alphabets. Unreadable: not a document of that kind, or too long.
        MissingPackage: what reads the kind is not installed. MissingKey: see `check_key`. BadRecipe: the window is
        narrower than the recipe's, or the scheme has no window, or nothing to rotate.
        """
        kind = self.resolve(kind, content, name)
        alphabet, rule = self.rule_for(kind)
        if window is not None:
            rule.widen(window)  # refuses one that is narrower before the document is read, as does a missing key
        self.check_key()
        symbols = find_kind(kind).read(content, alphabet, name)
        if len(symbols) >= SYMBOLS_LIMIT:
            raise Unreadable(f"a document may have {SYMBOLS_LIMIT - 1} symbols; this one has {len(symbols)}")
        return self.fingerprint_symbols(
            symbols, kind, purpose=purpose, window=window, rotation=rotation, frequencies=frequencies
        )

    def fingerprint_symbols(
        self,
        symbols: Symbols,
        kind: str,
        *,
        purpose: Purpose = "store",
        window: int | None = None,
        rotation: int = 0,
        frequencies: Frequencies | None = None,
    ) -> Fingerprints:
        """Return the fingerprints of a document of this kind, not "auto", that has been read, see `fingerprint`.

        So a document is read once that is fingerprinted with two windows.
        """
        alphabet, rule = self.rule_for(kind)
        parameters = rule.parameters if window is None else rule.widen(window)
        _check_whole("rotation", rotation, range(2**63))
        hashing = self._hashing(alphabet)
        select = find_scheme(rule.scheme).selector(purpose, rotation)
        if purpose == "discard":
            select, parameters = find_scheme("full").select, {}
        kgrams = KGrams(symbols.values, rule.k, hashing, symbols, frequencies)
        positions, hashes, level = select(kgrams, **parameters)
        stored = hashing.stored(hashes)
        if purpose == "discard" or (purpose == "store" and not self.positions):
            positions = np.full_like(positions, NO_POSITION)
        share = WHOLE if purpose == "discard" else self._share(rule, stored, level)
        return Fingerprints(kind, len(symbols), len(kgrams), stored, positions, symbols.note, symbols, level, share)

    def fingerprint_texts(self, texts: Sequence[bytes | str], *, purpose: Purpose = "store") -> "Texts | None":
        """What `fingerprint` makes of documents of kind "text", in one call: a call for each short one would take
        longer than the work. None where they have to be taken one by one: the scheme is none of the two that select
        the minimum of a window, or the purpose is to discard, or the recipe has no rule for texts.

        Raises MissingKey.
        """
        try:
            alphabet, rule = self.rule_for("text")
        except UnknownKind:
            return None
        robust = {"winnow": False, "robust-winnow": True}.get(rule.scheme)
        if robust is None or alphabet != "characters" or purpose == "discard":
            return None
        hashing = self._hashing(alphabet)
        w = int(rule.parameters["w"])
        positions, hashes, counts = _kernel.winnow_texts(
            list(texts), ASCII_TABLE, hashing.rolling(rule.k), w, robust, hashing.store
        )
        if hashing.bits < 64:
            hashes >>= np.uint64(64 - hashing.bits)
        if purpose == "store" and not self.positions:
            positions.fill(NO_POSITION)
        return Texts(counts[:, 0].tolist(), counts[:, 1].tolist(), rule.k, hashes, positions)

    def kgrams(self, kind: str, symbols: Symbols) -> NDArray[np.uint64]:
        """The stored hashes of all k-grams of a document of this kind, (n,), by the position of their first symbol.
        Raises MissingKey."""
        alphabet, rule = self.rule_for(kind)
        hashing = self._hashing(alphabet)
        return hashing.stored(KGrams(symbols.values, rule.k, hashing, symbols, None).hashes)

    def check_key(self) -> int:
        """The key. Raises MissingKey where nothing can be fingerprinted without it."""
        if self.key is None:
            raise MissingKey(
                "the key of this database is in a file of its own: give it with --key-file or FPDB_KEY_FILE, "
                "or as key_file to fpdb.open"
            )
        return self.key

    def _hashing(self, alphabet: str) -> Hashing:
        return derive(self.check_key(), alphabet, self.hash_bits)

    def _share(self, rule: Rule, stored: NDArray[np.uint64], level: int) -> int:
        """What `Fingerprints.share` says."""
        sampling = find_scheme(rule.scheme).sampling
        if sampling == "level":
            return (WHOLE + 1 >> level) - 1
        if sampling == "least" and len(stored) >= rule.parameters["n"]:
            return int(stored.max()) << 64 - self.hash_bits >> 32
        return WHOLE


def _rule_text(rule: Rule | None) -> str:
    if rule is None:
        return "none"
    return " ".join([f"k={rule.k}", rule.scheme, *(f"{name}={value}" for name, value in rule.parameters.items())])


SHORT = 1 << 16
"""Texts up to this many characters or bytes are fingerprinted together."""


class Texts(NamedTuple):
    """The fingerprints of several texts.

    symbols: of each text, or -1: this one must be given to `Recipe.fingerprint`. counts: how many fingerprints each
    has. hashes, positions: as in `Fingerprints`, of all texts one after the other.
    """

    symbols: list[int]
    counts: list[int]
    k: int
    hashes: NDArray[np.uint64]
    positions: NDArray[np.uint32]

    def kgrams(self, index: int) -> int:
        """How many k-grams the text has."""
        return max(self.symbols[index] - self.k + 1, 0)


def _is_whole(value: object, within: range) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in within


def _check_whole(name: str, value: object, within: range) -> None:
    if not _is_whole(value, within):
        raise BadRecipe(f"{name} must be a whole number from {within.start} to {within.stop - 1}, not {value!r}")


def content_digest(content: bytes | str) -> bytes:
    """16 bytes that stand for the content: xxh3-128; a string counts as its UTF-8, surrogates passed."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return xxhash.xxh3_128_digest(content)


class Preset(NamedTuple):
    """A recipe to start from, and in a line for whom it is."""

    recipe: Recipe
    about: str


_TEXT = Rule(30, "robust-winnow", {"w": 21})

# k: the least length at which modules of Python's library that have nothing to do with each other share less than one
# token k-gram in a hundred (mean: 2.8 at 12, 1.2 at 14, 0.7 at 16, 0.3 at 20). w: so that each shared passage of 23
# tokens is found: six lines of Python.
_CODE = Rule(16, "robust-winnow", {"w": 8})

PRESETS: Mapping[str, Preset] = {
    "text": Preset(
        Recipe(DEFAULT_KEY, {"characters": _TEXT}),
        "essays and articles: every shared passage of 50 letters and digits is found, and where it is",
    ),
    "code": Preset(
        Recipe(DEFAULT_KEY, {"tokens": _CODE, "characters": _TEXT}),
        "programs: every shared passage of 23 tokens is found, whatever its names, comments and layout",
    ),
    "web": Preset(
        # The winnowing paper's experiments (section 5.1).
        Recipe(DEFAULT_KEY, {"characters": Rule(50, "robust-winnow", {"w": 100})}),
        "very many web pages: a quarter of the room, and shared passages of 149 letters and digits are found",
    ),
    "koala": Preset(
        # 1000 looked up among 100 of each of a million documents: 10^11 / 2^38 hits by chance, one in three searches.
        Recipe(
            DEFAULT_KEY,
            {"consonants": Rule(20, "koala", {"search": 1000, "stored": 100, "skip": 1000})},
            hash_bits=38,
            positions=False,
            max_df=4,
            max_ignored=10,
        ),
        "millions of long, noisily converted documents: 100 fingerprints each, to find which are related, not where",
    ),
    "sample": Preset(
        Recipe(DEFAULT_KEY, {"characters": Rule(30, "smallest", {"n": 400})}),
        "near-duplicates of whole documents: 400 fingerprints each, resemblance to within 5%",
    ),
}
