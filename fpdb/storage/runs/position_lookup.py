"""Looking up the positions at which documents hold hashes.

A run's columns hold postings and positions in the same order, so the way from one to the other is a posting's rank in
the run, which the fences of both columns give.
"""

from typing import NamedTuple

import numpy as np

from fpdb.arrays import I64, U32, U64
from fpdb.errors import Corrupt
from fpdb.storage.runs import _fences
from fpdb.storage.runs.blocks import Fences, RunReader

BLOCKS_PER_DECODE = 128  # some MB, or 100 MB where they are as full as can be


class RankedPostings(NamedTuple):
    """Postings of a run in order of rank; arrays of one shape (postings,).

    The posting of a rank says that the document holds hashes[index] of those asked for.
    """

    indices: U32
    document_ids: U32
    ranks: I64


def read_position_starts(reader: RunReader) -> I64:
    """Return the rank of each position block's first posting, and the number of postings.

    The shape is (position blocks + 1,): (1,) where no posting has a position. Raises Corrupt.
    """
    counts = reader.read_position_counts()
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def find_ranks(reader: RunReader, fences: Fences, hashes: U64, document_ids: U32) -> RankedPostings:
    """Find the postings of these hashes in these documents; both sorted, distinct. Raises Corrupt."""
    parts = [RankedPostings(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.int64))]
    lows, highs = _fences.find_blocks(fences.first_hashes, hashes)
    inside = highs >= 0
    if inside.any() and len(document_ids):
        indices = _fences.distinct_blocks(lows[inside], highs[inside])[0]
        starts = np.cumsum(fences.posting_counts, dtype=np.int64) - fences.posting_counts
        for first in range(0, len(indices), BLOCKS_PER_DECODE):
            some = indices[first : first + BLOCKS_PER_DECODE]
            stored_hashes, stored_ids, block_starts = _read_postings(reader, fences, some)
            matches, rows = _match(stored_hashes, stored_ids, hashes, document_ids)
            block = np.searchsorted(block_starts, rows, "right") - 1
            ranks = starts[some][block] + rows - block_starts[block]
            parts.append(RankedPostings(matches, stored_ids[rows], ranks))
    return RankedPostings(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _read_postings(reader: RunReader, fences: Fences, indices: I64) -> tuple[U64, U32, I64]:
    """Return the hashes and document ids of blocks, and where each block begins in them."""
    counts = fences.posting_counts[indices].astype(np.int64)
    hashes, document_ids = reader.read_postings(indices, int(counts.sum()))
    starts = np.cumsum(counts) - counts
    if (hashes[starts] != fences.first_hashes[indices]).any():
        raise Corrupt(f"run {reader.run.number} has fences that are not its blocks' first hashes; run 'fpdb check'")
    if (hashes[starts[1:] - 1] > hashes[starts[1:]]).any():
        raise Corrupt(f"run {reader.run.number} is out of order; run 'fpdb check'")
    return hashes, document_ids, starts


def _match(stored_hashes: U64, stored_ids: U32, hashes: U64, document_ids: U32) -> tuple[U32, I64]:
    """Return (indices, rows), in order of rows: stored_hashes[row] is hashes[index], stored_ids[row] is wanted."""
    first = int(np.searchsorted(hashes, stored_hashes[0], "left"))
    wanted = hashes[first : int(np.searchsorted(hashes, stored_hashes[-1], "right"))]
    starts = np.searchsorted(stored_hashes, wanted, "left")
    lengths = np.searchsorted(stored_hashes, wanted, "right") - starts
    indices = np.repeat(np.arange(first, first + len(wanted), dtype=np.uint32), lengths)
    rows = np.arange(len(indices)) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    places = np.searchsorted(document_ids, stored_ids[rows])
    places[places == len(document_ids)] = 0
    matches = document_ids[places] == stored_ids[rows]
    return indices[matches], rows[matches]


def read_encoded_positions(reader: RunReader, starts: I64, ranks: I64) -> U32:
    """Return the encoded positions of postings; shape (n,).

    Args:
        reader: The run.
        starts: The result of `read_position_starts`.
        ranks: Ascending; shape (n,).

    Raises:
        Corrupt: A block is missing or damaged.
    """
    if len(starts) == 1 or not len(ranks):
        return np.zeros(len(ranks), np.uint32)
    if int(ranks[-1]) >= int(starts[-1]):
        raise Corrupt(f"run {reader.run.number} has too few positions; run 'fpdb check'")
    block = np.searchsorted(starts, ranks, "right") - 1
    indices = block[np.r_[True, block[1:] != block[:-1]]]
    parts = []
    for first in range(0, len(indices), BLOCKS_PER_DECODE):
        some = indices[first : first + BLOCKS_PER_DECODE]
        counts = starts[some + 1] - starts[some]
        positions = reader.read_positions(some, int(counts.sum()))
        here = slice(*np.searchsorted(block, [some[0], some[-1] + 1]).tolist())
        block_starts = np.cumsum(counts) - counts
        parts.append(positions[block_starts[np.searchsorted(some, block[here])] + ranks[here] - starts[block[here]]])
    return np.concatenate(parts)
