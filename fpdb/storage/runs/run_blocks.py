"""Runs: immutable sorted sequences of postings, written once in blocks and looked up by hash.

A run's fences, the first hash and the number of postings of each block, are read with the run and kept by the reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U8, U32, U64
from fpdb.errors import Corrupt
from fpdb.gc_control import gc_paused
from fpdb.storage import file_format
from fpdb.storage.file_format import Run
from fpdb.storage.runs import _codec

GET_AT_ONCE = 64  # blocks a getmulti: larger calls were measured to be slower
HASHES_AT_ONCE = 512  # that are looked up while the blocks that were read for them are in the processor's cache
ZEROS_AT_ONCE = 1 << 18  # postings without positions
BLOCKS_A_PIECE = 32  # blocks that a sequential reader decodes at once


@dataclass(frozen=True)
class Postings:
    """Postings in memory, sorted by (hash, document, position); arrays of one shape (n,).

    numbers holds position + 1, and 0 for a posting without a position.
    """

    hashes: U64
    documents: U32
    numbers: U32

    def __len__(self) -> int:
        return len(self.hashes)


NO_POSTINGS = Postings(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))


def joined(first: Postings, second: Postings) -> Postings:
    """Two sequences, one after the other."""
    return Postings(
        np.concatenate((first.hashes, second.hashes)),
        np.concatenate((first.documents, second.documents)),
        np.concatenate((first.numbers, second.numbers)),
    )


def ascending(postings: Postings) -> bool:
    """Whether the postings are strictly ascending by (hash, document, position)."""
    hashes, documents, numbers = postings.hashes, postings.documents, postings.numbers
    same_hash = hashes[1:] == hashes[:-1]
    same_pair = same_hash & (documents[1:] == documents[:-1])
    return bool(
        (
            (hashes[1:] > hashes[:-1])
            | (same_hash & (documents[1:] > documents[:-1]))
            | (same_pair & (numbers[1:] > numbers[:-1]))
        ).all()
    )


# ---------------------------------------------------------------- writing


class RunWriter:
    """Writes one run, postings in order, in as many transactions as its user likes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.postings = 0
        self._fences: list[NDArray[Any]] = []
        self._position_counts: list[int] = []
        self._blocks = 0
        self._rest = NO_POSTINGS
        self._rest_numbers = np.empty(0, np.uint32)
        self._any_position = False

    def append(self, txn: lmdb.Transaction, blocks: Any, piece: Postings) -> None:
        """Adds postings that follow all those before."""
        self._write(txn, blocks, piece, final=False)

    def finish(self, txn: lmdb.Transaction, blocks: Any, first_id: int, last_id: int, dead: int = 0) -> Run:
        """Writes what is left, and the fences; returns the run, which is live once a state lists it."""
        self._write(txn, blocks, NO_POSTINGS, final=True)
        fences = np.concatenate(self._fences) if self._fences else np.empty(0, file_format.FENCE)
        counts = np.array(self._position_counts, "<u2") if self._any_position else np.empty(0, "<u2")
        items = [
            *_chunks(self.number, file_format.FENCES, fences, file_format.FENCES_PER_CHUNK),
            *_chunks(self.number, file_format.POSITION_FENCES, counts, file_format.POSITION_FENCES_PER_CHUNK),
        ]
        txn.cursor(blocks).putmulti(items)
        return Run(self.number, self.postings, self._blocks, len(counts), first_id, last_id, dead)

    def _write(self, txn: lmdb.Transaction, blocks: Any, piece: Postings, *, final: bool) -> None:
        self.postings += len(piece)
        hashes = np.concatenate((self._rest.hashes, piece.hashes))
        documents = np.concatenate((self._rest.documents, piece.documents))
        buffer, sizes, counts = _codec.encode_postings(hashes, documents, final)
        taken = sum(counts)
        fences = np.empty(len(counts), file_format.FENCE)
        fences["postings"] = counts
        fences["first"] = hashes[np.cumsum([0, *counts[:-1]])] if counts else 0
        self._fences.append(fences)
        self._put(txn, blocks, file_format.POSTINGS, self._blocks, buffer, sizes)
        self._blocks += len(counts)
        self._rest = Postings(hashes[taken:], documents[taken:], piece.numbers[:0])

        # Positions are blocked on their own, from the first posting that has one; the zeros before it are made up for.
        if not self._any_position and piece.numbers.any():
            self._any_position = True
            before = self.postings - len(piece)
            for start in range(0, before, ZEROS_AT_ONCE):
                zeros = np.zeros(min(ZEROS_AT_ONCE, before - start), np.uint32)
                self._write_positions(txn, blocks, zeros, final=False)
        if self._any_position:
            self._write_positions(txn, blocks, piece.numbers, final=final)

    def _write_positions(self, txn: lmdb.Transaction, blocks: Any, more: U32, *, final: bool) -> None:
        numbers = np.concatenate((self._rest_numbers, more))
        buffer, sizes, counts = _codec.encode_positions(numbers, final)
        self._put(txn, blocks, file_format.POSITIONS, len(self._position_counts), buffer, sizes)
        self._position_counts += counts
        self._rest_numbers = numbers[sum(counts) :]

    def _put(self, txn: lmdb.Transaction, blocks: Any, column: int, index: int, buffer: U8, sizes: list[int]) -> None:
        items = _codec.sealed(file_format.block_number(self.number, column, index), buffer, sizes)
        if items:
            txn.cursor(blocks).putmulti(items)


