"""Schemes that take the least k-gram of each window: winnow, robust-winnow, mod-winnow.

Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003).
Groot Koerkamp, Pibiri, "The mod-minimizer: a simple and efficient sampling algorithm for long k-mers" (WABI 2024).
Groot Koerkamp, Liu, Pibiri, "The open-closed mod-minimizer algorithm" (Algorithms for Molecular Biology, 2025).
"""

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.selection import Selection

CHUNK = 2**14
_HIGH = np.uint64(0xFFFFFFFF00000000)
_HALF = np.uint64(32)


def winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Definition 1: in each window of w k-grams the minimum, the rightmost one of several."""
    return _winnow(kgrams, w, robust=False)


def robust_winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Definition 3: ties go to the k-gram that the window one to the left selected, if it can be."""
    return _winnow(kgrams, w, robust=True)


def _winnow(kgrams: KGrams, w: int, robust: bool) -> Selection:
    if kgrams.hashed:
        return Selection(*_kernel.winnow_hashes(kgrams.hashes, w, robust))
    rolling = kgrams.hashing.rolling(kgrams.k)
    return Selection(*_kernel.winnow_symbols(kgrams.symbols, rolling, w, robust))


def mod_winnow(kgrams: KGrams, *, w: int, r: int, s: int, wider: int = 0) -> Selection:
    """The mod-minimizer: the smallest t-gram of w + k - 1 symbols, at x, selects the k-gram at x mod w of them.

    t is the least number that is at least r (or k) and k modulo w. As k - t is then a multiple of w, the k-gram at
    x mod w holds the t-gram that selected it, at a multiple of w symbols from its start. So the scheme is
    winnowing with k-grams in another order, by the smallest of their t-grams at multiples of w: see `mod_order`.
    It inherits what winnowing has: the guarantee, a wider window's subset (`wider`, 0 for w: the order stays that of
    w), and robust winnowing's rule for ties. A t-gram may well occur twice in a window; then the k-grams' own
    hashes decide, so that the choice hangs on the window's content alone; only between equal k-grams does the
    window to the left decide, and low-entropy text keeps few.

    s: 0, or the length of the s-grams that make it the open-closed mod-minimizer: smallest are then open t-grams,
    whose smallest s-gram is in the middle, then closed ones, where it is the first or the last. Selects fewer
    where k <= w too.
    """
    positions, _ = _kernel.winnow_hashes(mod_order(kgrams, w, r, s), wider or w, True)
    return Selection(positions, kgrams.hashes[positions])


def mod_order(kgrams: KGrams, w: int, r: int, s: int) -> NDArray[np.uint64]:
    """(len(kgrams),) uint64: the smallest of a k-gram's t-grams at multiples of w, then the k-gram's own hash.

    Of each the upper half: two k-grams of a window compare equal that are not once in 2^32 ties.
    """
    t = shorter(kgrams.k, w, r)
    number = (kgrams.k - t) // w + 1
    keys = kgrams.hashes >> _HALF
    for begin in range(0, len(kgrams), CHUNK):
        part = keys[begin : begin + CHUNK]
        symbols = kgrams.symbols[begin : begin + len(part) + kgrams.k - 1]
        inner = _kernel.hash_kgrams(symbols, kgrams.hashing.rolling(t))
        if s:
            inner = _prefer(inner, _kernel.hash_kgrams(symbols, kgrams.hashing.rolling(min(s, t))))
        part |= _least_of(inner, number, w) & _HIGH
    return keys


def _prefer(inner: NDArray[np.uint64], shortest: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The t-grams' hashes, the open ones before the closed ones, and these before the rest."""
    count = len(inner)
    last = len(shortest) - count
    least = _least_of(shortest, last + 1, 1)
    closed = (shortest[:count] == least) | (shortest[last:] == least)
    is_open = shortest[last // 2 : last // 2 + count] == least
    classes = np.where(is_open, np.uint64(0), np.where(closed, np.uint64(1), np.uint64(2)))
    return (inner >> np.uint64(2)) | (classes << np.uint64(62))


def shorter(k: int, w: int, r: int) -> int:
    """t, the length of what the mod-minimizer compares."""
    r = min(r, k)
    return r + (k - r) % w


def _least_of(hashes: NDArray[np.uint64], number: int, stride: int) -> NDArray[np.uint64]:
    """The least of hashes[i], hashes[i + stride], ..., `number` of them, wherever they all exist."""
    covered = 1
    while covered < number:
        step = min(covered, number - covered)
        hashes = np.minimum(hashes[: len(hashes) - step * stride], hashes[step * stride :])
        covered += step
    return hashes
