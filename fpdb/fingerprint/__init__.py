"""Bytes in, arrays out: front-end, k-grams, hashes, scheme. No disk.

Imports nothing of fpdb but its errors.
"""

from fpdb.fingerprint.fingerprints import Fingerprints
from fpdb.fingerprint.frontends import KINDS
from fpdb.fingerprint.recipe import DEFAULT_KEY, PRESETS, Recipe, Rule, content_digest
from fpdb.fingerprint.selection import SCHEMES
from fpdb.fingerprint.symbols import Symbols

__all__ = ["DEFAULT_KEY", "KINDS", "PRESETS", "SCHEMES", "Fingerprints", "Recipe", "Rule", "Symbols", "content_digest"]
