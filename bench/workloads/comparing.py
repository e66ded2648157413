"""The workload that compares all documents with each other."""

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
    counted. Then a hundredth more documents are added, and the pairs with a new one are asked for. Target: 120 s, 2 GB
    for a million documents, which are 100 million postings. Limit: np.bincount of as many random documents as there are
    pairs of postings to count, on one core.
    """
    path = workspace.folder / "pairs.fpdb"
    stored = load(path, "groups", workspace.documents)
    (elapsed, pair_count), peak = in_child(_pairs, path, None)
    with fpdb.open(path) as db:
        for documents in corpora.KINDS["groups"](max(workspace.documents // NEW, 1), seed=2):
            names = [f"new {documents.first + row}" for row in range(len(documents.hashes))]
            offsets = np.arange(0, documents.hashes.size + 1, DOCUMENT)
            db.add_columns(names, offsets, documents.hashes.reshape(-1), labels={"added": ["new"] * len(names)})
    (of_new, _), _ = in_child(_pairs, path, ("added", "new"))
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
    yield Figure("with 1% new, in the time of all", of_new / elapsed, "")


def _pairs(path: Path, new: tuple[str, str] | None) -> tuple[float, int]:
    pair_count = 0

    def work() -> None:
        nonlocal pair_count
        pair_count = sum(1 for _ in db.pairs(min_shared=SHARED, max_df=0, new=new))

    with fpdb.open(path, "r") as db:
        return seconds(work), pair_count
