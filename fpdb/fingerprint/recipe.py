"""Recipe: how documents become fingerprints, fixed when a database is created. Joins reader, k-grams and scheme."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, TypedDict, Unpack

import numpy as np

from fpdb.arrays import U64
from fpdb.errors import BadRecipe, MissingKey, UnknownKind, Unreadable
from fpdb.fingerprint._winnowing import winnow_texts
from fpdb.fingerprint.fingerprints import Fingerprints, TextFingerprints
from fpdb.fingerprint.hashing import DEFAULT_KEY, Frequencies, Hashing, KGrams, derive
from fpdb.fingerprint.rule import Rule
from fpdb.fingerprint.schemes import find_scheme
from fpdb.fingerprint.selection import NO_POSITION, WHOLE, Number, Purpose
from fpdb.options import Measure, PairMeasure
from fpdb.readers import KINDS, find_reader
from fpdb.readers.folding import READER_VERSION, ascii_table
from fpdb.readers.kinds import BINARY_KINDS, detect_kind
from fpdb.readers.symbols import Symbols
from fpdb.validation import check_integer

SYMBOLS_LIMIT = 2**32 - 1  # positions are 32-bit, and the highest number is `NO_POSITION`
AUTO = "auto"
"""The kind that stands for the one detected by a document's name and content."""
KEY_DIGEST = "key_digest"
"""The field that a database's record of a recipe has instead of the key, if that is in a file, see `keys`."""
SHORT_TEXT = 1 << 16
"""Characters or bytes up to which texts are better fingerprinted together, by `Recipe.fingerprint_texts`."""
_ENCODED = (b"\0", b"\x1b$", b"\x1b(I")  # in ASCII bytes that may be UTF-16 or ISO-2022-JP
_NOT_ASCII = b"\xff"  # stands for a text that is not fingerprinted together with others

_NUMBERS = (
    ("hash_bits", 16, 64),
    ("max_df", 0, 2**63 - 1),
    ("max_ignored", 0, 2**63 - 1),
    ("reader_version", 1, READER_VERSION),
)
"""Fields that are numbers, and their range."""
_UNRECORDED = {"reader_version": 1}
"""Fields that records of recipes lacked at first, with what they were."""


class SelectionOptions(TypedDict, total=False):
    """The options of `Recipe.fingerprint_symbols`, for `Recipe.fingerprint`, which passes them on."""

    purpose: Purpose
    window: int | None
    rotation: int
    frequencies: Frequencies | None


