"""Find the hashes of a run that have many postings, without decoding the others."""

import numpy as np

from fpdb.arrays import U64, sorted_distinct
from fpdb.gc_control import gc_paused
from fpdb.storage import file_format
from fpdb.storage.runs import _decode
from fpdb.storage.runs.blocks import Fences, RunReader

BLOCKS_TOGETHER = 256  # read at once


@gc_paused()
def find_frequent(reader: RunReader, fences: Fences, minimum: int) -> U64:
    """Return all hashes that have this many postings in a run, and perhaps some that have fewer; sorted, distinct.

    Blocks are read only where the fences leave room for so many. minimum: 2 or more. Raises Corrupt.
    """
    firsts, counts = fences.first_hashes, fences.posting_counts.astype(np.int64)
    heads, tails = counts.copy(), counts.copy()  # the postings of the first hash of each block, and the last, at most
    beside = np.maximum(np.r_[0, counts[:-1]], np.r_[counts[1:], 0])
    asked = np.flatnonzero(counts + beside >= minimum)
    parts = [np.empty(0, np.uint64)]
    for start in range(0, len(asked), BLOCKS_TOGETHER):
        indices = asked[start : start + BLOCKS_TOGETHER]
        values = reader.read_values(file_format.POSTINGS, indices)
        with reader.decoding():
            found, heads[indices], tails[indices] = _decode.find_frequent(values, int(counts[indices].sum()), minimum)
        parts.append(found)
    goes_on = (firsts[1:] == firsts[:-1]) | (tails[:-1] + heads[1:] >= minimum)  # over a whole block, or an edge
    return sorted_distinct(np.concatenate([*parts, firsts[1:][goes_on]]))
