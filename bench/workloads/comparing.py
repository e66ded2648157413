"""The workload that compares all documents with each other."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fpdb
from bench import corpora
from bench.corpora import DOCUMENT, FREQUENCIES
from bench.measuring import Figure, in_child, seconds
from bench.workspace import Workspace, load

SHARED = 10  # hashes that a pair shares at least: more than strangers do, fewer than neighbours
COUNTED = 10_000_000  # numbers that the limit counts
NEW = 100


def pairs(workspace: Workspace) -> Iterator[Figure]:
    """Find the `pairs` of documents of 100 fingerprints each, held by 1 to 100 documents, in a process of its own.

    Rare hashes are shared by neighbours, common ones by random documents; the pairs of neighbours are asked for, and
    counted, and the drop list. Then a hundredth more documents are added, and both are asked for of new ones.

    Target: 120 s, 2 GB for a million documents, which are 100 million postings, and of new ones 5% of the time.
    Limit: np.bincount of as many random documents as there are pairs of postings to count, on one core.
    """
    path = workspace.folder / "pairs.fpdb"
    stored = load(path, "groups", workspace.documents)
    (elapsed, processor, pair_count), peak = in_child(_pairs, path, None)
    dropping, _ = in_child(_drop_list, path, None)
    with fpdb.open(path) as db:
        for documents in corpora.KINDS["groups"](max(workspace.documents // NEW, 1), seed=2):
            names = [f"new {documents.first + row}" for row in range(len(documents.hashes))]
            offsets = np.arange(0, documents.hashes.size + 1, DOCUMENT)
            db.add_columns(names, offsets, documents.hashes.reshape(-1), labels={"added": ["new"] * len(names)})
    (_, of_new, _), _ = in_child(_pairs, path, ("added", "new"))
    dropping_new, _ = in_child(_drop_list, path, ("added", "new"))
    path.unlink()
    counts = workspace.documents * (DOCUMENT // len(FREQUENCIES)) * sum(frequency - 1 for frequency in FREQUENCIES) / 2
    numbers = np.random.default_rng(1).integers(0, workspace.documents, COUNTED)
    np.bincount(numbers)
    limit = seconds(lambda: np.bincount(numbers)) * counts / COUNTED
    yield Figure("seconds", elapsed, "s", target=120)
    yield Figure("peak memory", peak / 1e9, "GB", target=2)
    yield Figure("documents", stored.postings // DOCUMENT, "")
    yield Figure("pairs found", pair_count, "")
    yield Figure("pairs of postings, counted in a second", counts / 1e6 / elapsed, "M/s")
    yield Figure("in the time of np.bincount", elapsed / limit, "")
    yield Figure("with 1% new, in the processor time of all", of_new / processor, "", target=0.05)
    yield Figure("drop list, processor time", dropping, "s")
    yield Figure("drop list of 1% new, in the processor time of all", dropping_new / dropping, "", target=0.05)


def _pairs(path: Path, new: tuple[str, str] | None) -> tuple[float, float, int]:
    """Return the seconds, the seconds of all processors, and the number of pairs."""
    with fpdb.open(path, "r") as db:
        started, processor = time.perf_counter(), time.process_time()
        pair_count = sum(1 for _ in db.pairs(min_shared=SHARED, max_df=0, new=new))
        return time.perf_counter() - started, time.process_time() - processor, pair_count


def _drop_list(path: Path, new: tuple[str, str] | None) -> float:
    with fpdb.open(path, "r") as db:
        started = time.process_time()
        list(db.drop_list(min_shared=SHARED, new=new))
        return time.process_time() - started
