"""Random postings, and an empty file to write them to as runs."""

import numpy as np

from fpdb.storage.runs.postings import Postings

DOCUMENTS = 50


def random_postings(rng, count, positions):
    """Return distinct postings, sorted; positions: from which on they have any."""
    hashes = rng.choice(rng.integers(0, 2**64, count // 3 + 1, np.uint64), count)
    ids, places = rng.integers(0, DOCUMENTS, count, np.uint32), rng.integers(1, 2**20, count, np.uint32)
    columns = np.unique(np.rec.fromarrays([hashes, ids, places], names="hash,id,place"))
    columns["place"][:positions] = 0
    columns = np.unique(columns)
    return Postings(*(columns[name].copy() for name in ("hash", "id", "place")))


def equal(first, second):
    names = "hashes", "document_ids", "encoded_positions"
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)
