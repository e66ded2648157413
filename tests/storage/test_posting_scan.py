"""Scans of the postings of some documents. `index_reader_tests` states what scans of all postings give."""

import numpy as np
import pytest

from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.posting_scan import scan_documents, split_by_postings


@pytest.fixture
def postings_by_name(db, rng):
    """Fill the database by several commits; return the postings (hash, encoded position) of each document."""
    postings = {}
    for number in range(30):
        name, count = f"{number}", int(rng.integers(0, 40))
        hashes = rng.integers(0, 60, count, np.uint64)
        positions = rng.integers(0, 9, count, np.uint32) if number % 3 else None
        encoded = [0] * count if positions is None else (positions + 1).tolist()
        postings[name] = sorted(set(zip(hashes.tolist(), encoded, strict=True)))
        db.add_fingerprints(name, hashes, positions, boilerplate=number % 10 == 7)
    for name in ("3", "17", "20"):
        db.remove(name)
        del postings[name]
    return postings


@pytest.mark.usefixtures("small_limits")
def test_documents_are_given_with_their_postings(db, postings_by_name, rng):
    with db._store.snapshot() as snapshot:
        names = {document_id: record.name.decode() for document_id, record in snapshot.catalogue.all_records()}
        for count in (1, 5, len(names)):
            wanted = np.sort(rng.choice(list(names), count, replace=False)).astype(np.uint32)
            scanned = {
                document_id: list(zip(hashes.tolist(), encoded_positions.tolist(), strict=True))
                for document_id, hashes, encoded_positions in scan_documents(snapshot, wanted)
            }
            assert list(scanned) == wanted.tolist()
            assert scanned == {document_id: postings_by_name[names[document_id]] for document_id in scanned}


@pytest.mark.usefixtures("postings_by_name")
@pytest.mark.parametrize("limit", [1, 50, 10**6])
def test_parts_keep_to_their_limit_and_to_one_sort(db, limit):
    with db._store.snapshot() as snapshot:
        records = dict(snapshot.catalogue.all_records())
        parts = [part.tolist() for part in split_by_postings(snapshot, np.array(list(records), np.uint32), limit)]
    assert [document_id for part in parts for document_id in part] == list(records)
    for part in parts:
        assert len(part) == 1 or sum(records[document_id].fingerprints for document_id in part) <= limit
        assert len({document_id >= FIRST_BOILERPLATE for document_id in part}) == 1
