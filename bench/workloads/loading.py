"""Workloads that fill a database with the caller's own hashes."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fpdb
from bench import corpora
from bench.corpora import DOCUMENT
from bench.measuring import Figure, in_child, median, percentile, ratios
from bench.workspace import Workspace, add, load

BYTES = 12  # of an uncompressed posting: hash and document
SMALL = 1000  # documents of a commit, in a load of many
NEW = 100  # one new document for so many


def ingest_postings(workspace: Workspace) -> Iterator[Figure]:
    """Load random postings, 100 a document, by `add_fingerprints` in durable batches of 3 million in `Database.bulk`.

    Target: 3 M/s in under 1.5 GB, in a process of its own; making the random numbers is not timed. `python -m
    bench.compare` measures DuckDB's bulk load of the same postings. Limit: np.sort of the hashes and one sequential,
    synced write of 12 bytes a posting.
    """
    postings = workspace.documents * DOCUMENT
    speeds, limits, peaks, sizes = [], [], [], []
    for number in range(workspace.rounds(3)):
        path = workspace.folder / f"ingest-{number}.fpdb"
        elapsed, peak = in_child(_ingest, path, workspace.documents)
        limit, _ = in_child(sort_and_write, path.with_suffix(".array"), postings, postings)
        sizes.append(path.stat().st_size / postings)
        path.unlink()
        speeds.append(postings / 1e6 / elapsed)
        limits.append(postings / 1e6 / limit)
        peaks.append(peak / 1e9)
    yield median("speed", speeds, "M/s", target=3, better="more")
    yield median("peak memory", peaks, "GB", target=1.5)
    yield median("bytes a posting, not compacted", sizes, "bytes")
    yield median("np.sort and a sequential write", limits, "M/s")
    yield median("of that speed", ratios(speeds, limits), "")


def merge(workspace: Workspace) -> Iterator[Figure]:
    """Merge the compacted database of random postings into an empty one, and into a copy of itself.

    The names are prefixed in the latter.

    `Database.merge`, 100 postings a document. Target: 5 M/s in under 1 GB, in a process of its own. Limit: one
    sequential, synced write of as many bytes as the other file has.
    """
    stored = workspace.stored()
    postings = workspace.documents * DOCUMENT
    for what, target in (("into an empty database", 5), ("into one as large", 5)):
        speeds, peaks = [], []
        for number in range(workspace.rounds(3)):
            path = workspace.folder / f"merge-{number}.fpdb"
            if what == "into one as large":
                path = workspace.copy(stored, path.name)
            elapsed, peak = in_child(_merge, path, stored.path)
            path.unlink()
            speeds.append(postings / 1e6 / elapsed)
            peaks.append(peak / 1e9)
        yield median(what, speeds, "M/s", target=target, better="more")
        yield median(f"{what}, peak memory", peaks, "GB", target=1)
    size = stored.path.stat().st_size
    limits = [in_child(_write, workspace.folder / "merge.array", size)[0] for _ in range(workspace.rounds(3))]
    yield median("a sequential write", [postings / 1e6 / elapsed for elapsed in limits], "M/s")


def _merge(path: Path, other: Path) -> float:
    with fpdb.open(path) as db, fpdb.open(other, "r") as theirs:
        before = len(db)
        started = time.perf_counter()
        db.merge(theirs, prefix="other/" if before else "")
        elapsed = time.perf_counter() - started
        assert len(db) == before + len(theirs)
    return elapsed


def _write(path: Path, size: int) -> float:
    body = bytes(1 << 20)
    with path.open("wb") as file:
        started = time.perf_counter()
        for _ in range(-(-size // len(body))):
            file.write(body)
        file.flush()
        os.fsync(file.fileno())
        elapsed = time.perf_counter() - started
    path.unlink()
    return elapsed


def _ingest(path: Path, documents: int) -> float:
    return load(path, "random", documents).loading


def sort_and_write(path: Path, postings: int, commit: int) -> float:
    """Return the seconds to sort and append random hashes and the other bytes of postings, synced for each commit."""
    rng = np.random.default_rng(5)
    elapsed = 0.0
    with path.open("wb") as file:
        for begin in range(0, postings, commit):
            hashes = rng.integers(0, 2**64, min(commit, postings - begin), np.uint64)
            body = bytes((BYTES - hashes.itemsize) * len(hashes))
            started = time.perf_counter()
            file.write(np.sort(hashes).data)
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
            elapsed += time.perf_counter() - started
    path.unlink()
    return elapsed


def many_commits(workspace: Workspace) -> Iterator[Figure]:
    """Load the same postings in durable commits of 100,000 each, merges included.

    Target: 4 M/s in under 1.5 GB, and no commit over 5 s, with 100 million postings in 1,000 commits. Limit: np.sort of
    each commit's hashes and a sequential write of 12 bytes a posting, synced; it merges nothing.
    """
    postings = workspace.documents * DOCUMENT
    path = workspace.folder / "commits.fpdb"
    commits, peak = in_child(_commits, path, workspace.documents)
    limit, _ = in_child(sort_and_write, path.with_suffix(".array"), postings, SMALL * DOCUMENT)
    speed = postings / 1e6 / sum(commits)
    yield Figure("speed", speed, "M/s", target=4, better="more")
    yield Figure("peak memory", peak / 1e9, "GB", target=1.5)
    yield Figure("slowest commit", max(commits), "s", target=5)
    yield median("a commit", [1e3 * value for value in commits], "ms")
    yield Figure("a commit, 99th percentile", 1e3 * percentile(commits, 99), "ms")
    yield Figure("bytes a posting, not compacted", path.stat().st_size / postings, "bytes")
    yield Figure("of the speed of np.sort and a sequential write", limit / sum(commits), "")


def _commits(path: Path, count: int) -> list[float]:
    elapsed = []
    with fpdb.open(path, "x") as db:
        for documents in corpora.random(count, seed=5):
            for begin in range(0, len(documents.hashes), SMALL):
                elapsed.append(add(db, documents, slice(begin, begin + SMALL)))
        assert len(db) == count
    return elapsed


def one_percent(workspace: Workspace) -> Iterator[Figure]:
    """Add one new document for each hundred to the compacted database, in one commit, merges included.

    Target: 2% of the time of loading the whole. Limit: np.sort of their hashes and a sequential, synced write.
    """
    stored = workspace.stored()
    count = max(workspace.documents // NEW, 1)
    new = _together(corpora.random(count, seed=9), first=workspace.documents)
    elapsed, limit = [], []
    for number in range(workspace.rounds(3)):
        path = workspace.copy(stored, f"one-percent-{number}.fpdb")
        with fpdb.open(path) as db:
            elapsed.append(add(db, new, slice(None)))
        limit.append(sort_and_write(path.with_suffix(".array"), new.hashes.size, new.hashes.size))
        path.unlink()
    yield median("of a full load", [100 * value / stored.loading for value in elapsed], "%", target=2)
    yield median("seconds", elapsed, "s")
    yield median("speed", [new.hashes.size / 1e6 / value for value in elapsed], "M/s")
    yield median("of the speed of np.sort and a sequential write", ratios(limit, elapsed), "")


def _together(batches: Iterator[corpora.Documents], first: int) -> corpora.Documents:
    _, hashes, positions = zip(*batches, strict=True)
    return corpora.Documents(first, np.concatenate(hashes), np.concatenate(positions))
