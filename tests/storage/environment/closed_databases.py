"""Closed databases without files beside them, and readers of open ones that take their time."""

import os

import numpy as np

import fpdb


def make(path, documents=50):
    """Make a database, and remove the files beside it."""
    rng = np.random.default_rng(1)
    with fpdb.open(path, "x") as db, db.batch() as batch:
        for number in range(documents):
            batch.add_fingerprints(f"{number}", rng.integers(0, 2**63, 500, np.uint64))
    for beside in ("-lock", "-writer", "-merge"):
        if os.path.exists(f"{path}{beside}"):
            os.unlink(f"{path}{beside}")


def read_slowly(db):
    """Yield the names of all documents, from a snapshot that stays open meanwhile."""
    with db._store.snapshot() as snapshot:
        for name, _ in snapshot.catalogue.names():
            yield name.decode()
