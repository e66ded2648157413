"""Writing a run: sorted postings in, blocks and fences out."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import U8, U32
from fpdb.storage import file_format
from fpdb.storage._checksums import seal_blocks
from fpdb.storage.environment.environment import Environment
from fpdb.storage.runs import _encode
from fpdb.storage.runs.blocks import Blocks
from fpdb.storage.runs.postings import NO_POSTINGS, Postings
from fpdb.storage.state import Run

POSTINGS_PER_TRANSACTION = 4 << 20
NO_FENCES = np.empty(0, file_format.FENCE)
ZEROS_PER_CALL = 1 << 18  # encoded positions of postings without a position


class RunWriter:
    """Writes one run, postings in order, in as many transactions as its user likes."""

    def __init__(self, number: int) -> None:
        """Begin the run of this number."""
        self.number = number
        self.postings = 0
        self._fences: list[NDArray[Any]] = []
        self._position_counts: list[int] = []
        self._block_count = 0
        self._rest = NO_POSTINGS.hashes, NO_POSTINGS.document_ids  # not yet enough for a block
        self._rest_positions = NO_POSTINGS.encoded_positions
        self._has_positions = False
        self._next_piece = NO_POSTINGS  # so that the last piece is known to be the last when it is written

    def append(self, blocks: Blocks, piece: Postings) -> None:
        """Add postings that follow all those before."""
        if len(self._next_piece):
            self._write(blocks, self._next_piece, final=False)
        self._next_piece = piece

    def finish(self, blocks: Blocks, first_id: int, last_id: int) -> Run:
        """Write what is left and the fences; return the run, which is live once a state lists it."""
        self._write(blocks, self._next_piece, final=True)
        fences = self._fences[0] if len(self._fences) == 1 else np.concatenate(self._fences or [NO_FENCES])
        chunks = [*_chunks(self.number, file_format.FENCES, fences, file_format.FENCES_PER_CHUNK)]
        counts = self._position_counts
        if counts:
            array = np.array(counts, "<u2")
            chunks += _chunks(self.number, file_format.POSITION_FENCES, array, file_format.POSITION_FENCES_PER_CHUNK)
        blocks.txn.cursor(blocks.database).putmulti(chunks)
        return Run(self.number, self.postings, self._block_count, len(counts), first_id, last_id)

    def _write(self, blocks: Blocks, piece: Postings, *, final: bool) -> None:
        self.postings += len(piece)
        hashes, document_ids = piece.hashes, piece.document_ids
        if len(self._rest[0]):
            hashes = np.concatenate((self._rest[0], hashes))
            document_ids = np.concatenate((self._rest[1], document_ids))
        buffer, sizes, counts = _encode.encode_postings(hashes, document_ids, final)
        if counts:
            fences = np.empty(len(counts), file_format.FENCE)
            fences["postings"] = counts
            fences["first"] = hashes[list(accumulate(counts[:-1], initial=0))]
            self._fences.append(fences)
            self._put(blocks, file_format.POSTINGS, self._block_count, buffer, sizes)
            self._block_count += len(counts)
        written = sum(counts)
        self._rest = hashes[written:], document_ids[written:]

        # The position column begins with the first posting that has one; the zeros before it are made up for.
        if not self._has_positions and np.count_nonzero(piece.encoded_positions):
            self._has_positions = True
            before = self.postings - len(piece)
            for start in range(0, before, ZEROS_PER_CALL):
                zeros = np.zeros(min(ZEROS_PER_CALL, before - start), np.uint32)
                self._write_positions(blocks, zeros, final=False)
        if self._has_positions:
            self._write_positions(blocks, piece.encoded_positions, final=final)

    def _write_positions(self, blocks: Blocks, more: U32, *, final: bool) -> None:
        positions = np.concatenate((self._rest_positions, more))
        buffer, sizes, counts = _encode.encode_positions(positions, final)
        self._put(blocks, file_format.POSITIONS, len(self._position_counts), buffer, sizes)
        self._position_counts += counts
        self._rest_positions = positions[sum(counts) :]

    def _put(self, blocks: Blocks, column: int, index: int, buffer: U8, sizes: list[int]) -> None:
        values = seal_blocks(file_format.block_number(self.number, column, index), buffer, sizes)
        if values:
            blocks.txn.cursor(blocks.database).putmulti(values)


def _chunks(run: int, column: int, array: NDArray[Any], length: int) -> Iterator[tuple[bytes, bytes]]:
    for index in range(-(-len(array) // length)):
        number = file_format.block_number(run, column, index)
        body = array[index * length : (index + 1) * length].tobytes()
        yield file_format.block_key(number), file_format.block_seal(number, body) + body


def write_run(
    env: Environment,
    number: int,
    pieces: Iterable[Postings],
    document_ids: tuple[int, int],
    complete: Callable[[lmdb.Transaction, Run], None] | None = None,
) -> Run:
    """Write sorted postings as one run, in transactions of bounded size.

    Pieces are made outside of the transactions, so that other writers wait only for what is written.

    Args:
        env: The file to write to.
        number: The number of the run.
        pieces: Postings in order.
        document_ids: The first and the last id that the run is for.
        complete: Called in the last transaction, with the run.
    """
    writer = RunWriter(number)
    for batch, last in _batches(iter(pieces)):
        with env.write() as (txn, file):
            blocks = Blocks(txn, file.databases[file_format.BLOCKS])
            while batch:
                writer.append(blocks, batch.popleft())  # memory is given back as pages are filled
            if last:
                run = writer.finish(blocks, *document_ids)
                if complete is not None:
                    complete(txn, run)
    return run


def _batches(pieces: Iterator[Postings]) -> Iterator[tuple[deque[Postings], bool]]:
    """Yield pieces for one transaction each, and whether they are the last ones."""
    batch: deque[Postings] = deque()
    room = POSTINGS_PER_TRANSACTION
    for piece in pieces:
        batch.append(piece)
        room -= len(piece)
        if room <= 0:
            yield batch, False
            batch, room = deque(), POSTINGS_PER_TRANSACTION
    yield batch, True
