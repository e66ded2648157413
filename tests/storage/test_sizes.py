"""The table of sizes is a dict by document id, in chunks."""

import lmdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
                rows = [(hashes, 0, file_format.WHOLE) for hashes in rng.integers(0, 99, count).tolist()]
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
                assert list(table.ids()) == sorted(plain)
                asked = rng.permutation(IDS).astype(np.uint32)
                assert table.get(asked).tolist() == [plain.get(each, NO_SIZE.item()) for each in asked.tolist()]
                assert table.dead(5, IDS - 1).tolist() == [each not in plain for each in range(5, IDS)]


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 9))
def test_ids_are_divided_among_groups(first_id, count, size):
    divided = list(divide_ids(first_id, count, size))
    places = [
        (index, place + step) for index, place, part in divided for step in range(len(range(part.start, part.stop)))
    ]
    assert places == [divmod(document_id, size) for document_id in range(first_id, first_id + count)]
    assert [offset for *_, part in divided for offset in range(count)[part]] == list(range(count))
