"""The scheme koala: a thousand rare k-grams to search with, a hundred of them stored.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 3.3 (sizes, rotation), 6.1 (rarity), 6.3 (prologs).
"""

import numpy as np
from numpy.typing import NDArray

from fpdb.fingerprint import _kernel
from fpdb.fingerprint.hashing import GOLDEN, KGrams
from fpdb.fingerprint.sampling import find_distinct, least
from fpdb.fingerprint.selection import Selection, pick

LETTERS = 5
_MASK = 2**64 - 1


def select_stored(kgrams: KGrams, *, search: int, stored: int, skip: int, rotation: int = 0) -> Selection:
    """Some `stored` of what a search would take: the rarest ones, or another subset for another `rotation`.

    Rotation 0 takes the rarest: those are the likeliest to be among the search fingerprints of a document that is
    related but not the same (6.1). Any other takes the least by mix(hash + spread + rotation G), in the words of
    `hashing`: subsets that cannot be told without the key, and in which related documents of one rotation agree.
    """
    ranked = rank(kgrams, search, stored, skip)
    if rotation:
        shuffled = _kernel.remix(kgrams.hashes[ranked], (kgrams.hashing.spread + rotation * GOLDEN) & _MASK)
        return pick(kgrams, ranked[least(shuffled, stored)])
    return pick(kgrams, ranked[:stored])


def select_search(kgrams: KGrams, *, search: int, stored: int, skip: int) -> Selection:
    """The `search` rarest distinct k-grams, whatever the rotation of those that are stored."""
    return pick(kgrams, rank(kgrams, search, stored, skip, searching=True))


def rank(kgrams: KGrams, search: int, stored: int, skip: int, *, searching: bool = False) -> NDArray[np.intp]:
    """Positions of the `search` rarest distinct k-grams, the rarest first, each at its first occurrence.

    Rare is one whose first five symbols are few in the document; ties go to the lesser hash. With the frequencies of
    a database (`KGrams.frequencies`) rare is one that few documents hold; one that none holds is the rarest to store,
    and the last to search with. K-grams that begin within the first `skip`
    characters are left out. Characters of the original, whether symbols or not: the paper counts those of the
    converted text (6.3). Where that would leave fewer than `stored`, there is no prolog and nothing is left out.
    """
    begin = kgrams.symbols_before(skip)
    if len(kgrams) - begin < stored:
        begin = 0
    hashes = kgrams.hashes[begin:]
    if kgrams.frequencies is not None:
        distinct = np.flatnonzero(find_distinct(hashes))
        counts = np.array(kgrams.frequencies(kgrams.stored[begin:][distinct]), np.int64)
        if searching:
            counts[counts == 0] = np.iinfo(np.int64).max
    else:
        distinct, counts = _count_beginnings(kgrams, begin, search)
    return begin + distinct[_rarest(counts, hashes[distinct], search)]


def _count_beginnings(kgrams: KGrams, begin: int, search: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The distinct k-grams from `begin` on, as places from there; how often the first five symbols of each occur.

    Those too frequent to be among the `search` rarest may be missing: each five symbols that a k-gram begins with
    begin at least one, so as many of the rarest of them are enough.
    """
    count = len(kgrams) - begin
    rolling = kgrams.hashing.rolling(min(LETTERS, kgrams.k))
    groups = _kernel.first_occurrences(_kernel.hash_kgrams(kgrams.symbols[begin:], rolling))
    sizes = np.bincount(groups)
    beginnings = np.flatnonzero(sizes[:count])
    counts = sizes[groups[:count]]
    if len(beginnings) > search:
        near = np.flatnonzero(counts <= np.partition(sizes[beginnings], search - 1)[search - 1])
    else:
        near = np.arange(count)
    near = near[find_distinct(kgrams.hashes[begin:][near])]
    return near, counts[near]


def _rarest(counts: NDArray[np.int64], hashes: NDArray[np.uint64], number: int) -> NDArray[np.intp]:
    """Indices of the `number` least by count, then hash, in that order."""
    chosen = np.arange(len(counts))
    if len(counts) > number:
        limit = np.partition(counts, number - 1)[number - 1]
        below, tied = np.flatnonzero(counts < limit), np.flatnonzero(counts == limit)
        chosen = np.concatenate([below, tied[least(hashes[tied], number - len(below))]])
    return chosen[np.lexsort((hashes[chosen], counts[chosen]))]


def refuse(_k: int, *, search: int, stored: int, **_: int) -> str | None:
    """What is wrong with a recipe's numbers."""
    return f"stored is a part of search: at most {search}, not {stored}" if stored > search else None