@dataclass(frozen=True)
class Recipe:
    """The rules by which documents become fingerprints. Equal recipes give equal fingerprints.

    Attributes:
        key: Hash key, 0 to 2^64 - 1, absent from `repr` and errors; None if its key file was not given, see `keys`.
        rules: A rule for each alphabet. A kind of document is read in the alphabet that has a rule.
        hash_bits: Width of stored hashes, 16 to 64. Narrower ones take less room and collide more often: q hashes
            looked up among n stored ones give about n q / 2^hash_bits hits by chance.
        positions: Whether positions are stored.
        max_df, max_ignored: Defaults of a query's options of these names.
        reader_version: The rules by which documents are read. 1: look-alikes differ, hidden text counts, and so do the
            modifiers and types of declarations, as in databases that were made before version 2; they keep it.
    """

    key: int | None = field(repr=False)
    rules: Mapping[str, Rule]
    hash_bits: int = 64
    positions: bool = True
    max_df: int | None = None
    max_ignored: int | None = None
    reader_version: int = READER_VERSION

    def __post_init__(self) -> None:
        """Check all fields; may raise BadRecipe."""
        if self.key is not None and (type(self.key) is not int or not 0 <= self.key < 2**64):
            raise BadRecipe("the key must be a whole number from 0 to 2^64 - 1")
        for name, minimum, maximum in _NUMBERS:
            if getattr(self, name) is not None or name not in ("max_df", "max_ignored"):
                number = check_integer(getattr(self, name), name, minimum, maximum=maximum, error=BadRecipe)
                object.__setattr__(self, name, number)  # a number of numpy could not be stored
        if not isinstance(self.positions, bool):
            raise BadRecipe(f"positions must be true or false, not {self.positions!r}")
        if not self.rules:
            raise BadRecipe("a recipe needs a rule for at least one alphabet")
        for kind, reader in KINDS.items():
            alphabets = [alphabet for alphabet in reader.alphabets if alphabet in self.rules]
            if len(alphabets) > 1:
                raise BadRecipe(f"{kind!r} documents are read in one alphabet, not in several: {', '.join(alphabets)}")

    @classmethod
    def preset(cls, name: str = "text") -> "Recipe":
        """Return the recipe of a row of `PRESETS`; BadRecipe if there is no such row."""
        from fpdb.fingerprint.presets import PRESETS

        if name not in PRESETS:
            raise BadRecipe(f"there is no preset {name!r}; choose one of: {', '.join(PRESETS)}")
        preset = PRESETS[name]
        return cls(DEFAULT_KEY, preset.rules, **preset.fields)

    def with_(self, /, *, k: int | None = None, scheme: str | None = None, **changes: Number | None) -> "Recipe":
        """Return this recipe with k, scheme, its parameters or fields of the recipe changed; None changes nothing.

        Only the first rule changes, that of the recipe's main alphabet: a length in characters means nothing to tokens.
        BadRecipe if a name is unknown or a value is out of range.
        """
        parameters = {name: value for name, value in changes.items() if value is not None}
        names = {field.name for field in fields(self)} - {"rules"}
        own: dict[str, Any] = {name: parameters.pop(name) for name in names & parameters.keys()}
        alphabet, rule = next(iter(self.rules.items()))
        return replace(self, rules={**self.rules, alphabet: rule.with_(k, scheme, **parameters)}, **own)

    def to_record(self) -> dict[str, Any]:
        """Return plain dicts, strings and numbers for `from_record`, without fields at their defaults of a record."""
        defaults = {field.name: field.default for field in fields(self) if field.default is not MISSING} | _UNRECORDED
        changed = {name: getattr(self, name) for name, value in defaults.items() if getattr(self, name) != value}
        rules = {
            name: {"k": rule.k, "scheme": rule.scheme, "parameters": dict(rule.parameters)}
            for name, rule in self.rules.items()
        }
        return {"key": self.key, "rules": rules, **changed}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Recipe":
        """Return the recipe of a record of `to_record`; BadRecipe if it is none."""
        try:
            rules = {str(name): Rule(**rule) for name, rule in record["rules"].items()}
            return cls(**{**_UNRECORDED, **record, "rules": rules})
        except (AttributeError, KeyError, TypeError) as error:
            raise BadRecipe(f"this is not the record of a recipe: {error}") from error

    def differences(self, other: "Recipe") -> list[str]:
        """Return what makes this recipe's fingerprints differ from another's, the key aside, each in a few words."""
        pairs = [
            (f"the rule for {name}", self.rules.get(name, "none"), other.rules.get(name, "none"))
            for name in sorted({*self.rules, *other.rules})
        ]
        pairs += [
            (name, getattr(self, name), getattr(other, name)) for name in ("hash_bits", "positions", "reader_version")
        ]
        return [f"{name} ({mine}, not {theirs})" for name, mine, theirs in pairs if mine != theirs]

    def rule_for(self, kind: str) -> tuple[str, Rule]:
        """Return the alphabet in which documents of a kind are read, and its rule; UnknownKind if there is none."""
        alphabets = find_reader(kind).alphabets
        for alphabet in alphabets:
            if alphabet in self.rules:
                return alphabet, self.rules[alphabet]
        raise UnknownKind(f"the recipe has no rule for {' or '.join(alphabets)}, which {kind!r} documents need")

    def measure(self, kind: str) -> Measure:
        """Return the default measure that ranks searches by documents of a kind."""
        rule = next(iter(self.rules.values())) if kind == AUTO else self.rule_for(kind)[1]
        measure = find_scheme(rule.scheme).measure
        return "similarity" if measure == "containment" and "tokens" in self.rules else measure

    @property
    def pair_measure(self) -> PairMeasure:
        """The default measure that ranks pairs."""
        return "similarity" if "tokens" in self.rules else "mean_containment"

    def resolve_kind(self, kind: str, content: bytes | str, name: str | None = None) -> str:
        """Return the kind, or for "auto" the detected one; without a rule for tokens, source code is text.

        With one, notebooks are code, from version 2 of the readers on.
        """
        if kind != AUTO:
            return kind
        detected = detect_kind(name, content)
        if isinstance(content, str) and detected in BINARY_KINDS:
            return "text"  # a string was taken out of a binary file already
        if detected == "ipynb" and "tokens" in self.rules and self.reader_version > 1:
            return "ipynb-code"
        return "text" if self.rules.keys().isdisjoint(KINDS[detected].alphabets) else detected

    def fingerprint(
        self,
        content: bytes | str,
        kind: str = AUTO,
        *,
        name: str | None = None,
        encoding: str | None = None,
        **options: Unpack[SelectionOptions],
    ) -> Fingerprints:
        """Return the fingerprints of a document.

        Args:
            content: The document.
            kind: A key of `KINDS`, or "auto" for what name and content say.
            name: Name of the document's file; tells the language of code.
            encoding: That of the bytes of text, code, HTML and LaTeX, such as "cp1252"; by default guessed.
            options: Those of `fingerprint_symbols`.

        Raises:
            UnknownKind: There is no such kind, or no rule for its alphabets.
            Unreadable: The content is not a document of that kind, or too long.
            MissingPackage: The kind's reader needs a package or program that is not installed.
            MissingKey: The key is in a file of its own, which was not given.
            BadRecipe: The window is narrower than the recipe's, or the scheme has no window, or does not rotate.
        """
        kind = self.resolve_kind(kind, content, name)
        alphabet, rule = self.rule_for(kind)
        if (window := options.get("window")) is not None:
            rule.widen(window)  # refuses a narrower window before the document is read, as `check_key` a missing key
        self.check_key()
        symbols = find_reader(kind).read(content, alphabet, name, self.reader_version, encoding)
        if len(symbols) >= SYMBOLS_LIMIT:
            raise Unreadable(f"a document may have {SYMBOLS_LIMIT - 1} symbols; this one has {len(symbols)}")
        return self.fingerprint_symbols(symbols, kind, **options)

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
        """Return the fingerprints of a document that has been read; with two windows, it is read once.

        Args:
            symbols: The document's symbols.
            kind: Its kind, not "auto".
            purpose: "store" selects what a database keeps, "search" what it looks up; they differ if a scheme stores a
                part of what it searches with. "discard" is for boilerplate: all k-grams, without positions, so that no
                passage of it is ever selected in another document, whatever surrounds it there.
            window: A wider window than the recipe's, for a query.
            rotation: Number of the subset that is stored, 0 to 2^63 - 1; irrelevant to a search.
            frequencies: Document frequencies in a database; used by koala.
        """
        alphabet, rule = self.rule_for(kind)
        parameters = rule.parameters if window is None else rule.widen(window)
        check_integer(rotation, "rotation", 0, maximum=2**63 - 1, error=BadRecipe)
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

    def fingerprint_texts(self, texts: Sequence[bytes | str], *, purpose: Purpose = "store") -> TextFingerprints | None:
        """Return what `fingerprint` makes of documents of kind "text", in one call, faster for short texts.

        Returns None if they must be fingerprinted one by one: the scheme is not winnowing, the purpose is to discard,
        or the recipe has no rule for the characters of texts. May raise MissingKey.
        """
        rule = self.rules.get("characters")
        robust = {"winnow": False, "robust-winnow": True}.get(rule.scheme) if rule else None
        if rule is None or robust is None or purpose == "discard":
            return None
        hashing = self._hashing("characters")
        positions, hashes, counts = winnow_texts(
            [_NOT_ASCII if _may_be_encoded(text) else text for text in texts],
            self.reader_version,
            ascii_table(self.reader_version),
            hashing.rolling(rule.k),
            int(rule.parameters["w"]),
            robust,
            hashing.store,
        )
        if hashing.bits < 64:
            hashes >>= np.uint64(64 - hashing.bits)
        if purpose == "store" and not self.positions:
            positions.fill(NO_POSITION)
        return TextFingerprints(counts[:, 0].tolist(), counts[:, 1].tolist(), rule.k, hashes, positions)

    def hash_kgrams(self, kind: str, symbols: Symbols) -> U64:
        """Return the stored hashes of all k-grams of a document of a kind, (n,), by position; may raise MissingKey."""
        alphabet, rule = self.rule_for(kind)
        hashing = self._hashing(alphabet)  # first: it refuses a missing key
        return KGrams(symbols.values, rule.k, hashing).stored

    def check_key(self) -> int:
        """Return the key; MissingKey if it is in a file of its own, which was not given."""
        if self.key is None:
            raise MissingKey(
                "the key of this database is in a file of its own: give it with --key-file or FPDB_KEY_FILE, "
                "or as key_file to fpdb.open"
            )
        return self.key

    def _hashing(self, alphabet: str) -> Hashing:
        return derive(self.check_key(), alphabet, self.hash_bits)

    def _share(self, rule: Rule, stored: U64, level: int) -> int:
        """Return the value of `Fingerprints.share`."""
        sampling = find_scheme(rule.scheme).sampling
        if sampling == "level":
            return (WHOLE + 1 >> level) - 1
        if sampling == "smallest" and len(stored) >= rule.parameters["n"]:
            return int(stored.max()) << 64 - self.hash_bits >> 32
        return WHOLE


def _may_be_encoded(text: bytes | str) -> bool:
    """Return True if ASCII bytes may be of an encoding that the reader of texts has to tell."""
    return isinstance(text, bytes) and any(mark in text for mark in _ENCODED)
