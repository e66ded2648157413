"""Looking hashes up in a run: the fences tell which blocks may hold them."""

from dataclasses import dataclass

import numpy as np

from fpdb.arrays import I64, U32, U64
from fpdb.gc_control import gc_paused
from fpdb.storage.runs import _fences, _probe
from fpdb.storage.runs.blocks import Fences, RunReader

HASHES_PER_LOOK_UP = 512  # looked up while the blocks read for them are in the processor's cache


@dataclass(frozen=True)
class _Candidates:
    """The blocks that may hold some hashes.

    first: the index of the first hash that any block may hold. values: the blocks. lows, highs: for each hash from
    `first` on, its first and last block in `values`. first_hashes: of the blocks, as the fences say.
    """

    first: int
    values: list[bytes | memoryview] | _probe.Located
    first_hashes: U64
    lows: U32
    highs: U32


def _read_candidates(reader: RunReader, fences: Fences, hashes: U64) -> _Candidates | None:
    lows, highs = _fences.find_blocks(fences.first_hashes, hashes)
    first = int(highs.searchsorted(0))
    if first == len(hashes):
        return None
    indices, low_slots, high_slots = _fences.distinct_blocks(lows[first:], highs[first:])
    values = reader.locate(indices)
    return _Candidates(first, values, fences.first_hashes[indices], low_slots, high_slots)


@gc_paused()  # a memory view of each block is made
def look_up(reader: RunReader, fences: Fences, hashes: U64) -> tuple[I64, U32]:
    """Find the documents that hold the hashes, dead documents included.

    Args:
        reader: The run.
        fences: Its fences.
        hashes: Sorted, distinct; shape (n,).

    Returns:
        The number of documents that hold each hash, shape (n,), and their ids, ascending, one hash after the other.

    Raises:
        Corrupt: A block is missing or damaged.
    """
    counts = np.zeros(len(hashes), np.int64)
    parts = [np.empty(0, np.uint32)]
    for start in range(0, len(hashes), HASHES_PER_LOOK_UP):
        some = hashes[start : start + HASHES_PER_LOOK_UP]
        candidates = _read_candidates(reader, fences, some)
        if candidates is not None:
            first = candidates.first
            with reader.decoding():
                found = _probe.probe(
                    candidates.values,
                    candidates.first_hashes,
                    some[first:],
                    candidates.lows,
                    candidates.highs,
                    *reader.ids,
                )
            counts[start + first : start + len(some)] = found[0]
            parts.append(found[1])
    return counts, np.concatenate(parts) if len(parts) != 2 else parts[1]


@gc_paused()
def tally(reader: RunReader, fences: Fences, hashes: U64, counts: U32) -> None:
    """Add 1 to counts[document id] for each hash that a document holds, dead documents included.

    Args:
        reader: The run.
        fences: Its fences.
        hashes: Sorted, distinct; shape (n,).
        counts: Changed in place; shape (ids,).

    Raises:
        Corrupt: A block is missing or damaged.
    """
    candidates = _read_candidates(reader, fences, hashes)
    if candidates is not None:
        with reader.decoding():
            some = hashes[candidates.first :]
            blocks = candidates.values, candidates.first_hashes
            _probe.tally(*blocks, some, candidates.lows, candidates.highs, counts, *reader.ids)


def look_up_in_block(reader: RunReader, fences: Fences, index: int, hashes: U64) -> U32:
    """Return the ids of the documents that hold a hash, shape (1,), according to one block. Raises Corrupt."""
    values = reader.locate(np.array([index]))
    only = np.zeros(1, np.uint32)
    with reader.decoding():
        return _probe.probe(values, fences.first_hashes[index : index + 1], hashes, only, only, *reader.ids)[1]
