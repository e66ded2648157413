"""Turn documents into fingerprints: read symbols, hash k-grams, select some by a scheme. No disk."""

from fpdb.fingerprint.fingerprints import Fingerprints, TextFingerprints, content_digest
from fpdb.fingerprint.hashing import DEFAULT_KEY, Frequencies
from fpdb.fingerprint.recipe import AUTO, KEY_DIGEST, SHORT_TEXT, Recipe
from fpdb.fingerprint.rule import Rule
from fpdb.fingerprint.schemes import SCHEMES, find_scheme
from fpdb.fingerprint.selection import NO_POSITION, WHOLE, Purpose, Scheme, hash_levels
from fpdb.readers import KINDS
from fpdb.readers.symbols import Symbols

__all__ = [
    "AUTO",
    "DEFAULT_KEY",
    "KEY_DIGEST",
    "KINDS",
    "NO_POSITION",
    "SCHEMES",
    "SHORT_TEXT",
    "WHOLE",
    "Fingerprints",
    "Frequencies",
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
