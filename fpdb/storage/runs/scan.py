"""Reading a run from its beginning to its end."""

from collections.abc import Iterator

import numpy as np

from fpdb.arrays import U32
from fpdb.errors import Corrupt
from fpdb.storage.runs.blocks import RunReader
from fpdb.storage.runs.postings import NO_POSTINGS, Postings, concat_postings, is_ascending

BLOCKS_PER_PIECE = 32  # decoded at once


def scan(reader: RunReader) -> Iterator[Postings]:
    """Yield the postings of a run in order, a few blocks at a time. Raises Corrupt, also if they are out of order."""
    counts = reader.read_fences().posting_counts
    positions, last = _PositionReader(reader), NO_POSTINGS
    for index in range(0, len(counts), BLOCKS_PER_PIECE):
        indices = np.arange(index, min(index + BLOCKS_PER_PIECE, len(counts)))
        count = int(counts[indices].sum(dtype=np.int64))
        hashes, document_ids = reader.read_postings(indices, count)
        piece = Postings(hashes, document_ids, positions.take(count))
        if not is_ascending(piece) or (index and not is_ascending(concat_postings(last, piece[:1]))):
            raise Corrupt(f"run {reader.run.number} is out of order; run 'fpdb check'")
        last = piece[-1:]
        yield piece


class _PositionReader:
    """Hands out the encoded positions of a run in order."""

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._counts = reader.read_position_counts()
        self._next_block = 0
        self._rest = np.empty(0, np.uint32)

    def take(self, count: int) -> U32:
        if not len(self._counts):
            return np.zeros(count, np.uint32)
        available, end = len(self._rest), self._next_block
        while available < count and end < len(self._counts):
            available += int(self._counts[end])
            end += 1
        more = self._reader.read_positions(np.arange(self._next_block, end), available - len(self._rest))
        self._next_block = end
        positions = np.concatenate((self._rest, more))
        if len(positions) < count:
            raise Corrupt(f"run {self._reader.run.number} has too few positions; run 'fpdb check'")
        self._rest = positions[count:]
        return positions[:count]
