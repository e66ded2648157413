"""Offsets: how far the hashes of one sequence are from where another one holds them, and at which offset most agree.

Landmarks of audio and the like have no symbols that could be tiled. A copy has its hashes in the same order and at the
same distances: at one offset. In a shuffled one each passage is at another offset, and hashes that are shared by chance
are at any.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64
from fpdb.regions.region import Region
from fpdb.storage.index_reader import IndexReader


class PositionedHashes(NamedTuple):
    """Distinct pairs of a hash and its position, sorted; arrays of shape (n,)."""

    hashes: U64
    positions: I64

    @classmethod
    def of(cls, hashes: U64, positions: NDArray[np.integer]) -> "PositionedHashes":
        """Sort pairs, and leave out repeated ones."""
        order = np.lexsort((positions, hashes))
        hashes, places = hashes[order], positions[order].astype(np.int64)
        first = np.r_[True, (hashes[1:] != hashes[:-1]) | (places[1:] != places[:-1])][: len(hashes)]
        return cls(hashes[first], places[first])

    def take(self, which: NDArray[np.bool_]) -> "PositionedHashes":
        """Return some of the pairs."""
        return PositionedHashes(self.hashes[which], self.positions[which])


class OffsetHits(NamedTuple):
    """Hashes of a query that documents hold: a row for each two positions of one hash; arrays of shape (n,).

    offsets: the position in the document less that in the query.
    """

    document_ids: U32
    query_positions: I64
    offsets: I64

    def at_best(self, best: "BestOffsets") -> "OffsetHits":
        """Return the hits at the best offset of their document."""
        at_best = best.offsets[np.searchsorted(best.document_ids, self.document_ids)] == self.offsets
        return OffsetHits(*(column[at_best] for column in self))


class BestOffsets(NamedTuple):
    """The offset of each document at which most hits agree, the lowest of several; document_ids ascending."""

    document_ids: U32
    offsets: I64
    aligned: I64  # hits at the offset


def find_hits(reader: IndexReader, query: PositionedHashes, document_ids: U32) -> OffsetHits:
    """Find where documents, of ascending ids, hold the hashes of a query. Raises Corrupt."""
    hashes, starts, counts = np.unique(query.hashes, return_index=True, return_counts=True)
    found = reader.find_occurrences(hashes, document_ids)
    repeats = counts[found.hash_indices]
    rows = np.repeat(np.arange(len(repeats)), repeats)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    query_positions = query.positions[starts[found.hash_indices][rows] + nth]
    return OffsetHits(found.document_ids[rows], query_positions, found.positions[rows] - query_positions)


def match_positions(a: PositionedHashes, b: PositionedHashes) -> OffsetHits:
    """Return where b holds the hashes of a, which is the query, as document 0."""
    starts, ends = (np.searchsorted(b.hashes, a.hashes, side) for side in ("left", "right"))
    repeats = ends - starts
    rows = np.repeat(np.arange(len(repeats)), repeats)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return OffsetHits(
        np.zeros(len(rows), np.uint32), a.positions[rows], b.positions[starts[rows] + nth] - a.positions[rows]
    )


def best_offsets(hits: OffsetHits) -> BestOffsets:
    """Return the best offset of each document that has a hit."""
    order = np.lexsort((hits.offsets, hits.document_ids))
    document_ids, offsets = hits.document_ids[order], hits.offsets[order]
    starts = np.flatnonzero(_changes(document_ids) | _changes(offsets))
    counts = np.diff(np.r_[starts, len(offsets)])
    document_ids, offsets = document_ids[starts], offsets[starts]
    order = np.lexsort((offsets, -counts, document_ids))
    best = order[_changes(document_ids[order])]
    return BestOffsets(document_ids[best], offsets[best], counts[best])


def regions_of(hits: OffsetHits, gap: int | None) -> dict[int, list[Region]]:
    """Return the regions of each document, in order, of hits at one offset a document.

    gap: the most positions without a hit in a region; None for any.
    """
    order = np.lexsort((hits.query_positions, hits.document_ids))
    document_ids, positions, offsets = (column[order] for column in hits)
    begins = _changes(document_ids)
    if gap is not None:
        begins[1:] |= np.diff(positions) > gap + 1
    starts = np.flatnonzero(begins)
    ends = np.r_[starts[1:], len(positions)][: len(starts)]
    regions: dict[int, list[Region]] = {}
    columns = document_ids[starts], positions[starts], positions[ends - 1] + 1, offsets[starts], ends - starts
    for document_id, start, end, offset, shared in zip(*(column.tolist() for column in columns), strict=True):
        regions.setdefault(document_id, []).append(Region(start, end, start + offset, end + offset, shared))
    return regions


def _changes(values: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return True for each value that differs from the one before; shape (n,)."""
    changes: NDArray[np.bool_] = np.r_[True, values[1:] != values[:-1]][: len(values)]
    return changes
