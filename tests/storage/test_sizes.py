"""The table of sizes is a dict by document id, in chunks."""

import lmdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.seal_tree import SealCache, SealTree
from fpdb.storage.sizes import NO_SIZE, SizeTable, divide_ids

IDS = 100  # several chunks under small limits


@pytest.mark.usefixtures("small_limits")
def test_sizes_are_those_of_a_dict(path, rng):
    plain = {}
    roots = ()
    with lmdb.open(path, subdir=False, max_dbs=2) as env:
        seals = env.open_db(file_format.SEALS)
        sizes = env.open_db(file_format.SIZES)
        for _ in range(12):
            with env.begin(write=True) as txn:
                table = SizeTable(txn, sizes, SealTree(txn, seals, file_format.SIZE_SEALS, roots, SealCache()))
                first_id, count = int(rng.integers(0, IDS - 20)), int(rng.integers(1, 20))
                rows = [(hashes, 0, file_format.WHOLE) for hashes in rng.integers(999, 1999, count).tolist()]
                table.set(first_id, np.array(rows, file_format.SIZE))
                plain |= dict(enumerate(rows, first_id))
                for document_id in rng.integers(0, IDS, 9).tolist():
                    table.delete(document_id)
                    plain.pop(document_id, None)
                changed = rng.integers(0, IDS, 30, np.uint32)
                table.change_boilerplate(changed, 2)
                for document_id in changed.tolist():
                    if document_id in plain:
                        hashes, boilerplate, share = plain[document_id]
                        plain[document_id] = hashes, boilerplate + 2, share
                roots = table.write()
            with env.begin() as txn:
                table = SizeTable(txn, sizes, SealTree(txn, seals, file_format.SIZE_SEALS, roots, SealCache()))
                assert table.live_ids(0, 2**32 - 1).tolist() == sorted(plain)
                asked = rng.permutation(IDS).astype(np.uint32)
                assert table.get(asked).tolist() == [plain.get(each, NO_SIZE.item()) for each in asked.tolist()]
                for first_id, last_id in ((5, IDS - 1), (17, 40), (20, 20)):
                    ids = table.live_ids(first_id, last_id).tolist()
                    assert ids == [each for each in sorted(plain) if first_id <= each <= last_id]


def test_changes_that_are_not_written_count(path):
    with lmdb.open(path, subdir=False) as env, env.begin(write=True) as txn:
        table = SizeTable(txn, None, SealTree(txn, None, file_format.SIZE_SEALS, (), SealCache()))
        table.set(5, np.array([(7, 0, 0)] * 3, file_format.SIZE))
        table.delete(6)
        assert table.live_ids(0, 99).tolist() == [5, 7]
        table.change_boilerplate(np.array([5, 5], np.uint32), 3)
        for by in (2, -7):  # beyond the document's hashes, or below none
            with pytest.raises(Corrupt, match="document 5 would have"):
                table.change_boilerplate(np.array([5], np.uint32), by)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 9))
def test_ids_are_divided_among_groups(first_id, count, size):
    divided = list(divide_ids(first_id, count, size))
    places = [
        (index, place + step) for index, place, part in divided for step in range(len(range(part.start, part.stop)))
    ]
    assert places == [divmod(document_id, size) for document_id in range(first_id, first_id + count)]
    assert [offset for *_, part in divided for offset in range(count)[part]] == list(range(count))
