"""Frequencies are counts of documents, however often and in what order a hash is asked for."""

import numpy as np

from fpdb.ingest.document_frequencies import document_frequencies


def test_frequencies(db):
    for name, hashes in (("a", [1, 2, 2]), ("b", [2, 3]), ("c", [2])):
        db.add_fingerprints(name, hashes)
    db.add_fingerprints("d", [9], boilerplate=True)
    with db._store.snapshot() as snapshot:
        count = document_frequencies(snapshot)
        assert count(np.array([3, 2, 1, 2, 7], np.uint64)).tolist() == [1, 3, 1, 3, 0]
        assert count(np.empty(0, np.uint64)).tolist() == []
