"""Schemes that select from the whole document: full, smallest, random.

Sources:
    Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996).
    Broder, "On the resemblance and containment of documents" (1997).
"""

import numpy as np
import xxhash

from fpdb.arrays import U64, Bools, Indices
from fpdb.fingerprint._hashing import remix
from fpdb.fingerprint._sketch import first_occurrences
from fpdb.fingerprint.hashing import GOLDEN, KGrams
from fpdb.fingerprint.selection import Selection, select_positions


def full(kgrams: KGrams) -> Selection:
    """Select all k-grams, the standard of comparison (Heintze, 3.1)."""
    return select_positions(kgrams, np.arange(len(kgrams)))


def smallest(kgrams: KGrams, *, n: int) -> Selection:
    """Select the n smallest distinct hashes, each at its first k-gram (Broder; Heintze, 3.2).

    Smallest in stored form, so that the stored hashes are a sketch: the n smallest of the union of two documents are
    among the n smallest of each, and the share of them that both hold estimates resemblance, with an error of about
    1 / sqrt(n).
    """
    positions = np.flatnonzero(is_first_occurrence(kgrams.stored))
    return select_positions(kgrams, positions[smallest_indices(kgrams.stored[positions], n)])


def random_stored(kgrams: KGrams, *, stored: int, **_: int) -> Selection:
    """Select k-grams to store at random (Heintze, 3.4).

    Positions are ranked by a keyed hash of the position and of the whole document's digest. So the choice can be
    repeated, but any change to the document changes all of it; ranked by position alone, documents that begin alike
    would agree. The k-grams to search with are drawn independently, as the paper reckons: a document of l k-grams
    finds stored * search / l of its own.
    """
    return _draw(kgrams, stored, kgrams.hashing.store)


def random_search(kgrams: KGrams, *, search: int, **_: int) -> Selection:
    """Select k-grams to search with at random (Heintze, 3.4)."""
    return _draw(kgrams, search, kgrams.hashing.spread)


def _draw(kgrams: KGrams, count: int, seed: int) -> Selection:
    digest = xxhash.xxh3_64_intdigest(kgrams.symbols.tobytes(), seed=seed)
    ranks = remix(np.arange(len(kgrams), dtype=np.uint64) * np.uint64(GOLDEN), digest)
    return select_positions(kgrams, smallest_indices(ranks, count))


def is_first_occurrence(hashes: U64) -> Bools:
    """Return (n,) bool: True for the first hash of each value."""
    return np.equal(first_occurrences(hashes), np.arange(len(hashes), dtype=np.uint32))


def smallest_indices(values: U64, count: int) -> Indices:
    """Return the indices of the `count` smallest values, in no order; of all values if there are fewer."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, count - 1)[:count]