def _chunks(run: int, column: int, array: NDArray[Any], length: int) -> Iterator[tuple[bytes, bytes]]:
    for index in range(-(-len(array) // length)):
        number = file_format.block_number(run, column, index)
        body = array[index * length : (index + 1) * length].tobytes()
        yield file_format.block_key(number), file_format.block_seal(number, body) + body


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class Fences:
    """The first hash of each block, and the number of postings of each; shape (blocks,)."""

    first: U64
    postings: NDArray[np.uint16]


def read_blocks(txn: lmdb.Transaction, blocks: Any, run: int, column: int, indices: I64) -> list[bytes | memoryview]:
    """The values of a column's blocks, checked. Raises Corrupt where one is missing or damaged."""
    first = file_format.block_number(run, column, 0)
    try:
        return _codec.read(txn.cursor(blocks).getmulti, first, indices, GET_AT_ONCE)
    except LookupError:
        raise Corrupt(f"run {run} lacks blocks; run 'fpdb check'") from None
    except ValueError:
        raise Corrupt(f"a block of run {run} does not match its checksum; run 'fpdb check'") from None


def _read_array(
    txn: lmdb.Transaction, blocks: Any, run: int, column: int, count: int, per_chunk: int, dtype: Any
) -> NDArray[Any]:
    values = read_blocks(txn, blocks, run, column, np.arange(-(-count // per_chunk)))
    array = np.frombuffer(b"".join(value[file_format.CHECKSUM :] for value in values), dtype)
    if len(array) != count:
        raise Corrupt(f"run {run} has {len(array)} fences where {count} were expected; run 'fpdb check'")
    return array


def read_fences(txn: lmdb.Transaction, blocks: Any, run: Run) -> Fences:
    """Raises Corrupt."""
    array = _read_array(
        txn, blocks, run.number, file_format.FENCES, run.blocks, file_format.FENCES_PER_CHUNK, file_format.FENCE
    )
    first = np.ascontiguousarray(array["first"])
    postings = np.ascontiguousarray(array["postings"])
    if (first[1:] < first[:-1]).any() or not postings.all() or int(postings.sum(dtype=np.int64)) != run.postings:
        raise Corrupt(f"the fences of run {run.number} do not add up; run 'fpdb check'")
    return Fences(first, postings)


def read_position_counts(txn: lmdb.Transaction, blocks: Any, run: Run) -> NDArray[np.uint16]:
    """How many positions each position block holds; shape (position blocks,). Raises Corrupt."""
    column, count, per_chunk = file_format.POSITION_FENCES, run.position_blocks, file_format.POSITION_FENCES_PER_CHUNK
    return _read_array(txn, blocks, run.number, column, count, per_chunk, np.dtype("<u2"))


def scan(txn: lmdb.Transaction, blocks: Any, run: Run, start: int = 0) -> Iterator[Postings]:
    """The run's postings from block `start` on, in order, some blocks at a time. Raises Corrupt."""
    fences = read_fences(txn, blocks, run)
    positions = _PositionReader(txn, blocks, run)
    for index in range(start, run.blocks, BLOCKS_A_PIECE):
        end = min(index + BLOCKS_A_PIECE, run.blocks)
        count = int(fences.postings[index:end].sum(dtype=np.int64))
        values = read_blocks(txn, blocks, run.number, file_format.POSTINGS, np.arange(index, end))
        with _damage_of(run):
            hashes, documents = _codec.decode_postings(values, count)
        yield Postings(hashes, documents, positions.take(count))


class _PositionReader:
    """Hands out a run's positions in order."""

    def __init__(self, txn: lmdb.Transaction, blocks: Any, run: Run) -> None:
        self._txn, self._blocks, self._run = txn, blocks, run
        self._counts = read_position_counts(txn, blocks, run)
        self._next = 0
        self._rest = np.empty(0, np.uint32)

    def take(self, count: int) -> U32:
        if not self._run.position_blocks:
            return np.zeros(count, np.uint32)
        have, end = len(self._rest), self._next
        while have < count and end < self._run.position_blocks:
            have += int(self._counts[end])
            end += 1
        values = read_blocks(
            self._txn, self._blocks, self._run.number, file_format.POSITIONS, np.arange(self._next, end)
        )
        with _damage_of(self._run):
            more = _codec.decode_positions(values, have - len(self._rest))
        self._next = end
        numbers = np.concatenate((self._rest, more))
        if len(numbers) < count:
            raise Corrupt(f"run {self._run.number} has too few positions; run 'fpdb check'")
        self._rest = numbers[count:]
        return numbers[:count]


@gc_paused()  # a view of each block is made
def look_up(txn: lmdb.Transaction, blocks: Any, run: Run, fences: Fences, hashes: U64) -> tuple[I64, U32]:
    """Which documents hold the hashes.

    hashes: sorted, distinct, shape (n,). Returns (counts, documents): how many documents hold each hash, shape (n,);
    and these, ascending, one hash after the other. Dead documents are included. Raises Corrupt.
    """
    counts = np.zeros(len(hashes), np.int64)
    parts = [np.empty(0, np.uint32)]
    for begin in range(0, len(hashes), HASHES_AT_ONCE):
        some = hashes[begin : begin + HASHES_AT_ONCE]
        there = _values(txn, blocks, run, fences, some)
        if there is not None:
            start, values, low_slots, high_slots = there
            with _damage_of(run):
                found, documents = _codec.probe(values, some[start:], low_slots, high_slots)
            counts[begin + start : begin + len(some)] = found
            parts.append(documents)
    return counts, np.concatenate(parts) if len(parts) != 2 else parts[1]


@gc_paused()
def tally(txn: lmdb.Transaction, blocks: Any, run: Run, fences: Fences, hashes: U64, counts: U32) -> None:
    """Adds 1 to counts[document] for each hash that a document holds; dead ones are included.

    hashes: sorted, distinct, shape (n,). counts: as long as the documents' ids require. Raises Corrupt.
    """
    found = _values(txn, blocks, run, fences, hashes)
    if found is not None:
        start, values, low_slots, high_slots = found
        with _damage_of(run):
            _codec.tally(values, hashes[start:], low_slots, high_slots, counts)


def _values(
    txn: lmdb.Transaction, blocks: Any, run: Run, fences: Fences, hashes: U64
) -> tuple[int, list[bytes | memoryview], U32, U32] | None:
    """The blocks that may hold the hashes: from which of these on there are any, and each one's first and last; None if
    there are none."""
    lows, highs = _codec.spans(fences.first, hashes)
    start = int(np.searchsorted(highs, 0))
    if start == len(hashes):
        return None
    wanted, low_slots, high_slots = _codec.slots(lows[start:], highs[start:])
    values = read_blocks(txn, blocks, run.number, file_format.POSTINGS, wanted)
    return start, values, low_slots, high_slots


@contextmanager
def _damage_of(run: Run) -> Iterator[None]:
    """Says of which run the blocks are that turn out to be damaged."""
    try:
        yield
    except ValueError as error:
        raise Corrupt(f"run {run.number}: {error}; run 'fpdb check'") from error


def look_in(txn: lmdb.Transaction, blocks: Any, run: Run, index: int, hash_: U64) -> U32:
    """The documents that hold a hash, shape (1,), according to one block. Raises Corrupt."""
    values = read_blocks(txn, blocks, run.number, file_format.POSTINGS, np.array([index]))
    only = np.zeros(1, np.uint32)
    with _damage_of(run):
        return _codec.probe(values, hash_, only, only)[1]


# ---------------------------------------------------------------- housekeeping


def written(txn: lmdb.Transaction, blocks: Any) -> Iterator[int]:
    """The numbers of all runs that have blocks, live or not."""
    cursor = txn.cursor(blocks)
    number = 0
    while number <= file_format.LARGEST_RUN and cursor.set_range(
        file_format.block_key(file_format.block_number(number, 0, 0))
    ):
        number = file_format.parse_block_key(bytes(cursor.key()))[0]
        yield number
        number += 1


def count(txn: lmdb.Transaction, blocks: Any, number: int) -> list[int]:
    """How many blocks a run has in each column, by their keys."""
    cursor = txn.cursor(blocks)
    found = [0] * 4
    if cursor.set_range(file_format.block_key(file_format.block_number(number, 0, 0))):
        for key in cursor.iternext(values=False):
            run, column, _ = file_format.parse_block_key(bytes(key))
            if run != number:
                break
            found[column] += 1
    return found


def counted(run: Run) -> list[int]:
    """How many blocks a run must have in each column."""
    fences = -(-run.blocks // file_format.FENCES_PER_CHUNK)
    position_fences = -(-run.position_blocks // file_format.POSITION_FENCES_PER_CHUNK)
    return [fences, run.blocks, position_fences, run.position_blocks]


def delete(txn: lmdb.Transaction, blocks: Any, number: int, most: int = 1 << 30) -> int:
    """Deletes up to `most` blocks of a run; returns how many it deleted."""
    cursor = txn.cursor(blocks)
    cursor.set_range(file_format.block_key(file_format.block_number(number, 0, 0)))
    deleted = 0
    while deleted < most and (key := bytes(cursor.key())) and file_format.parse_block_key(key)[0] == number:
        cursor.delete()
        deleted += 1
    return deleted
