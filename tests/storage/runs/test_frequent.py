"""Frequent hashes of a run. `index_reader_tests` states that none is missed, over all edges of blocks."""

import numpy as np

import fpdb


def test_only_hashes_of_enough_postings_are_found_in_large_blocks(path):
    """Of one run, which has blocks of many hashes, and blocks of one."""
    rare = np.arange(20_000, dtype=np.uint64) << np.uint64(40)
    hashes = np.empty((3_000, 7), np.uint64)
    hashes[:, :5], hashes[:, 5] = rare[:15_000].reshape(3_000, 5), 2**63
    hashes[:, 6] = rare[15_000 + np.arange(3_000) % 50]
    with fpdb.open(path) as db:
        names = [f"{number}" for number in range(3_000)]
        db.add_columns(names, np.arange(3_001) * 7, hashes.reshape(-1))
        with db.snapshot() as snapshot:
            assert snapshot.find_frequent(61).tolist() == [2**63]
            assert set(snapshot.find_frequent(60).tolist()) == {*rare[15_000:15_050].tolist(), 2**63}
        assert db.check() == []
