"""Closed databases without files beside them."""

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
