"""Turn documents into fingerprints: read symbols, hash k-grams, select some by a scheme. No disk."""

from fpdb.fingerprint.distinct import hash_levels
from fpdb.fingerprint.fingerprints import Fingerprints, TextFingerprints, content_digest
from fpdb.fingerprint.hashing import Frequencies
from fpdb.fingerprint.presets import DEFAULT_KEY, PRESETS, Preset
from fpdb.fingerprint.recipe import AUTO, SHORT_TEXT, Recipe
from fpdb.fingerprint.rule import Rule
from fpdb.fingerprint.schemes import SCHEMES, find_scheme
from fpdb.fingerprint.selection import NO_POSITION, WHOLE, Purpose, Scheme
from fpdb.readers import KINDS
from fpdb.readers.symbols import Symbols

__all__ = [
    "AUTO",
    "DEFAULT_KEY",
    "KINDS",
    "NO_POSITION",
    "PRESETS",
    "SCHEMES",
    "SHORT_TEXT",
    "WHOLE",
    "Fingerprints",
    "Frequencies",
    "Preset",
    "Purpose",
    "Recipe",
    "Rule",
    "Scheme",
    "Symbols",
    "TextFingerprints",
    "content_digest",
    "find_scheme",
    "hash_levels",
]
