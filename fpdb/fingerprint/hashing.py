"""k-grams and their keyed hashes.

Knows nothing of kinds, schemes or recipes. Source: Karp-Rabin in the second form of "Winnowing" (2003), 2.2.

All arithmetic is on unsigned 64-bit integers, modulo 2^64; >> is a logical shift, ^ exclusive or. With

    mix(x):  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
             x = (x ^ (x >> 27)) * 0x94D049BB133111EB
             x ^ (x >> 31)                                          (the finaliser of splitmix64)
    G = 0x9E3779B97F4A7C15

the constants of one alphabet under a recipe's key are

    seed       = XXH3_64 of the alphabet's name (UTF-8) with the key as its seed
    base       = mix(seed + G), its three lowest bits replaced by 101
    spread     = mix(seed + 2 G)
    multiplier = mix(seed + 3 G) | 1
    store      = mix(seed + 4 G)

A symbol c is spread over 64 bits as s(c) = mix(spread + c G). The rolling hash of a k-gram c1 ... ck is

    H = s(c1) base^k + s(c2) base^(k-1) + ... + s(ck) base

so that the next one is (H - s(c1) base^k + s(c(k+1))) base. Two bijections follow. What schemes compare is

    hash = y ^ (y >> 32)   where   y = (H ^ (H >> 32)) * multiplier

and what a database stores is mix(hash + store): winnowing picks minima, whose hashes crowd at the low end,
and the second mix makes them uniform again (section 5.2). A recipe may have fewer bits than 64: then it is the
number that the highest ones make, which keeps the order.

A base of 5 modulo 8 has the longest period there is modulo 2^64. A polynomial hash modulo a power of two has
a known weakness: the Thue-Morse word of 2^n symbols and its complement agree in the lowest n(n + 3) / 2 bits,
whatever the base; in all 64 from n = 10. Hence K_LIMIT: at 256 symbols 20 bits still tell the two apart.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.readers.symbols import Symbols, Values

Frequencies = Callable[[NDArray[np.uint64]], NDArray[np.int64]]

K_LIMIT = 500
GOLDEN = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1


def mix(x: int) -> int:
    """The finaliser of splitmix64, a bijection of the 64-bit integers."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
    return x ^ (x >> 31)


class Hashing(NamedTuple):
    """The constants of one alphabet under one key; see the module's formulas."""

    base: int
    spread: int
    multiplier: int
    store: int
    bits: int = 64

    def stored(self, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The stored form of hashes that a scheme selected: same shape, uint64, below 2 ** bits."""
        mixed = _kernel.remix(hashes, self.store)
        return mixed if self.bits == 64 else mixed >> np.uint64(64 - self.bits)

    def rolling(self, k: int) -> _kernel.Rolling:
        """The kernel's tables for k-grams under these constants."""
        return _rolling(self, k)


@lru_cache(maxsize=64)
def derive(key: int, alphabet: str, bits: int = 64) -> Hashing:
    """The constants for a recipe's key (0 .. 2^64 - 1) and an alphabet's name; bits: how many are stored."""
    seed = xxhash.xxh3_64_intdigest(alphabet.encode(), seed=key)
    base, spread, multiplier, store = (mix((seed + i * GOLDEN) & _MASK) for i in range(1, 5))
    return Hashing(base & ~7 | 5, spread, multiplier | 1, store, bits)


@lru_cache(maxsize=64)
def _rolling(hashing: Hashing, k: int) -> _kernel.Rolling:
    return _kernel.Rolling(k, hashing.base, hashing.spread, hashing.multiplier)


class KGrams:
    """The k-grams of one document: what schemes select from.

    A scheme may look at `symbols` and `k`, or only at `hashes`. Winnowing streams: it does not make `hashes`,
    but uses them if they are there (`hashed`). source: the symbols with the way back to the original.
    frequencies: tells in how many documents of a database each stored hash is, for a scheme that can use it.
    """

    def __init__(
        self,
        symbols: Values,
        k: int,
        hashing: Hashing,
        source: Symbols | None = None,
        frequencies: Frequencies | None = None,
    ) -> None:
        self.symbols = symbols
        self.k = k
        self.hashing = hashing
        self.source = source
        self.frequencies = frequencies
        self._hashes: NDArray[np.uint64] | None = None

    @classmethod
    def of_hashes(cls, hashes: NDArray[np.uint64]) -> "KGrams":
        """k-grams of which only the hashes matter, as in the paper's figure 2: one symbol each."""
        kgrams = cls(np.zeros(len(hashes), np.uint8), 1, derive(0, ""))
        kgrams._hashes = hashes
        return kgrams

    def __len__(self) -> int:
        return max(len(self.symbols) - self.k + 1, 0)

    @property
    def hashed(self) -> bool:
        """Whether the hashes have been made already."""
        return self._hashes is not None

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """(len(self),) uint64: the hash of each k-gram, in the form that selection compares."""
        if self._hashes is None:
            self._hashes = _kernel.hash_kgrams(self.symbols, self.hashing.rolling(self.k))
        return self._hashes

    @cached_property
    def stored(self) -> NDArray[np.uint64]:
        """(len(self),) uint64: the stored form of each hash."""
        return self.hashing.stored(self.hashes)

    def symbols_before(self, characters: int) -> int:
        """How many symbols lie in the first so many characters of the original."""
        if characters <= 0 or self.source is None:
            return min(max(characters, 0), len(self.symbols))
        return int(np.searchsorted(self.source.offsets, characters))
