"""Schemes that look at the whole document: full, smallest, random.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 3.1, 3.2, 3.4;
Broder, "On the resemblance and containment of documents" (1997).
"""

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.fingerprint.hashing import GOLDEN, KGrams
from fpdb.fingerprint.selection import Selection, pick


def full(kgrams: KGrams) -> Selection:
    """Section 3.1: all k-grams, the yardstick of all selections."""
    return pick(kgrams, np.arange(len(kgrams)))


def smallest(kgrams: KGrams, *, n: int) -> Selection:
    """The n smallest distinct hashes, each at its first k-gram.

    Smallest in the stored form, so that what a database holds is a sketch by itself: the n smallest of the union of
    two documents are among the n smallest of each (Broder), and the share of them that both hold estimates
    resemblance, with an error of about 1 / sqrt(n).
    """
    positions = np.flatnonzero(find_distinct(kgrams.stored))
    return pick(kgrams, positions[least(kgrams.stored[positions], n)])


def random_stored(kgrams: KGrams, *, stored: int, **_: int) -> Selection:
    """Section 3.4's strawman: so many k-grams, chosen without regard to what they are.

    Positions are ranked by a keyed hash of the whole document's digest and the position. So the choice can be
    repeated, but any change to the document changes all of it; were it the position alone, documents that begin alike
    would agree. What is stored and what is searched with are drawn apart, as in the paper's reckoning: a document
    of l k-grams finds stored * search / l of its own.
    """
    return _draw(kgrams, stored, kgrams.hashing.store)


def random_search(kgrams: KGrams, *, search: int, **_: int) -> Selection:
    """The other draw, to search with."""
    return _draw(kgrams, search, kgrams.hashing.spread)


def _draw(kgrams: KGrams, number: int, seed: int) -> Selection:
    digest = xxhash.xxh3_64_intdigest(kgrams.symbols.tobytes(), seed=seed)
    places = np.arange(len(kgrams), dtype=np.uint64) * np.uint64(GOLDEN)
    return pick(kgrams, least(_kernel.remix(places, digest), number))


def find_distinct(hashes: NDArray[np.uint64]) -> NDArray[np.bool]:
    """(n,) bool: whether a hash is the first one of its value."""
    return np.equal(_kernel.first_occurrences(hashes), np.arange(len(hashes), dtype=np.uint32))


def least(values: NDArray[np.uint64], number: int) -> NDArray[np.intp]:
    """Indices of the `number` least values, in no order; of all if there are fewer."""
    if len(values) <= number:
        return np.arange(len(values))
    return np.argpartition(values, number - 1)[:number]
