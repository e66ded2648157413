"""The blocks of runs: reading them through their checksums, and which runs have any."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64
from fpdb.errors import Corrupt
from fpdb.storage import _checksums, file_format
from fpdb.storage.runs import _decode, _fences
from fpdb.storage.runs._probe import Located, Places
from fpdb.storage.state import Run

BLOCKS_PER_GET = 64  # larger calls of getmulti were measured to be slower


class Blocks(NamedTuple):
    """The database of blocks in one transaction."""

    txn: lmdb.Transaction
    database: Any

    def cursor(self, run_number: int = 0) -> lmdb.Cursor:
        """Return a cursor at the first block of a run, or of the next run that has any."""
        cursor = self.txn.cursor(self.database)
        cursor.set_range(file_format.block_key(file_format.block_number(run_number, 0, 0)))
        return cursor


@dataclass(frozen=True)
class Fences:
    """The first hash and the number of postings of each posting block of a run; shape (blocks,)."""

    first_hashes: U64
    posting_counts: NDArray[np.uint16]


@dataclass(frozen=True)
class RunReader:
    """Reads one run in one transaction. All methods raise Corrupt where a block is missing or damaged.

    places: where posting blocks lie that were read before, in a transaction that only reads; else None.
    """

    blocks: Blocks
    run: Run
    places: Places | None = None

    @property
    def ids(self) -> tuple[int, int]:
        """The first and the last document that the run may hold."""
        return self.run.first_id, self.run.last_id

    def read_values(self, column: int, indices: I64) -> list[bytes | memoryview]:
        """Return the values of a column's blocks, their checksums compared."""
        number = self.run.number
        getmulti = self.blocks.txn.cursor(self.blocks.database).getmulti
        try:
            return _checksums.read_blocks(
                getmulti, file_format.block_number(number, column, 0), indices, BLOCKS_PER_GET
            )
        except LookupError:
            raise Corrupt(f"run {number} lacks blocks; run 'fpdb check'") from None
        except ValueError:
            raise Corrupt(f"a block of run {number} does not match its checksum; run 'fpdb check'") from None

    def locate(self, indices: I64) -> list[bytes | memoryview] | Located:
        """Return posting blocks for `_probe`; the checksum of one whose place is known was compared before."""
        read = partial(self.read_values, file_format.POSTINGS)
        return read(indices) if self.places is None else self.places.locate(indices, read)

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Turn errors of the codec into Corrupt with the run's number."""
        try:
            yield
        except ValueError as error:
            raise Corrupt(f"run {self.run.number}: {error}; run 'fpdb check'") from error

    def read_postings(self, indices: I64, count: int) -> tuple[U64, U32]:
        """Return the hashes and document ids of posting blocks that hold `count` postings in all."""
        values = self.read_values(file_format.POSTINGS, indices)
        with self.decoding():
            return _decode.decode_postings(values, count, *self.ids)

    def read_positions(self, indices: I64, count: int) -> U32:
        """Return the encoded positions of position blocks that hold `count` of them in all."""
        values = self.read_values(file_format.POSITIONS, indices)
        with self.decoding():
            return _decode.decode_positions(values, count)

    def read_fences(self) -> Fences:
        """Return the fences, their order and sum verified."""
        run = self.run
        array = self._read_array(file_format.FENCES, run.blocks, file_format.FENCES_PER_CHUNK, file_format.FENCE)
        first_hashes = np.ascontiguousarray(array["first"])
        counts = np.ascontiguousarray(array["postings"])
        if _fences.count_postings(first_hashes, counts, file_format.POSTINGS_PER_BLOCK) != run.postings:
            raise Corrupt(f"the fences of run {run.number} do not add up; run 'fpdb check'")
        return Fences(first_hashes, counts)

    def read_position_counts(self) -> NDArray[np.uint16]:
        """Return the number of positions in each position block; shape (position blocks,)."""
        run, per_chunk = self.run, file_format.POSITION_FENCES_PER_CHUNK
        counts = self._read_array(file_format.POSITION_FENCES, run.position_blocks, per_chunk, np.dtype("<u2"))
        if len(counts) and int(counts.sum(dtype=np.int64)) != run.postings:
            raise Corrupt(f"the position fences of run {run.number} do not add up; run 'fpdb check'")
        return counts

    def _read_array(self, column: int, count: int, per_chunk: int, dtype: Any) -> NDArray[Any]:
        values = self.read_values(column, np.arange(-(-count // per_chunk))) if count else []
        packed = b"".join(value[file_format.CHECKSUM :] for value in values)
        if len(packed) != count * dtype.itemsize:
            raise Corrupt(f"run {self.run.number} has more or fewer fences than {count}; run 'fpdb check'")
        return np.frombuffer(packed, dtype)


def stored_runs(blocks: Blocks) -> Iterator[int]:
    """Yield the numbers of all runs that have blocks, live or not."""
    number = 0
    while number <= file_format.LARGEST_RUN and (key := bytes(blocks.cursor(number).key())):
        number = file_format.parse_block_key(key)[0]
        yield number
        number += 1


def count_blocks(blocks: Blocks, run_number: int) -> list[int]:
    """Return how many blocks a run has in each column."""
    counts = [0] * 4
    for key in blocks.cursor(run_number).iternext(values=False):
        number, column, _ = file_format.parse_block_key(bytes(key))
        if number != run_number:
            break
        counts[column] += 1
    return counts


def expected_blocks(run: Run) -> list[int]:
    """Return how many blocks a run must have in each column."""
    fences = -(-run.blocks // file_format.FENCES_PER_CHUNK)
    position_fences = -(-run.position_blocks // file_format.POSITION_FENCES_PER_CHUNK)
    return [fences, run.blocks, position_fences, run.position_blocks]


def block_count(run: Run) -> int:
    """Return how many blocks a run must have."""
    return sum(expected_blocks(run))


def delete_blocks(blocks: Blocks, run_number: int, limit: int = 1 << 30) -> int:
    """Delete up to `limit` blocks of a run; return how many were deleted."""
    cursor = blocks.cursor(run_number)
    deleted = 0
    while deleted < limit and (key := bytes(cursor.key())) and file_format.parse_block_key(key)[0] == run_number:
        cursor.delete()
        deleted += 1
    return deleted
