"""Measures of pairs."""

import numpy as np

from tests.pairs.reference_pairs import (
    as_dict,
)


def test_a_copy_scores_one_by_every_measure(db, rng):
    block = rng.integers(0, 2**64 - 1, 50, np.uint64)
    with db.batch() as batch:
        batch.add_fingerprints("once", block)
        batch.add_fingerprints("ten times", np.tile(block, 10), np.arange(500))
        batch.add_fingerprints("other", rng.integers(0, 2**64 - 1, 50, np.uint64))
    (pair,) = db.pairs(by="weighted_resemblance")
    assert list(as_dict(pair).values()) == ["once", "ten times", 50, 1, 1, 1, 1, 1, 1, 1, "fingerprints"]


def test_two_copies_alone_are_alike(db):
    """All documents hold all of their hashes, which weigh something nevertheless."""
    db.add_fingerprints("a", [1, 2])
    db.add_fingerprints("b", [1, 2])
    (pair,) = db.pairs(by="similarity", min=1)
    assert (pair.containment_a, pair.weighted_containment_a, pair.weighted_resemblance, pair.similarity) == (1,) * 4
