"""Schemes that select hashes divisible by p: mod, safe-mod.

Source: Manber, "Finding similar files in a large file system" (USENIX 1994), as described in Schleimer, Wilkerson,
Aiken, "Winnowing" (SIGMOD 2003), 2.3 and 3.1.
"""

import math

import numpy as np

from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.selection import Selection, select_positions


def mod(kgrams: KGrams, *, p: int) -> Selection:
    """Select the hashes that are 0 mod p ("Winnowing", 2.3), without guarantee."""
    return select_positions(kgrams, np.flatnonzero(kgrams.hashes % np.uint64(p) == 0))


def safe_mod(kgrams: KGrams, *, w: int, p: int, wider: int = 0) -> Selection:
    """Select Good hashes, 0 mod p, and Bad ones, with no Good one among the w - 1 before ("Winnowing", 3.1.2).

    The first w - 1 hashes are never Bad. Fewer than w hashes are one window, whose last hash is Bad if none is Good.
    p: the divisor, 0 for that of `best_p`. wider: a query's window, 0 for w; p remains that of w.
    """
    hashes = kgrams.hashes
    indices = np.arange(len(hashes))
    good = hashes % np.uint64(p or best_p(w)) == 0
    nearest_good = np.maximum.accumulate(np.where(good, indices, -1))
    bad = (indices - nearest_good >= (wider or w)) | ((nearest_good < 0) & (indices == len(hashes) - 1))
    return select_positions(kgrams, np.flatnonzero(good | bad))


def best_p(w: int) -> int:
    """Return the p of lowest density, (1 + ln w) / w: the best share of Good hashes is P0 = ln w / w (3.1.2)."""
    return max(round(w / math.log(w)), 1) if w > 1 else 1
