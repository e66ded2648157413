"""Places: where in its documents a run says that hashes are.

A run's columns hold postings and positions in the same order, so the way from one to the other is a posting's rank in
the run, which the fences of both columns give.
"""

from __future__ import annotations

from typing import Any

import lmdb
import numpy as np

from fpdb.arrays import I64, U32, U64
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import Run
from fpdb.storage.runs import _codec
from fpdb.storage.runs.run_blocks import Fences, read_blocks, read_position_counts

BLOCKS_AT_ONCE = 128  # blocks that are decoded at once: some MB, or 100 MB where they are as full as can be


def read_position_starts(txn: lmdb.Transaction, blocks: Any, run: Run) -> I64:
    """The rank of each position block's first posting, and the number of postings; shape (position blocks + 1,).

    Shape (1,) where no posting has a position. Raises Corrupt.
    """
    counts = read_position_counts(txn, blocks, run)
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    if len(counts) and int(starts[-1]) != run.postings:
        raise Corrupt(f"the position fences of run {run.number} do not add up; run 'fpdb check'")
    return starts


def find_ranks(
    txn: lmdb.Transaction, blocks: Any, run: Run, fences: Fences, hashes: U64, documents: U32
) -> tuple[U32, U32, I64]:
    """Which postings of the run are of these hashes in these documents.

    hashes, documents: sorted, distinct. Returns (indices, documents, ranks), shape (postings,): the posting of that
    rank says that document holds hashes[index]; in order of rank. Raises Corrupt.
    """
    parts: list[tuple[U32, U32, I64]] = [(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.int64))]
    lows, highs = _codec.spans(fences.first, hashes)
    inside = highs >= 0
    if inside.any() and len(documents):
        wanted = _codec.slots(lows[inside], highs[inside])[0]
        starts = np.cumsum(fences.postings, dtype=np.int64) - fences.postings
        for piece in range(0, len(wanted), BLOCKS_AT_ONCE):
            some = wanted[piece : piece + BLOCKS_AT_ONCE]
            counts = fences.postings[some].astype(np.int64)
            if not counts.all():
                raise Corrupt(f"run {run.number} has a fence of no postings; run 'fpdb check'")
            held, holders = _decode_postings(txn, blocks, run, some, int(counts.sum()))
            begins = np.cumsum(counts) - counts
            if (held[begins] != fences.first[some]).any():
                raise Corrupt(f"run {run.number} has fences that are not its blocks' first hashes; run 'fpdb check'")
            indices, at = _pick(held, holders, hashes, documents)
            block = np.searchsorted(begins, at, "right") - 1
            parts.append((indices, holders[at], starts[some][block] + at - begins[block]))
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


def _pick(held: U64, holders: U32, hashes: U64, documents: U32) -> tuple[U32, I64]:
    """(indices, at), shape (n,): held[at] is hashes[index] and holders[at] among the documents; in order of at."""
    first = int(np.searchsorted(hashes, held[0], "left"))
    asked = hashes[first : int(np.searchsorted(hashes, held[-1], "right"))]
    begins = np.searchsorted(held, asked, "left")
    lengths = np.searchsorted(held, asked, "right") - begins
    indices = np.repeat(np.arange(first, first + len(asked), dtype=np.uint32), lengths)
    at = np.arange(len(indices)) + np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
    place = np.searchsorted(documents, holders[at])
    place[place == len(documents)] = 0
    kept = documents[place] == holders[at]
    return indices[kept], at[kept]


def read_numbers(txn: lmdb.Transaction, blocks: Any, run: Run, starts: I64, ranks: I64) -> U32:
    """The numbers (position + 1, 0 for none) of the postings of these ascending ranks; shape (n,).

    starts: what `read_position_starts` gave. Raises Corrupt.
    """
    if len(starts) == 1 or not len(ranks):
        return np.zeros(len(ranks), np.uint32)
    if int(ranks[-1]) >= int(starts[-1]):
        raise Corrupt(f"run {run.number} has too few positions; run 'fpdb check'")
    block = np.searchsorted(starts, ranks, "right") - 1
    wanted = block[np.r_[True, block[1:] != block[:-1]]]
    parts = []
    for piece in range(0, len(wanted), BLOCKS_AT_ONCE):
        some = wanted[piece : piece + BLOCKS_AT_ONCE]
        counts = starts[some + 1] - starts[some]
        numbers = _decode_positions(txn, blocks, run, some, int(counts.sum()))
        here = slice(*np.searchsorted(block, [some[0], some[-1] + 1]).tolist())
        begins = np.cumsum(counts) - counts
        parts.append(numbers[begins[np.searchsorted(some, block[here])] + ranks[here] - starts[block[here]]])
    return np.concatenate(parts)


def _decode_postings(txn: lmdb.Transaction, blocks: Any, run: Run, indices: I64, postings: int) -> tuple[U64, U32]:
    values = read_blocks(txn, blocks, run.number, file_format.POSTINGS, indices)
    try:
        return _codec.decode_postings(values, postings)
    except ValueError as error:
        raise Corrupt(f"run {run.number}: {error}; run 'fpdb check'") from error


def _decode_positions(txn: lmdb.Transaction, blocks: Any, run: Run, indices: I64, postings: int) -> U32:
    values = read_blocks(txn, blocks, run.number, file_format.POSITIONS, indices)
    try:
        return _codec.decode_positions(values, postings)
    except ValueError as error:
        raise Corrupt(f"run {run.number}: {error}; run 'fpdb check'") from error
