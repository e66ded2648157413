"""What the workloads of one run share: a size, a folder on disk, and databases that are built once."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import lmdb
import numpy as np
from numpy.typing import NDArray

import fpdb
from bench import corpora
from bench.corpora import DOCUMENT, name_of
from bench.measuring import seconds

U64 = NDArray[np.uint64]

SIZE = 10_000_000  # postings, unless asked for others
QUICK = 20  # how many times smaller a quick run is
KEPT = 50  # one document in so many is remembered, to ask for
SINGLES = 1000  # commits of one document
NEIGHBOUR = 4096 - 24  # bytes of a value that fills a page


@dataclass(frozen=True)
class Stored:
    """A database file, and the hashes of some of its documents, shape (n, hashes).

    loading: seconds it took to add the documents, in durable batches.
    """

    path: Path
    postings: int
    some: U64
    loading: float

    @property
    def bytes_a_posting(self) -> float:
        """Of the whole file."""
        return self.path.stat().st_size / self.postings


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
    """The run: folder, for all files; postings, about as many as there are in a database; quick, for sizes and rounds
    that only show that everything works."""

    folder: Path
    quick: bool = False
    postings: int = SIZE
    _stored: dict[tuple[str, int, bool], Stored] = field(default_factory=dict)
    _grown: Grown | None = None

    def __post_init__(self) -> None:
        if self.quick:
            self.postings //= QUICK

    @property
    def documents(self) -> int:
        """As many as have the run's postings."""
        return max(self.postings // DOCUMENT, 1)

    def size(self, full: int) -> int:
        """A number that does not depend on the run's size; smaller in a quick run."""
        return max(full // QUICK, 1) if self.quick else full

    def rounds(self, full: int) -> int:
        """How often to repeat."""
        return max(full // QUICK, 1) if self.quick else full

    def stored(self, corpus: str = "random", *, positions: bool = False, tenth: bool = False) -> Stored:
        """A compacted database of the run's size, or of a tenth of it, without positions unless asked for."""
        count = max(self.documents // 10, 1) if tenth else self.documents
        key = corpus, count, positions
        if key not in self._stored:
            path = self.folder / f"{corpus}-{count}{'-positions' if positions else ''}.fpdb"
            stored = load(path, corpus, count, positions=positions)
            with fpdb.open(path) as db:
                db.compact()
            self._stored[key] = stored
        return self._stored[key]

    def copy(self, stored: Stored, name: str) -> Path:
        """A database's file under another name, for a workload that changes it."""
        path = self.folder / name
        shutil.copyfile(stored.path, path)
        with path.open("rb") as file:
            os.fsync(file.fileno())  # not while something is timed
        return path

    def grown(self) -> Grown:
        """The random database after SINGLES commits of one new document each, timed."""
        if self._grown is None:
            stored = self.stored()
            path = self.copy(stored, "grown.fpdb")
            taken, neighbour = self.add_singly(path, self.size(SINGLES), seed=2)
            self._grown = Grown(Stored(path, stored.postings, stored.some, stored.loading), taken, neighbour)
        return self._grown

    def add_singly(self, path: Path, count: int, seed: int) -> tuple[list[float], list[float]]:
        """Seconds of so many commits of one new document each, and of LMDB's commits after each of them."""
        taken: list[float] = []
        neighbour: list[float] = []
        page = bytes(NEIGHBOUR)
        row = 0
        with fpdb.open(path) as db, self.plain(f"neighbour-{seed}") as env:
            for documents in corpora.random(count, seed):
                for values in documents.hashes:
                    begun = time.perf_counter()
                    db.add_fingerprints(f"single {seed} {row}", values)
                    taken.append(time.perf_counter() - begun)
                    neighbour.append(seconds(partial(put, env, row.to_bytes(4, "big"), page)))
                    row += 1
        return taken, neighbour

    def plain(self, name: str) -> lmdb.Environment:
        """A new LMDB file without fpdb, as durable as fpdb's, to compare with."""
        return lmdb.open(str(self.folder / f"{name}.lmdb"), subdir=False, map_size=1 << 36, lib_version=0)


def load(path: Path, corpus: str, count: int, *, positions: bool = False, batch: int = corpora.BATCH) -> Stored:
    """A new database of so many documents, batch of them a commit. Making the random numbers is not timed."""
    taken, postings, some = 0.0, 0, []
    with fpdb.open(path, "x") as db:
        bulk = ExitStack()
        bulk.enter_context(db.bulk())
        for documents in corpora.KINDS[corpus](count):
            for begin in range(0, len(documents.hashes), batch):
                taken += add(db, documents, slice(begin, begin + batch), positions=positions)
            postings += documents.hashes.size
            some.append(documents.hashes[::KEPT].copy())
        taken += seconds(bulk.close)
        assert db.info()["postings"] == postings
    return Stored(path, postings, np.concatenate(some), taken)


def add(db: fpdb.Database, documents: corpora.Documents, rows: slice, *, positions: bool = False) -> float:
    """Adds some documents in one durable commit; returns the seconds."""
    numbers = range(documents.first, documents.first + len(documents.hashes))[rows]
    begun = time.perf_counter()
    with db.batch() as one:
        for number, hashes, places in zip(numbers, documents.hashes[rows], documents.positions[rows], strict=True):
            one.add_fingerprints(name_of(number), hashes, places if positions else None)
    return time.perf_counter() - begun


def put(env: lmdb.Environment, key: bytes, value: bytes) -> None:
    """Commits one value."""
    with env.begin(write=True) as txn:
        txn.put(key, value)
