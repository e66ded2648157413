"""The scheme koala: search with a thousand rare k-grams, a hundred of which are stored.

Source: Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 3.3 (rotation), 6.1 (rarity), 6.3 (prologs).
"""

import numpy as np

from fpdb.arrays import I64, U64, Indices
from fpdb.fingerprint._hashing import hash_kgrams, remix
from fpdb.fingerprint._sketch import first_occurrences
from fpdb.fingerprint.hashing import GOLDEN, UINT64_MAX, KGrams
from fpdb.fingerprint.sampling import is_first_occurrence, smallest_indices
from fpdb.fingerprint.selection import Selection, select_positions

LETTERS = 5
"""Symbols at the beginning of a k-gram whose frequency tells its rarity."""


def select_stored(kgrams: KGrams, *, search: int, stored: int, skip: int, rotation: int = 0) -> Selection:
    """Select `stored` of the k-grams to search with.

    Rotation 0 selects the rarest: they are the likeliest search fingerprints of a related document (6.1). Any other
    rotation selects the smallest by mix(hash + spread + rotation G), as in `hashing`: subsets that cannot be told
    without the key, and in which related documents of one rotation agree (3.3).
    """
    ranked = rank(kgrams, search, stored, skip)
    if rotation:
        shuffled = remix(kgrams.hashes[ranked], (kgrams.hashing.spread + rotation * GOLDEN) & UINT64_MAX)
        return select_positions(kgrams, ranked[smallest_indices(shuffled, stored)])
    return select_positions(kgrams, ranked[:stored])


def select_search(kgrams: KGrams, *, search: int, stored: int, skip: int) -> Selection:
    """Select the `search` rarest distinct k-grams, whatever the rotation of the stored ones."""
    return select_positions(kgrams, rank(kgrams, search, stored, skip, searching=True))


def rank(kgrams: KGrams, search: int, stored: int, skip: int, *, searching: bool = False) -> Indices:
    """Return the positions of the `search` rarest distinct k-grams, rarest first, each at its first occurrence.

    A k-gram is rare if its first five symbols are rare in the document (6.1); ties go to the smaller hash. With
    `KGrams.frequencies`, it is rare if few documents of the database hold it; one that no document holds is the rarest
    to store, and the last to search with. K-grams that begin in the first `skip` characters of the original are left
    out, unless fewer than `stored` would remain; the paper counts characters of the converted text (6.3).
    """
    begin = kgrams.count_symbols(skip)
    if len(kgrams) - begin < stored:
        begin = 0
    hashes = kgrams.hashes[begin:]
    if kgrams.frequencies is not None:
        distinct = np.flatnonzero(is_first_occurrence(hashes))
        counts = np.array(kgrams.frequencies(kgrams.stored[begin:][distinct]), np.int64)
        if searching:
            counts[counts == 0] = np.iinfo(np.int64).max
    else:
        distinct, counts = _count_beginnings(kgrams, begin, search)
    return begin + distinct[_rarest(counts, hashes[distinct], search)]


def _count_beginnings(kgrams: KGrams, begin: int, search: int) -> tuple[Indices, I64]:
    """Return the distinct k-grams from `begin` on, as indices from there, and the count of each one's beginning.

    K-grams too frequent to be among the `search` rarest may be missing: each beginning has at least one distinct
    k-gram, so the `search` rarest beginnings are enough.
    """
    count = len(kgrams) - begin
    rolling = kgrams.hashing.rolling(min(LETTERS, kgrams.k))
    groups = first_occurrences(hash_kgrams(kgrams.symbols[begin:], rolling))
    sizes = np.bincount(groups)
    beginnings = np.flatnonzero(sizes[:count])
    counts = sizes[groups[:count]]
    if len(beginnings) > search:
        candidates = np.flatnonzero(counts <= np.partition(sizes[beginnings], search - 1)[search - 1])
    else:
        candidates = np.arange(count)
    distinct = candidates[is_first_occurrence(kgrams.hashes[begin:][candidates])]
    return distinct, counts[distinct]


def _rarest(counts: I64, hashes: U64, number: int) -> Indices:
    """Return the indices of the `number` smallest by count, then hash, in that order."""
    chosen = np.arange(len(counts))
    if len(counts) > number:
        limit = np.partition(counts, number - 1)[number - 1]
        below, tied = np.flatnonzero(counts < limit), np.flatnonzero(counts == limit)
        chosen = np.concatenate([below, tied[smallest_indices(hashes[tied], number - len(below))]])
    return chosen[np.lexsort((hashes[chosen], counts[chosen]))]


def find_conflict(_k: int, *, search: int, stored: int, **_: int) -> str | None:
    """Return what is wrong with parameters that are each in their range, or None."""
    return f"stored is a part of search: at most {search}, not {stored}" if stored > search else None
