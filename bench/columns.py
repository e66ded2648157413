"""Time how documents of one's own hashes come in: one by one, in batches, and as columns.

    python -m bench.columns [DOCUMENTS] [HASHES]

By default 100,000 documents of 100 hashes. Of the loop in which each document is a commit, a hundredth is timed, and
the rest extrapolated.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fpdb

BATCH = 10_000


def main(documents: int = 100_000, hashes: int = 100) -> None:
    """Print seconds, and how many times faster columns are."""
    values = np.random.default_rng(1).integers(0, 2**64, (documents, hashes), np.uint64)
    positions, names = np.arange(hashes, dtype=np.uint32), [f"document {number}" for number in range(documents)]

    def one_by_one(db: fpdb.Database) -> None:
        for name, row in zip(names[: documents // 100], values, strict=False):
            db.add_fingerprints(name, row, positions)

    def in_batches(db: fpdb.Database) -> None:
        with db.bulk():
            for start in range(0, documents, BATCH):
                with db.batch() as batch:
                    for name, row in zip(names[start : start + BATCH], values[start : start + BATCH], strict=True):
                        batch.add_fingerprints(name, row, positions)

    def as_columns(db: fpdb.Database) -> None:
        offsets = np.arange(documents + 1) * hashes
        db.add_columns(names, offsets, values.reshape(-1), np.tile(positions, documents))

    seconds = {"one by one": 100 * timed(one_by_one), "in batches": timed(in_batches), "as columns": timed(as_columns)}
    for way, taken in seconds.items():
        print(f"{way}: {taken:.2f} s, {taken / seconds['as columns']:.2f} times as long as columns")


def timed(add: Callable[[fpdb.Database], None]) -> float:
    """Return the seconds that adding to a new database takes."""
    with tempfile.TemporaryDirectory() as folder, fpdb.open(Path(folder) / "hashes.fpdb") as db:
        start = time.perf_counter()
        add(db)
        return time.perf_counter() - start


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
