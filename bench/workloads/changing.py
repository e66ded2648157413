"""Workloads that change a few documents of a large database."""

from collections.abc import Callable, Iterator
from functools import partial

import lmdb
import numpy as np

import fpdb
from bench import corpora
from bench.corpora import name_of
from bench.measuring import Figure, median, percentile, ratios, seconds
from bench.workspace import PAGE_VALUE, SINGLES, Workspace, put
from fpdb.arrays import U64

SINGLE_ADDS = 10_000
GONE = 10_000  # documents removed at once
SHARE = 10  # but one in so many at most
REPLACED = 300


def add_one(workspace: Workspace) -> Iterator[Figure]:
    """Add a document of 100 hashes to the compacted database, durably, 10,000 times; merges included.

    Target: as long as 3 commits of LMDB, median; as 6, mean of all. Limit: a commit of one 4 KB value to a plain LMDB
    file in the same folder, after each.
    """
    grown = workspace.grown()
    path = workspace.copy(grown.stored, "singles.fpdb")
    more, more_neighbour = workspace.add_singly(path, workspace.size(SINGLE_ADDS) - workspace.size(SINGLES), seed=3)
    elapsed = [1e3 * value for value in (*grown.seconds, *more)]
    limit = [1e3 * value for value in (*grown.lmdb_commits, *more_neighbour)]
    yield median("median, in LMDB commits", ratios(elapsed, limit), "", target=3)
    yield Figure("mean, in mean LMDB commits", sum(elapsed) / sum(limit), "", target=6)
    yield median("median", elapsed, "ms")
    yield Figure("mean", sum(elapsed) / len(elapsed), "ms")
    yield Figure("99th percentile", percentile(elapsed, 99), "ms")
    yield Figure("slowest", max(elapsed), "ms")
    yield median(f"LMDB commit of {PAGE_VALUE} bytes", limit, "ms")


def remove(workspace: Workspace) -> Iterator[Figure]:
    """Remove 10,000 documents from all over the database in one commit, but a tenth of all at most.

    Target: 1 s of a million documents, which are 100 million postings. Limit: as many values of 16 bytes deleted in one
    commit from a plain LMDB file that has one for each document.
    """
    count = min(GONE, max(workspace.documents // SHARE, 1))
    stored = workspace.stored()
    elapsed, limit = [], []
    for number in range(workspace.rounds(3)):
        removed_numbers = np.random.default_rng(number).choice(workspace.documents, count, replace=False).tolist()
        path = workspace.copy(stored, f"remove-{number}.fpdb")
        with fpdb.open(path) as db:
            elapsed.append(seconds(partial(_remove, db, removed_numbers)))
            assert len(db) == workspace.documents - count
        path.unlink()
        with workspace.plain_lmdb(f"remove-{number}") as env:
            with env.begin(write=True) as txn:
                for key in range(workspace.documents):
                    txn.put(key.to_bytes(4, "big"), bytes(16), append=True)
            limit.append(seconds(partial(_delete, env, removed_numbers)))
    yield median("seconds", elapsed, "s", target=1)
    yield Figure("documents", count, "")
    yield median("deleting as many values from LMDB", limit, "s")
    yield median("in such deletions", ratios(elapsed, limit), "")


def _remove(db: fpdb.Database, removed_numbers: list[int]) -> None:
    with db.batch() as batch:
        for number in removed_numbers:
            batch.remove(name_of(number))


def _delete(env: lmdb.Environment, removed_numbers: list[int]) -> None:
    with env.begin(write=True) as txn:
        for key in removed_numbers:
            txn.delete(key.to_bytes(4, "big"))


def replace(workspace: Workspace) -> Iterator[Figure]:
    """Replace documents by others of the same names: 300 in a commit each, then one in a hundred in a single commit.

    Target: none of its own; that of add-one is 3 commits of LMDB. Limit: a commit of one 4 KB value to a plain LMDB
    file after each of the 300; for the single commit, the time that as many new documents take in the same file.
    """
    path = workspace.copy(workspace.stored(), "replace.fpdb")
    singles = workspace.size(REPLACED)
    many = max(workspace.documents // 100, 1)
    new = np.concatenate([documents.hashes for documents in corpora.random(singles + 2 * many, seed=12)])
    numbers = np.random.default_rng(8).choice(
        workspace.documents, singles + many, replace=singles + many > workspace.documents
    )
    names = [name_of(number) for number in numbers.tolist()]
    page = bytes(PAGE_VALUE)
    elapsed, limit = [], []
    with fpdb.open(path) as db, workspace.plain_lmdb("replace") as env:
        for row in range(singles):
            elapsed.append(1e3 * seconds(partial(db.add_fingerprints, names[row], new[row])))
            limit.append(1e3 * seconds(partial(put, env, row.to_bytes(4, "big"), page)))
        together = seconds(partial(_add, db, names[singles:].__getitem__, new[singles : singles + many]))
        afresh = seconds(partial(_add, db, "new {}".format, new[singles + many :]))
    path.unlink()
    yield median("one, median", elapsed, "ms")
    yield median("one, in LMDB commits", ratios(elapsed, limit), "")
    yield Figure("documents replaced in a single commit", many, "")
    yield Figure("them, a second", many / together, "1/s")
    yield Figure("them, in the time of as many new ones", together / afresh, "")


def _add(db: fpdb.Database, name: Callable[[int], str], hashes: U64) -> None:
    with db.batch() as batch:
        for row, values in enumerate(hashes):
            batch.add_fingerprints(name(row), values)
