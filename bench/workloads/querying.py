"""Workloads that ask."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

import fpdb
from bench.measuring import Figure, in_turns, median, percentile, ratios, run, seconds
from bench.room import NEIGHBOUR, Room, Stored, essay

U64 = NDArray[np.uint64]

POSTINGS = 10_000_000
POSTINGS_A_BLOCK = 460  # about what a block takes, to make as many pages
ASKED = 105  # hashes: 60 of one document, 5 of five others each, 20 of none
OWN, SHARED, OTHERS, NEW = 60, 5, 5, 20


def query(room: Room) -> Iterator[Figure]:
    """A query of 105 hashes against 10 million postings, warm: compacted, and after 1,000 single-document commits.

    60 of the hashes are one document's, 25 are spread over five others, 20 are in none. Target: 2 ms median compacted,
    4 ms after the commits. Limit: 105 values of a page each, fetched by LMDB's getmulti from a file of the same size.
    """
    stored, grown = room.stored(POSTINGS), room.grown(POSTINGS)
    asked = _queries(stored, room.size(1000))
    compacted, commits, limit = [], [], []
    pages = stored.postings // POSTINGS_A_BLOCK
    rng = np.random.default_rng(7)
    with (
        fpdb.open(stored.path, "r") as fresh,
        fpdb.open(grown.stored.path, "r") as busy,
        room.plain("pages") as env,
    ):
        with env.begin(write=True) as txn:
            for key in range(pages):
                txn.put(key.to_bytes(8, "big"), bytes(NEIGHBOUR), append=True)
        runs = busy.info()["runs"]
        for hashes in asked:  # warms up
            assert fresh.query_fingerprints(hashes).matches[0].shared == OWN
            assert busy.query_fingerprints(hashes).matches[0].shared == OWN
        for hashes in asked:
            keys = [int(key).to_bytes(8, "big") for key in np.sort(rng.integers(0, pages, ASKED))]
            compacted.append(1e3 * seconds(partial(fresh.query_fingerprints, hashes)))
            commits.append(1e3 * seconds(partial(busy.query_fingerprints, hashes)))
            with env.begin(buffers=True) as txn:
                limit.append(1e3 * seconds(partial(txn.cursor().getmulti, keys)))
    yield median("compacted", compacted, "ms", target=2)
    yield Figure("compacted, 99th percentile", percentile(compacted, 99), "ms")
    yield median("after single-document commits", commits, "ms", target=4)
    yield Figure("runs after them", runs, "")
    yield median("fetching 105 pages", limit, "ms")
    yield median("compacted, in such fetches", ratios(compacted, limit), "")


def _queries(stored: Stored, count: int) -> list[U64]:
    rng = np.random.default_rng(6)
    asked = []
    for _ in range(count):
        own, *others = rng.choice(len(stored.some), 1 + OTHERS, replace=False)
        parts = [stored.some[own, :OWN], *(stored.some[other, :SHARED] for other in others)]
        asked.append(np.concatenate([*parts, rng.integers(0, 2**64, NEW, np.uint64)]))
    assert all(len(hashes) == ASKED for hashes in asked)
    return asked


def cli_query(room: Room) -> Iterator[Figure]:
    """`fpdb query` of a 4 KB file against 10 million postings, as a new process, from start to exit.

    Target: 0.3 s. Limit: a Python that imports numpy and lmdb and does nothing.
    """
    path = room.copy(room.stored(POSTINGS), "cli-query.fpdb")
    (room.folder / "essay.txt").write_text(essay())
    with fpdb.open(path) as db:
        db.add("essay", essay())

    def ask() -> None:
        assert "essay" in run(sys.executable, "-m", "fpdb", "--db", str(path), "query", "essay.txt", cwd=room.folder)

    def start() -> None:
        run(sys.executable, "-c", "import numpy, lmdb", cwd=room.folder)

    taken, limit = in_turns(room.rounds(20), ask, start)
    yield median("median", taken, "s", target=0.3)
    yield median("Python, numpy and lmdb alone", limit, "s")
    yield median("of that start", ratios(taken, limit), "")
