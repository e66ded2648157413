"""Bytes in, arrays out: front-end, k-grams, hashes, scheme. No disk.

Imports nothing of fpdb but its errors.
"""

from fpdb.fingerprint.distinct import levels_of
from fpdb.fingerprint.fingerprints import Fingerprints
from fpdb.fingerprint.hashing import Frequencies
from fpdb.fingerprint.recipe import AUTO, DEFAULT_KEY, PRESETS, SHORT, Preset, Recipe, Rule, Texts, content_digest
from fpdb.fingerprint.schemes import SCHEMES, find_scheme
from fpdb.fingerprint.selection import NO_POSITION, WHOLE, Purpose, Scheme
from fpdb.readers import KINDS
from fpdb.readers.kinds import kind_by_name, kind_of
from fpdb.readers.symbols import Symbols

__all__ = [
    "AUTO",
    "DEFAULT_KEY",
    "KINDS",
    "NO_POSITION",
    "PRESETS",
    "SCHEMES",
    "SHORT",
    "WHOLE",
    "Fingerprints",
    "Frequencies",
    "Preset",
    "Purpose",
    "Recipe",
    "Rule",
    "Scheme",
    "Symbols",
    "Texts",
    "content_digest",
    "find_scheme",
    "kind_by_name",
    "kind_of",
    "levels_of",
]
