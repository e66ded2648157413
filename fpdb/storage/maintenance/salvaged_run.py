"""The rest of a run in a damaged file: postings of its sound blocks, and which positions are lost."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from fpdb.arrays import U32, Bools
from fpdb.storage import file_format
from fpdb.storage.maintenance.salvage import SalvageReader
from fpdb.storage.runs import _decode
from fpdb.storage.runs.postings import Postings
from fpdb.storage.state import Run

MISSING_BLOCKS = 1 << 20  # of a run that no state describes; beyond, an index is none of fpdb's


@dataclass(frozen=True)
class SalvagedRun:
    """The rest of a run. run.postings is 0 where it is not known."""

    salvage: SalvageReader
    run: Run

    def pieces(self) -> Iterator[tuple[Postings, Bools]]:
        """Yield the postings that are left, and which of them have lost their positions; these have none then.

        A block that has a right checksum and cannot come where it is, as none of fpdb's own, is left out. So hashes and
        documents ascend; the positions of a hash in a document need not.
        """
        counts = self.block_counts(file_format.POSTINGS)
        ranks = _first_ranks(counts, self.run.postings)
        positions = _Positions(self)
        last = 0, 0
        for index, (count, rank) in enumerate(zip(counts, ranks, strict=True)):
            value = self.salvage.block(self.run.number, file_format.POSTINGS, index)
            if value is not None and count is not None:
                try:
                    ids = self.run.first_id, self.run.last_id
                    hashes, document_ids = _decode.decode_postings([value], count, *ids)
                except ValueError:
                    continue
                if (int(hashes[0]), int(document_ids[0])) >= last:
                    encoded, lost = positions.take(rank, count)
                    yield Postings(hashes, document_ids, encoded), lost
                    last = int(hashes[-1]), int(document_ids[-1])

    def block_counts(self, column: int) -> list[int | None]:
        """Return how many postings each block of a column holds; None where neither it nor its fence tells."""
        if column == file_format.POSTINGS:
            blocks, fences, per_chunk = self.run.blocks, file_format.FENCES, file_format.FENCES_PER_CHUNK
            size = 2
        else:
            blocks, fences = self.run.position_blocks, file_format.POSITION_FENCES
            per_chunk, size = file_format.POSITION_FENCES_PER_CHUNK, 4
        counts: list[int | None] = [None] * blocks
        for start in range(0, blocks, per_chunk):
            chunk = self.salvage.block(self.run.number, fences, start // per_chunk)
            if chunk is not None:
                postings = column == file_format.POSTINGS
                dtype: np.dtype[Any] = file_format.FENCE if postings else np.dtype("<u2")
                body = chunk[file_format.CHECKSUM :]
                array = np.frombuffer(body[: len(body) // dtype.itemsize * dtype.itemsize], dtype)
                told = array["postings"] if postings else array
                counts[start : start + len(told)] = told[: blocks - start].tolist()
        for index in range(blocks):
            value = self.salvage.block(self.run.number, column, index) if counts[index] is None else None
            if value is not None:  # a block begins with its count
                counts[index] = int.from_bytes(value[file_format.CHECKSUM : file_format.CHECKSUM + size], "little")
        return counts


def find_runs(salvage: SalvageReader) -> list[SalvagedRun]:
    """Return the runs of a file in order of document ids."""
    if salvage.state is not None:
        return [SalvagedRun(salvage, run) for run in salvage.state.runs]
    # A run that was merged of others is newer, and covers their documents.
    runs: list[SalvagedRun] = []
    for number, indices in sorted(salvage.posting_blocks().items(), reverse=True):
        run = _describe_run(salvage, number, min(max(indices) + 1, MISSING_BLOCKS + 64 * len(indices)))
        if run is not None and not any(
            run.first_id <= other.run.last_id and other.run.first_id <= run.last_id for other in runs
        ):
            runs.append(SalvagedRun(salvage, run))
    return sorted(runs, key=lambda salvaged: salvaged.run.first_id)


def _describe_run(salvage: SalvageReader, number: int, blocks: int) -> Run | None:
    """Return a run that no state describes, if anything is left of it."""
    position_blocks = 0
    while salvage.block(number, file_format.POSITIONS, position_blocks) is not None:
        position_blocks += 1
    run = Run(number, 0, blocks, position_blocks, 0, file_format.LAST_BOILERPLATE)
    ids = [piece.document_ids for piece, _ in SalvagedRun(salvage, run).pieces()]
    if not ids:
        return None
    first_id, last_id = min(int(part.min()) for part in ids), max(int(part.max()) for part in ids)
    described = run._replace(first_id=first_id, last_id=last_id)
    return described if described.boilerplate == (last_id >= file_format.FIRST_BOILERPLATE) else None


class _Positions:
    """The positions of a run by the ranks of postings."""

    def __init__(self, salvaged: SalvagedRun) -> None:
        self._salvaged = salvaged
        counts = salvaged.block_counts(file_format.POSITIONS)
        ranks = _first_ranks(counts, salvaged.run.postings)
        self._blocks = [  # of which the ranks are known: first rank, rank after the last, index
            (rank, rank + count, index)
            for index, (rank, count) in enumerate(zip(ranks, counts, strict=True))
            if rank is not None and count is not None
        ]
        self._next = 0

    def take(self, rank: int | None, count: int) -> tuple[U32, Bools]:
        """Return the encoded positions of `count` postings, 0 where they are lost, and which are; ranks ascend."""
        positions = np.zeros(count, np.uint32)
        run = self._salvaged.run
        lost = np.full(count, run.position_blocks > 0)
        if rank is None or not run.position_blocks:
            return positions, lost
        while self._next < len(self._blocks) and self._blocks[self._next][1] <= rank:
            self._next += 1
        for start, end, index in self._blocks[self._next :]:
            if start >= rank + count:
                break
            value = self._salvaged.salvage.block(run.number, file_format.POSITIONS, index)
            if value is not None:
                low, high = max(start, rank), min(end, rank + count)
                with suppress(ValueError):
                    decoded = _decode.decode_positions([value], end - start)
                    positions[low - rank : high - rank] = decoded[low - start : high - start]
                    lost[low - rank : high - rank] = False
        return positions, lost


def _first_ranks(counts: list[int | None], total: int) -> list[int | None]:
    """Return the rank of each block's first posting, told from the beginning, or from the end.

    total: the postings of all blocks; 0 if it is unknown.
    """
    ranks: list[int | None] = [None] * len(counts)
    rank = 0
    for index, count in enumerate(counts):
        ranks[index] = rank
        if count is None:
            break
        rank += count
    rank = total
    for index in range(len(counts) - 1, -1 if total else len(counts), -1):
        count = counts[index]
        if count is None or ranks[index] is not None:
            break
        rank -= count
        ranks[index] = rank
    return ranks
