"""K-grams of given symbols or hashes."""

import numpy as np

from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.readers.symbols import Symbols


def kgrams_of(symbols, k, bits=64):
    symbols = np.asarray(symbols)
    symbols = symbols.astype(np.uint8 if not len(symbols) or symbols.max() < 256 else np.uint32)
    source = Symbols(symbols, lambda: np.arange(len(symbols)))
    return KGrams(symbols, k, derive(1, "characters", bits), source)


def kgrams_of_hashes(hashes):
    """K-grams of which only the hashes matter, of one symbol each, as in figure 2 of "Winnowing"."""
    kgrams = KGrams(np.zeros(len(hashes), np.uint8), 1, derive(0, ""))
    kgrams.hashes = hashes
    return kgrams
