"""Schemes that take hashes divisible by p: mod, safe-mod.

Manber, "Finding similar files in a large file system" (USENIX 1994), as in "Winnowing" (SIGMOD 2003), 2.3 and 3.1.
"""

import math

import numpy as np

from fpdb.fingerprint.hashing import KGrams
from fpdb.fingerprint.selection import Selection, pick


def mod(kgrams: KGrams, *, p: int) -> Selection:
    """Section 2.3: the hashes that are 0 mod p. No guarantee; a passage's fingerprints are the whole's."""
    return pick(kgrams, np.flatnonzero(kgrams.hashes % np.uint64(p) == 0))


def safe_mod(kgrams: KGrams, *, w: int, p: int, wider: int = 0) -> Selection:
    """Section 3.1.2: Good hashes, 0 mod p, and Bad ones: if it and the w - 1 hashes to its left are not Good.

    The first w - 1 hashes, which have fewer to their left, are never Bad; fewer than w hashes are one window, whose
    last one is Bad if none of them is Good. p: 0 chooses the best one for w, see `best_p`. wider: a query's window,
    0 for w; p stays that of w.
    """
    hashes = kgrams.hashes
    at = np.arange(len(hashes))
    good = hashes % np.uint64(p or best_p(w)) == 0
    nearest = np.maximum.accumulate(np.where(good, at, -1))
    bad = (at - nearest >= (wider or w)) | ((nearest < 0) & (at == len(hashes) - 1))
    return pick(kgrams, np.flatnonzero(good | bad))


def best_p(w: int) -> int:
    """The p with the least density, (1 + ln w) / w: P0 = ln w / w is the best share of Good hashes."""
    return max(round(w / math.log(w)), 1) if w > 1 else 1
