"""K-grams of given symbols or hashes, random symbols, and the density of a selection."""

import numpy as np

from fpdb.fingerprint import SCHEMES
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


RANDOM = np.random.default_rng(21).integers(97, 123, 2_000_000, np.uint8)


def density(scheme, symbols, k, **parameters):
    row = SCHEMES[scheme]
    kgrams = KGrams(symbols, k, derive(1, "characters"))
    return len(row.select(kgrams, **row.check(scheme, parameters)).positions) / len(kgrams)


def random_letters(rng, count, alphabet):
    letters = np.frombuffer(alphabet.encode(), np.uint8)
    return letters[rng.integers(0, len(letters), count)].tobytes().decode()
