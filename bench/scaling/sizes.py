"""Compute bytes a posting by the formula of the file format, and measure a slice of a large shard as it is written.

The postings of a shard whose hashes lie below 2^64 / r are an r-th of it. The gaps between their hashes are those of
the whole shard, and their documents are any of the shard's: so their blocks are the first blocks of the whole shard,
and a posting takes as many bytes. Rows that Spark moves are made in the same way, in the layout of its binary rows, and
compressed by Spark's default (LZ4 in pieces of 32 KiB); so are Parquet files (Snappy).
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, log2
from pathlib import Path
from typing import Any, NamedTuple

import lmdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from fpdb.arrays import U8, U64
from fpdb.storage import file_format
from fpdb.storage.environment import files
from fpdb.storage.environment.environment import Environment
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import write_run
from fpdb.storage.state import State

PAGE = 4096
BLOCK = 4072  # bytes of a block at most
AROUND = 36  # of which checksum, header and the zeros at the end
AROUND_POSITIONS = 24
ENTRY = 26  # bytes of a block's entry in a leaf of LMDB's tree: header, key, page number, offset
LEAF_FILLED = 0.5  # of a leaf, as LMDB splits them when keys come in order
FENCE, POSITION_FENCE = 10, 2
PIECE = 1 << 15  # bytes that Spark compresses at a time
TASK = 1 << 20  # postings of a task that Spark shuffles


class Shard(NamedTuple):
    """A database of `documents` documents, each with `hashes` random hashes, at positions up to `longest`."""

    documents: int
    hashes: int
    longest: int

    @property
    def postings(self) -> int:
        """Return the number of postings of all documents."""
        return self.documents * self.hashes


def block_postings(shard: Shard) -> int:
    """Return the postings of a block; a block has a few more if the documents are just above a power of two."""
    gap = 2**64 / shard.postings
    low, width = floor(log2(gap)), (shard.documents - 1).bit_length()

    def size(count: int) -> int:
        high = 8 * ((count + int(count * gap / 2**low) + 64) // 64)
        return AROUND + high + ceil(count * low / 8) + ceil(count * width / 8)

    return max(count for count in range(1, BLOCK) if size(count) <= BLOCK)  # more than a byte each


def posting_bytes(shard: Shard) -> float:
    """Return the bytes of the file for a posting without position: shares of a page, a tree entry and a fence."""
    return (PAGE + ENTRY / LEAF_FILLED + FENCE) / block_postings(shard)


def position_bytes(shard: Shard) -> float:
    """Return the additional bytes of a position."""
    count = (BLOCK - AROUND_POSITIONS) * 8 // (shard.longest + 1).bit_length()
    return (PAGE + ENTRY / LEAF_FILLED + POSITION_FENCE) / count


def entropy_bytes(shard: Shard) -> float:
    """Return the least bytes of a posting without position on average; docs/design/performance.md derives them."""
    return (64 + log2(2.718281828459045) - log2(shard.hashes)) / 8


def used(path: Path) -> dict[bytes, int]:
    """Return the bytes of pages in use, by LMDB database, of a file that nobody has open."""
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False, max_dbs=len(file_format.NAMED)) as env:
        bytes_used = {}
        for name in file_format.NAMED:
            database = env.open_db(name, create=False)
            with env.begin() as txn:
                pages = txn.stat(database)
            bytes_used[name] = PAGE * sum(pages[f"{sort}_pages"] for sort in ("branch", "leaf", "overflow"))
        return bytes_used


# ---------------------------------------------------------------- simulated


def slice_of(shard: Shard, postings: int, seed: int = 1) -> Postings:
    """Return the first `postings` postings of a shard, in order, with encoded positions."""
    rng = np.random.default_rng(seed)
    end = 2**64 * postings // shard.postings
    hashes = np.sort(rng.integers(0, end, postings, np.uint64))
    documents = rng.integers(0, shard.documents, postings, np.uint32)
    return Postings(hashes, documents, rng.integers(1, shard.longest + 1, postings, np.uint32, endpoint=True))


def simulated(path: Path, shard: Shard, postings: int, *, positions: bool) -> float:
    """Return bytes a posting of a slice that is written as a run of a new file, which is removed again."""
    postings_slice = slice_of(shard, postings)
    if not positions:
        postings_slice = replace(postings_slice, encoded_positions=np.zeros_like(postings_slice.encoded_positions))
    files.new_file(str(path), file_format.pack_format({}), {file_format.STATE_KEY: State().pack()})
    env = Environment(str(path), readonly=False, timeout=0)
    write_run(env, 1, [postings_slice], (0, shard.documents - 1))
    env.close()
    size = used(path)[file_format.BLOCKS]
    path.unlink()
    for suffix in files.BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return size / postings


class Moved(NamedTuple):
    """Bytes a posting on Spark.

    table: in the Parquet files of `fingerprints`. by_document: in a shuffle of documents with all of their hashes and
    positions. by_hash: in a shuffle of postings with positions. held: of hashes and documents. counted: of hashes with
    a count. folder: in the Parquet files that `build` writes. pair: of two documents, in a shuffle.
    """

    table: float
    by_document: float
    by_hash: float
    held: float
    counted: float
    folder: float
    pair: float


def moved(shard: Shard, partitions: int, task: int = TASK, seed: int = 2) -> Moved:
    """Return the bytes a posting that Spark moves and writes for a shard that is the whole collection.

    Args:
        shard: the collection.
        partitions: into which a task is shuffled; the rows of one partition are made, and at least 1,000.
        task: postings of a task.
        seed: of the random numbers.
    """
    rng = np.random.default_rng(seed)
    count = max(task // partitions, 1000)
    hashes = rng.integers(0, 2**64 // partitions, count, np.uint64)
    documents = np.sort(rng.integers(0, task // shard.hashes, count)) + shard.documents // 2
    places = rng.integers(0, shard.longest, count)
    others = rng.integers(0, shard.documents, count)
    posting_count = max(count // shard.hashes, 10) * shard.hashes
    ids = np.arange(posting_count // shard.hashes) + shard.documents // 2
    document_hashes = rng.integers(0, 2**64, posting_count, np.uint64)
    positions = np.sort(rng.integers(0, shard.longest, (len(ids), shard.hashes)), axis=1)
    return Moved(
        table=_parquet_bytes(rng.integers(0, 2**64, task, np.uint64), rng.integers(0, shard.longest, task)),
        by_document=_compressed(_document_rows(ids, document_hashes.reshape(positions.shape), positions))
        / posting_count,
        by_hash=_compressed(_rows(hashes, documents, places)) / count,
        held=_compressed(_rows(documents, hashes)) / count,
        counted=_compressed(_rows(hashes, np.ones(count))) / count,
        folder=_folder_bytes(shard, task),
        pair=_compressed(_rows(documents, others, np.ones(count))) / count,
    )


def _folder_bytes(shard: Shard, task: int) -> float:
    postings = slice_of(shard, task)
    return _parquet_bytes(
        postings.hashes, postings.document_ids.astype(np.int64), postings.encoded_positions.astype(np.int64)
    )


def _parquet_bytes(*columns: NDArray[Any]) -> float:
    table = pa.table({str(index): column.view(np.int64) for index, column in enumerate(columns)})
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="snappy")
    return float(sink.getvalue().size / len(table))


def _rows(*columns: NDArray[Any]) -> U8:
    """Return rows as Spark serializes them: 4 bytes of length, 8 with the null columns, 8 bytes for each column."""
    rows = np.zeros((len(columns[0]), 12 + 8 * len(columns)), np.uint8)
    rows[:, 3] = 8 + 8 * len(columns)
    for index, column in enumerate(columns):
        rows[:, 12 + 8 * index : 20 + 8 * index] = _bytes(column)
    return rows.ravel()


def _document_rows(ids: NDArray[Any], hashes: U64, places: NDArray[Any]) -> U8:
    """Return rows of an id and an array of (hash, position) pairs: each pair's offset, null bits and two numbers."""
    rows = []
    pair_bytes = 24
    for document, document_hashes, positions in zip(ids, hashes, places, strict=True):
        offsets = (
            8
            + 8 * ceil(len(document_hashes) / 64)
            + 8 * len(document_hashes)
            + pair_bytes * np.arange(len(document_hashes))
        )
        pairs = np.stack(
            [np.zeros(len(document_hashes), np.uint64), document_hashes, positions.astype(np.uint64)], axis=1
        )
        head = np.array(
            [0, document, 24 << 32, len(document_hashes), *[0] * ceil(len(document_hashes) / 64)], np.uint64
        )
        rows.append(np.concatenate([head, (offsets << 32 | pair_bytes).astype(np.uint64), pairs.ravel()]))
    return np.concatenate(rows).view(np.uint8)


def _bytes(column: NDArray[Any]) -> U8:
    return column.astype("<u8").view(np.uint8).reshape(-1, 8)


def _compressed(rows: U8) -> int:
    codec = pa.Codec("lz4_raw")
    pieces: Sequence[U8] = np.split(rows, range(PIECE, len(rows), PIECE))
    return sum(len(codec.compress(piece.tobytes(), asbytes=True)) for piece in pieces)
