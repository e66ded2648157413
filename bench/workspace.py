"""Share among the workloads of one run: a size, a folder on disk, and databases that are built once."""

import os
import shutil
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import lmdb
import numpy as np

import fpdb
import fpdb.ingest.batch  # the first commit that is timed would import it, and all that writes
from bench import corpora
from bench.corpora import DOCUMENT, name_of
from bench.measuring import seconds
from fpdb.arrays import U64

SIZE = 10_000_000  # postings, unless asked for others
QUICK = 20  # how many times smaller a quick run is
KEPT = 50  # one document in so many is remembered, to ask for
SINGLES = 1000  # commits of one document
PAGE_VALUE = 4096 - 24  # bytes of a value that fills a page


@dataclass(frozen=True)
class StoredDatabase:
    """A database file, and the hashes of some of its documents, shape (n, hashes).

    loading: seconds to add the documents, in durable batches.
    """

    path: Path
    postings: int
    sample: U64
    loading: float

    @property
    def bytes_a_posting(self) -> float:
        """Return the bytes of the whole file, divided by its postings."""
        return self.path.stat().st_size / self.postings


@dataclass(frozen=True)
class GrownDatabase:
    """A database after commits of single documents, each followed by a commit of one page in a plain LMDB file.

    seconds, lmdb_commits: seconds of each commit of the database, and of LMDB.
    """

    stored: StoredDatabase
    seconds: list[float]
    lmdb_commits: list[float]


@dataclass
class Workspace:
    """The folder and the sizes of a run.

    folder: holds all files. postings: about how many a database has. quick: small sizes and few rounds, which only show
    that everything works.
    """

    folder: Path
    quick: bool = False
    postings: int = SIZE
    _stored: dict[tuple[str, int, bool], StoredDatabase] = field(default_factory=dict)
    _grown: GrownDatabase | None = None

    def __post_init__(self) -> None:
        """Divide the postings of a quick run."""
        if self.quick:
            self.postings //= QUICK

    @property
    def documents(self) -> int:
        """Return the number of documents that have the run's postings."""
        return max(self.postings // DOCUMENT, 1)

    def size(self, full: int) -> int:
        """Return a number that does not depend on the run's size; it is smaller in a quick run."""
        return max(full // QUICK, 1) if self.quick else full

    def rounds(self, full: int) -> int:
        """Return the number of repetitions."""
        return max(full // QUICK, 1) if self.quick else full

    def stored(self, corpus: str = "random", *, positions: bool = False, tenth: bool = False) -> StoredDatabase:
        """Return a compacted database of the run's size, or of a tenth of it; with positions only if asked for."""
        count = max(self.documents // 10, 1) if tenth else self.documents
        key = corpus, count, positions
        if key not in self._stored:
            path = self.folder / f"{corpus}-{count}{'-positions' if positions else ''}.fpdb"
            stored = load(path, corpus, count, positions=positions)
            with fpdb.open(path) as db:
                db.compact()
            self._stored[key] = stored
        return self._stored[key]

    def copy(self, stored: StoredDatabase, name: str) -> Path:
        """Copy a database's file to another name, for a workload that changes it."""
        path = self.folder / name
        shutil.copyfile(stored.path, path)
        with path.open("rb") as file:
            os.fsync(file.fileno())  # not while something is timed
        return path

    def grown(self) -> GrownDatabase:
        """Return the random database after SINGLES timed commits of one new document each."""
        if self._grown is None:
            stored = self.stored()
            path = self.copy(stored, "grown.fpdb")
            elapsed, lmdb_commits = self.add_singly(path, self.size(SINGLES), seed=2)
            self._grown = GrownDatabase(
                StoredDatabase(path, stored.postings, stored.sample, stored.loading), elapsed, lmdb_commits
            )
        return self._grown

    def add_singly(self, path: Path, count: int, seed: int) -> tuple[list[float], list[float]]:
        """Return the seconds of `count` commits of one new document each, and of LMDB's commits after each."""
        elapsed: list[float] = []
        lmdb_commits: list[float] = []
        page = bytes(PAGE_VALUE)
        row = 0
        with fpdb.open(path) as db, self.plain_lmdb(f"lmdb_commits-{seed}") as env:
            for documents in corpora.random(count, seed):
                for values in documents.hashes:
                    started = time.perf_counter()
                    db.add_fingerprints(f"single {seed} {row}", values)
                    elapsed.append(time.perf_counter() - started)
                    lmdb_commits.append(seconds(partial(put, env, row.to_bytes(4, "big"), page)))
                    row += 1
        return elapsed, lmdb_commits

    def plain_lmdb(self, name: str) -> lmdb.Environment:
        """Open a new LMDB file without fpdb, as durable as fpdb's, for comparison."""
        return lmdb.open(str(self.folder / f"{name}.lmdb"), subdir=False, map_size=1 << 36, lib_version=0)


def load(path: Path, corpus: str, count: int, *, positions: bool = False, batch: int = corpora.BATCH) -> StoredDatabase:
    """Make a database of `count` documents, `batch` in each commit. Making the random numbers is not timed."""
    elapsed, postings, some = 0.0, 0, []
    with fpdb.open(path, "x") as db:
        bulk = ExitStack()
        bulk.enter_context(db.bulk())
        for documents in corpora.KINDS[corpus](count):
            for begin in range(0, len(documents.hashes), batch):
                elapsed += add(db, documents, slice(begin, begin + batch), positions=positions)
            postings += documents.hashes.size
            some.append(documents.hashes[::KEPT].copy())
        elapsed += seconds(bulk.close)
        assert db.info()["postings"] == postings
    return StoredDatabase(path, postings, np.concatenate(some), elapsed)


def add(db: fpdb.Database, documents: corpora.Documents, rows: slice, *, positions: bool = False) -> float:
    """Add some documents in one durable commit, and return the seconds."""
    numbers = range(documents.first, documents.first + len(documents.hashes))[rows]
    started = time.perf_counter()
    with db.batch() as one:
        for number, hashes, places in zip(numbers, documents.hashes[rows], documents.positions[rows], strict=True):
            one.add_fingerprints(name_of(number), hashes, places if positions else None)
    return time.perf_counter() - started


def put(env: lmdb.Environment, key: bytes, value: bytes) -> None:
    """Commit one value."""
    with env.begin(write=True) as txn:
        txn.put(key, value)
