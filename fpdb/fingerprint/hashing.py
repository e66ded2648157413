"""The k-grams of a document and their keyed hashes.

Source: Karp-Rabin in the second form of Schleimer, Wilkerson, Aiken, "Winnowing" (SIGMOD 2003), 2.2.

All arithmetic is on unsigned 64-bit integers, modulo 2^64; >> is a logical shift, ^ exclusive or. Let

    mix(x):  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
             x = (x ^ (x >> 27)) * 0x94D049BB133111EB
             x ^ (x >> 31)                                          (the finaliser of splitmix64)
    G = 0x9E3779B97F4A7C15

The constants of one alphabet under a recipe's key are

    seed       = XXH3_64 of the alphabet's name (UTF-8) with the key as its seed
    base       = mix(seed + G), its three lowest bits replaced by 101
    spread     = mix(seed + 2 G)
    multiplier = mix(seed + 3 G) | 1
    store      = mix(seed + 4 G)

A symbol c is spread over 64 bits as s(c) = mix(spread + c G). The rolling hash of a k-gram c1 ... ck is

    H = s(c1) base^k + s(c2) base^(k-1) + ... + s(ck) base

so that the next k-gram's hash is (H - s(c1) base^k + s(c(k+1))) base. Two bijections follow. Schemes compare

    hash = y ^ (y >> 32)   where   y = (H ^ (H >> 32)) * multiplier

and a database stores mix(hash + store): winnowing selects minima, which crowd at the low end, and the second mix
makes them uniform again (5.2). A recipe with fewer than 64 bits stores the highest ones, which keeps the order.

A base of 5 modulo 8 has the longest period possible modulo 2^64. A polynomial hash modulo a power of two has a known
weakness: the Thue-Morse word of 2^n symbols and its complement agree in the lowest n(n + 3) / 2 bits, whatever the
base; in all 64 from n = 10. Hence K_LIMIT: at 256 symbols 20 bits still distinguish the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import xxhash

from fpdb.arrays import I64, U64
from fpdb.fingerprint._hashing import Rolling, hash_kgrams, remix
from fpdb.readers.symbols import Symbols, Values

Frequencies = Callable[[U64], I64]
"""Maps stored hashes to the number of a database's documents that hold each: same shape."""

# Public on purpose: databases can be compared if they share a key. Another one hides what a database holds.
DEFAULT_KEY = 0x6670_6462_2D6B_6579

K_LIMIT = 500
GOLDEN = 0x9E3779B97F4A7C15
UINT64_MAX = 2**64 - 1


def mix(x: int) -> int:
    """Return the finaliser of splitmix64 of x, a bijection of the 64-bit integers."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & UINT64_MAX
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & UINT64_MAX
    return x ^ (x >> 31)


class Hashing(NamedTuple):
    """The constants of one alphabet under one key, as in the module's formulas; bits: width of stored hashes."""

    base: int
    spread: int
    multiplier: int
    store: int
    bits: int = 64

    def stored(self, hashes: U64) -> U64:
        """Return the stored form of hashes as schemes compare them: same shape, uint64, below 2 ** bits."""
        mixed = remix(hashes, self.store)
        return mixed if self.bits == 64 else mixed >> np.uint64(64 - self.bits)

    def rolling(self, k: int) -> Rolling:
        """Return the kernel's tables for k-grams."""
        return _rolling(self, k)


@lru_cache(maxsize=64)
def derive(key: int, alphabet: str, bits: int = 64) -> Hashing:
    """Return the constants for a recipe's key (0 to 2^64 - 1) and an alphabet's name."""
    seed = xxhash.xxh3_64_intdigest(alphabet.encode(), seed=key)
    base, spread, multiplier, store = (mix((seed + i * GOLDEN) & UINT64_MAX) for i in range(1, 5))
    return Hashing(base & ~7 | 5, spread, multiplier | 1, store, bits)


@lru_cache(maxsize=64)
def _rolling(hashing: Hashing, k: int) -> Rolling:
    return Rolling(k, hashing.base, hashing.spread, hashing.multiplier)


@dataclass(eq=False)
class KGrams:
    """The k-grams of one document, from which schemes select.

    source: the symbols with their offsets. frequencies: document frequencies in a database, for schemes that use them.
    """

    symbols: Values
    k: int
    hashing: Hashing
    source: Symbols | None = None
    frequencies: Frequencies | None = None

    def __len__(self) -> int:
        """Return the number of k-grams."""
        return max(len(self.symbols) - self.k + 1, 0)

    @cached_property
    def hashes(self) -> U64:
        """(len(self),) uint64: the hash of each k-gram, in the form that schemes compare."""
        return hash_kgrams(self.symbols, self.hashing.rolling(self.k))

    @cached_property
    def stored(self) -> U64:
        """(len(self),) uint64: the stored form of each hash."""
        return self.hashing.stored(self.hashes)

    def count_symbols(self, characters: int) -> int:
        """Return the number of symbols in the first `characters` characters of the original."""
        if characters <= 0 or self.source is None:
            return min(max(characters, 0), len(self.symbols))
        return int(np.searchsorted(self.source.offsets, characters))
