"""Bundle chunks of queries: the more hashes are looked up together, the fewer times a block is read."""

import itertools
import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fpdb.ingest.chunks import Chunk
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.process_pool import QUEUED_BYTES


@dataclass(frozen=True)
class Bundle:
    """Chunks that are answered together, as one `Chunk`."""

    chunks: list[Chunk]

    @property
    def content_bytes(self) -> int:
        """See `Chunk`."""
        return sum(chunk.content_bytes for chunk in self.chunks)

    @property
    def input_bytes(self) -> int:
        """See `Chunk`."""
        return sum(chunk.input_bytes for chunk in self.chunks)

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """See `Chunk`."""
        return itertools.chain.from_iterable(chunk.documents() for chunk in self.chunks)


def bundle_chunks(chunks: Iterable[Chunk], processes: int, limit: int, start_bytes: int) -> Iterator[Bundle]:
    """Yield the chunks in as few bundles of `limit` bytes as there can be, the same number for each process.

    No more than QUEUED_BYTES are read ahead to know how much there is. start_bytes: what a process answers while the
    others start; the last bundle, which this process takes first, is larger by that.
    """
    waiting: deque[Chunk] = deque()
    chunks = iter(chunks)
    known = min(2 * processes * limit, QUEUED_BYTES)
    left = planned = later = 0
    while True:
        while left < known and (chunk := next(chunks, None)) is not None:
            waiting.append(chunk)
            left += _size(chunk)
            planned = 0
        if not waiting:
            return
        if not planned:
            rounds = max(math.ceil((left + (processes - 1) * start_bytes) / processes / limit), 1)
            planned = rounds * processes
            later = start_bytes if rounds == 1 else 0
        share = (left - later) / planned
        planned -= 1
        bundle = [waiting.popleft()]
        size = _size(bundle[0])
        while waiting and (not planned or size + _size(waiting[0]) / 2 <= share):
            bundle.append(waiting.popleft())
            size += _size(bundle[-1])
        left -= size
        yield Bundle(bundle)


def _size(chunk: Chunk) -> int:
    return max(chunk.content_bytes, chunk.input_bytes)
