"""Tiling: the passages that two documents have in common, one to one.

1. A match is the longest sequence of equal symbols around a shared fingerprint.
2. Tiles are chosen greedily, as in Wise's greedy string tiling (1993), with fingerprints in place of all substrings
   (Karp and Rabin's matching): the longest match first, ties by position; of a match that is partly taken, the free
   parts of k symbols or more remain. So no symbol is in two tiles, and a passage that repeats in one document only
   counts once.
3. If only positions of fingerprints are known, these are the symbols: a match is a sequence of shared fingerprints that
   are consecutive in both documents (MOSS: the winnowing paper, section 5.2), and becomes a region from the first
   symbol of its first k-gram to the last symbol of its last one.

Of a hash that occurs very often in both documents, only occurrences of equal rank are paired, so that time and memory
are in proportion to the fingerprints.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U8, U64
from fpdb.regions._tiling import SymbolSequence, tile
from fpdb.regions.region import Region

NO_HASHES: U64 = np.empty(0, np.uint64)
NO_PLACES: I64 = np.empty(0, np.int64)
NO_BARS: U8 = np.empty(0, np.uint8)


class FingerprintSequence(NamedTuple):
    """The fingerprints of a document.

    Attributes:
        hashes: In stored form; shape (n,).
        positions: In symbols, ascending; shape (n,).
        complete: True if these are all fingerprints that were selected, so that neighbours are consecutive; False if
            they are only the shared ones.
    """

    hashes: U64
    positions: NDArray[np.integer]
    complete: bool = True


def symbol_sequence(
    symbols: NDArray[np.integer], fingerprints: FingerprintSequence, barred: U8 = NO_BARS
) -> SymbolSequence:
    """Return a document's symbols, prepared for `tile_symbols`.

    Args:
        symbols: Shape (n,).
        fingerprints: Those that count: matches are looked for around them.
        barred: 1 for a symbol that no match is extended to; shape (n,), or (0,) if none is.
    """
    values = np.ascontiguousarray(symbols, np.uint32)
    return SymbolSequence(values, fingerprints.hashes, fingerprints.positions.astype(np.int64), barred, NO_PLACES)


def tile_symbols(a: SymbolSequence, b: SymbolSequence, k: int, *, repeats: bool = False) -> list[Region]:
    """Return the regions of two documents, disjoint in both, in order of a.

    Args:
        a: A document's symbols.
        b: Another one's.
        k: The symbols of a fingerprint's k-gram, and the fewest of a region.
        repeats: Regions may overlap in b: whatever of a occurs in b is in a region.
    """
    return [Region(i, i + length, j, j + length, shared) for i, j, length, shared in tile(a, b, k, 0, repeats).tolist()]


def tile_fingerprints(
    a: FingerprintSequence, b: FingerprintSequence, shared: U64, k: int, slack: int, *, repeats: bool = False
) -> list[Region]:
    """Return the regions of two documents by the positions of their fingerprints, disjoint in both, in order of a.

    Args:
        a: The fingerprints of document a.
        b: The fingerprints of document b.
        shared: The hashes that count, sorted, distinct. Other fingerprints only interrupt matches.
        k: The number of symbols of a k-gram.
        slack: Consecutive fingerprints do not join if their distances in the two documents differ by more symbols.
            Equal hashes stand up to w - 1 symbols apart in equal passages of few k-grams (robust winnowing, section
            5.1).
        repeats: See `tile_symbols`.
    """
    unlike = len(shared)
    sequences = []
    for fingerprints in (a, b):
        sequence, unlike = _sequence(fingerprints, shared, unlike)
        sequences.append(sequence)
    (one, at_a), (other, at_b) = sequences
    tiles = tile(one, other, 1, slack, repeats).tolist()
    regions = [
        Region(int(at_a[i]), int(at_a[i + n - 1]) + k, int(at_b[j]), int(at_b[j + n - 1]) + k, n)
        for i, j, n, _ in tiles
    ]
    return _apart(regions, repeats=repeats)


def _sequence(fingerprints: FingerprintSequence, shared: U64, unlike: int) -> tuple[tuple[SymbolSequence, I64], int]:
    """Return fingerprints as symbols, with their positions, and the next number for one that is like no other.

    unlike: the first of the numbers that stand for fingerprints that are not shared.
    """
    ids = np.searchsorted(shared, fingerprints.hashes)
    ids[ids == len(shared)] = 0
    known = shared[ids] == fingerprints.hashes if len(shared) else np.zeros(len(ids), np.bool_)
    positions = fingerprints.positions.astype(np.int64)
    if not fingerprints.complete:
        ids, positions, known = ids[known], positions[known], np.ones(int(known.sum()), np.bool_)
    others = len(ids) - int(known.sum())
    ids[~known] = np.arange(unlike, unlike + others)
    starts = np.flatnonzero(known)
    sequence = SymbolSequence(ids.astype(np.uint32), ids[starts].astype(np.uint64), starts, NO_BARS, positions)
    return (sequence, positions), unlike + others


def _apart(regions: list[Region], *, repeats: bool) -> list[Region]:
    """Return regions cut so that they do not overlap, though the k-grams of neighbours may.

    What a region loses at its start it loses in both documents, and so at its end. One of which nothing is left goes.
    """
    end = 0
    first: list[Region] = []
    for region in sorted(regions):
        part = region.cut(max(end - region.a_start, 0))
        if part.length > 0:
            first.append(part)
            end = part.a_end
    if repeats:
        return first
    end = 0
    second: list[Region] = []
    for region in sorted(first, key=lambda region: (region.b_start, region)):
        part = region.cut(max(end - region.b_start, 0))
        if part.length > 0:
            second.append(part)
            end = part.b_end
    return sorted(second)
