"""Schemes that select the smallest k-gram of each window: winnow, robust-winnow, mod-winnow.

Sources:
    Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003).
    Groot Koerkamp, Pibiri, "The mod-minimizer: a simple and efficient sampling algorithm for long k-mers" (WABI 2024).
    Groot Koerkamp, Liu, Pibiri, "The open-closed mod-minimizer algorithm" (Algorithms for Molecular Biology, 2025).
"""

import numpy as np

from fpdb.arrays import U64
from fpdb.fingerprint._hashing import hash_kgrams
from fpdb.fingerprint._winnowing import winnow_hashes, winnow_symbols
from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.selection import Selection

CHUNK = 2**14
_HIGH = np.uint64(0xFFFFFFFF00000000)
_HALF = np.uint64(32)


def winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Select the minimum of each window of w k-grams, the rightmost of equal ones ("Winnowing", Definition 1)."""
    return Selection(*winnow_symbols(kgrams.symbols, kgrams.hashing.rolling(kgrams.k), w, robust=False))


def robust_winnow(kgrams: KGrams, *, w: int) -> Selection:
    """Select like `winnow`, but of equal minima the previous window's choice ("Winnowing", Definition 3)."""
    return Selection(*winnow_symbols(kgrams.symbols, kgrams.hashing.rolling(kgrams.k), w, robust=True))


def mod_winnow(kgrams: KGrams, *, w: int, r: int, s: int, wider: int = 0) -> Selection:
    """Select by the mod-minimizer: the smallest t-gram of w + k - 1 symbols, at x, selects the k-gram at x mod w.

    t is the smallest number of at least r (or k) that equals k modulo w. As k - t is then a multiple of w, the k-gram
    at x mod w holds the t-gram that selected it, at a multiple of w symbols from its start. So the scheme is robust
    winnowing with k-grams in another order, that of `mod_order`, and inherits its guarantee and its subsets for wider
    windows (`wider`, 0 for w; the order remains that of w). A t-gram may occur twice in a window; then the k-grams' own
    hashes decide, so that the choice depends on the window's content alone, and only between equal k-grams on the
    previous window.

    s: 0, or the length of the s-grams of the open-closed mod-minimizer (2025), which selects fewer k-grams, even for
    k <= w: the smallest t-grams are then open ones, whose smallest s-gram is in the middle, followed by closed ones,
    where it is the first or the last.
    """
    positions, _ = winnow_hashes(mod_order(kgrams, w, r, s), wider or w, True)
    return Selection(positions, kgrams.hashes[positions])


def mod_order(kgrams: KGrams, w: int, r: int, s: int) -> U64:
    """Return (len(kgrams),) uint64: the smallest of a k-gram's t-grams at multiples of w, then its own hash.

    Of each hash the upper half counts: two different k-grams of a window compare equal once in 2^32 ties.
    """
    t = t_gram_length(kgrams.k, w, r)
    t_grams_per_kgram = (kgrams.k - t) // w + 1
    keys = kgrams.hashes >> _HALF
    for begin in range(0, len(kgrams), CHUNK):
        part = keys[begin : begin + CHUNK]
        symbols = kgrams.symbols[begin : begin + len(part) + kgrams.k - 1]
        t_grams = hash_kgrams(symbols, kgrams.hashing.rolling(t))
        if s:
            t_grams = _order_open_closed(t_grams, hash_kgrams(symbols, kgrams.hashing.rolling(min(s, t))))
        part |= _sliding_minimum(t_grams, t_grams_per_kgram, w) & _HIGH
    return keys


def t_gram_length(k: int, w: int, r: int) -> int:
    """Return t, the length of the substrings that the mod-minimizer compares."""
    r = min(r, k)
    return r + (k - r) % w


def _order_open_closed(t_grams: U64, s_grams: U64) -> U64:
    """Return the hashes of t-grams such that open ones sort first, then closed ones, then the rest."""
    count = len(t_grams)
    last = len(s_grams) - count
    smallest = _sliding_minimum(s_grams, last + 1, 1)
    is_closed = (s_grams[:count] == smallest) | (s_grams[last:] == smallest)
    is_open = s_grams[last // 2 : last // 2 + count] == smallest
    classes = np.where(is_open, np.uint64(0), np.where(is_closed, np.uint64(1), np.uint64(2)))
    return (t_grams >> np.uint64(2)) | (classes << np.uint64(62))


def _sliding_minimum(hashes: U64, count: int, stride: int) -> U64:
    """Return the minimum of hashes[i], hashes[i + stride], ..., `count` of them, for each i where they all exist."""
    covered = 1
    while covered < count:
        step = min(covered, count - covered)
        hashes = np.minimum(hashes[: len(hashes) - step * stride], hashes[step * stride :])
        covered += step
    return hashes
