"""Who holds common hashes is told right in one snapshot after the other, though answers are kept between them."""

import numpy as np
import pytest

from fpdb.storage import long_lists
from tests.small_blocks import small_blocks

HASHES = np.array([1, 2, 3, 4], np.uint64)


def held_by(documents, ids):
    """Return the holders by definition, shape (hashes, documents); ids: by name."""
    rows = [[int(hash_) in documents[name] for name in sorted(documents, key=ids.__getitem__)] for hash_ in HASHES]
    return np.array(rows, np.bool_).reshape(len(HASHES), len(documents))


@pytest.mark.parametrize("most_cached", [1, long_lists.MOST_CACHED])
def test_holders_follow_every_change(db, rng, monkeypatch, most_cached):
    monkeypatch.setattr(long_lists, "MOST_CACHED", most_cached)
    documents = {}
    for step in range(8):
        with small_blocks(2), db.batch() as batch:
            for number in rng.integers(0, 40, 25).tolist():
                documents[f"{number}"] = {int(hash_) for hash_ in rng.integers(1, 6, 4)}
                batch.add_fingerprints(f"{number}", sorted(documents[f"{number}"]))
            if step % 3 == 2:
                removed = min(documents)
                batch.remove(removed)
                del documents[removed]
        if step == 5:
            db.compact()
        with db.snapshot() as snapshot:
            catalogue = snapshot.catalogue
            ids = {catalogue.record(id_).name.decode(): id_ for id_ in catalogue.live_ids().tolist()}
            assert ids.keys() == documents.keys()
            expected = held_by(documents, ids)
            for _ in range(2):  # the second time, from what is kept
                found = snapshot.find_holders(HASHES, np.array(sorted(ids.values()), np.uint32))
                assert (found == expected).all()
                assert (snapshot.count_holders(HASHES) == expected.sum(axis=1)).all()
    assert db.check() == []


def test_inner_postings_are_those_between_the_first_and_last_block_of_a_hash(db):
    with small_blocks(2), db.batch() as batch:
        for number in range(9):
            batch.add_fingerprints(f"{number}", [1, 2] if number == 4 else [1])
    with db.snapshot() as snapshot:
        inner = long_lists.count_inner_postings(snapshot, snapshot.runs(), np.array([0, 1, 2, 3], np.uint64))
    assert inner.tolist() == [0, 6, 0, 0]  # blocks of 2, 2, 2, 2 and, with the other hash, 1 + 1
    assert db.check() == []
