"""What the workloads of one run share: sizes, a folder on disk, and databases that are built once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

import lmdb
import numpy as np
from numpy.typing import NDArray

import fpdb
from bench.measuring import seconds

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

QUICK = 20  # how many times smaller a quick run is
DOCUMENT = 100  # hashes a document
BATCH = 30_000  # documents a commit
WINDOW = 21  # of the recipe that random positions imitate
KEPT = 50  # one document in so many is remembered, to ask for
NEIGHBOUR = 4096 - 24  # bytes of a value that fills a page


def documents(count: int, seed: int) -> Iterator[tuple[int, U64, U32]]:
    """Random documents in batches: the first one's number, hashes and positions, shape (documents, DOCUMENT)."""
    rng = np.random.default_rng(seed)
    for first in range(0, count, BATCH):
        shape = min(BATCH, count - first), DOCUMENT
        hashes = rng.integers(0, 2**64, shape, np.uint64)
        gaps = rng.integers(1, WINDOW + 1, shape, np.uint32)
        yield first, hashes, np.cumsum(gaps, axis=1, dtype=np.uint32)


def name_of(number: int) -> str:
    """The name of a random document."""
    return f"document {number:08}"


@dataclass(frozen=True)
class Stored:
    """A database file, and the hashes of some of its documents, shape (n, DOCUMENT)."""

    path: Path
    postings: int
    some: U64


@dataclass(frozen=True)
class Grown:
    """A database after single-document commits, each followed by a commit of one page in a plain LMDB file.

    seconds, neighbour: what each commit took, of the database and of LMDB.
    """

    stored: Stored
    seconds: list[float]
    neighbour: list[float]


@dataclass
class Room:
    """The run: folder, for all files; quick, for sizes and rounds that only show that everything works."""

    folder: Path
    quick: bool = False
    _stored: dict[tuple[int, bool], Stored] = field(default_factory=dict)
    _grown: dict[int, Grown] = field(default_factory=dict)

    def size(self, full: int) -> int:
        """A size, smaller in a quick run."""
        return full // QUICK if self.quick else full

    def rounds(self, full: int) -> int:
        """How often to repeat."""
        return max(full // QUICK, 1) if self.quick else full

    def stored(self, postings: int, *, positions: bool = False) -> Stored:
        """A compacted database of random documents, with that many postings in a full run."""
        key = self.size(postings), positions
        if key not in self._stored:
            path = self.folder / f"{key[0]}{'-positions' if positions else ''}.fpdb"
            some = []
            with fpdb.open(path, "x") as db:
                for first, hashes, places in documents(key[0] // DOCUMENT, seed=1):
                    some.append(hashes[::KEPT])
                    with db.batch() as batch:
                        for row in range(len(hashes)):
                            batch.add_fingerprints(
                                name_of(first + row), hashes[row], places[row] if positions else None
                            )
                db.compact()
            self._stored[key] = Stored(path, key[0], np.concatenate(some))
        return self._stored[key]

    def copy(self, stored: Stored, name: str) -> Path:
        """A database's file under another name, for a workload that changes it."""
        path = self.folder / name
        shutil.copyfile(stored.path, path)
        return path

    def grown(self, postings: int) -> Grown:
        """The database of that size after 1,000 commits of one new document each, timed."""
        stored = self.stored(postings)
        if stored.postings not in self._grown:
            path = self.copy(stored, f"{stored.postings}-grown.fpdb")
            _, hashes, _ = next(documents(self.size(1000), seed=2))
            taken: list[float] = []
            neighbour: list[float] = []
            page = bytes(NEIGHBOUR)
            with fpdb.open(path) as db, self.plain(f"{stored.postings}-neighbour") as env:
                for row, values in enumerate(hashes):
                    begun = time.perf_counter()
                    db.add_fingerprints(f"single {row}", values)
                    taken.append(time.perf_counter() - begun)
                    key = row.to_bytes(4, "big")
                    neighbour.append(seconds(partial(_put, env, key, page)))
            self._grown[stored.postings] = Grown(Stored(path, stored.postings, stored.some), taken, neighbour)
        return self._grown[stored.postings]

    def plain(self, name: str) -> lmdb.Environment:
        """A new LMDB file without fpdb, as durable as fpdb's, to compare with."""
        return lmdb.open(str(self.folder / f"{name}.lmdb"), subdir=False, map_size=1 << 36, lib_version=0)


def _put(env: lmdb.Environment, key: bytes, value: bytes) -> None:
    with env.begin(write=True) as txn:
        txn.put(key, value)


@lru_cache(maxsize=1)
def essay() -> str:
    """4,096 characters of words, the same every time."""
    rng = np.random.default_rng(3)
    letters = rng.integers(97, 123, 8192, np.uint8)
    letters[np.cumsum(rng.integers(2, 11, 1000))] = 32
    return letters[:4096].tobytes().decode()
