"""Pages read without LMDB tell what LMDB tells."""

import lmdb
import numpy as np

from fpdb.storage import file_format
from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.maintenance.page_scan import KeyRange, Pages, TreeWalk, free_pages


def fill(path):
    rng = np.random.default_rng(2)
    with lmdb.open(path, subdir=False, max_dbs=5, lib_version=0, map_size=1 << 30) as env:
        database = env.open_db(file_format.TEXTS)
        for _ in range(5):
            with env.begin(write=True) as txn:
                for _ in range(400):
                    txn.put(rng.bytes(8), rng.bytes(int(rng.integers(1, 9_000))), db=database)
                for key in list(txn.cursor(database).iternext(values=False))[::3]:
                    txn.delete(key, db=database)
        with env.begin() as txn:
            return {bytes(key): bytes(value) for key, value in txn.cursor(database)}


def test_a_walk_finds_what_lmdb_lists(path):
    expected = fill(path)
    pages = Pages(path)
    newest, older = pages.commits()
    assert newest.transaction == older.transaction + 1
    tree = pages.trees(newest.main.root)[file_format.TEXTS]
    walk = TreeWalk(pages, tree)
    assert walk.gaps == []
    entries = {entry.key: pages.read(entry.offset, entry.size) for entry, keys in walk.entries() if entry.key in keys}
    assert entries == expected
    free = free_pages(pages, newest)
    assert free
    assert free.isdisjoint({number for number, _ in walk.leaves} | walk.branches)
    pages.close()


def test_a_lost_leaf_leaves_a_gap(path):
    expected = fill(path)
    pages = Pages(path)
    tree = pages.trees(pages.commits()[0].main.root)[file_format.TEXTS]
    number, keys = TreeWalk(pages, tree).leaves[3]
    with open(path, "r+b") as file:
        file.seek(number * PAGE)
        file.write(bytes(PAGE))
    walk = TreeWalk(pages, tree)
    assert walk.gaps == [keys]
    found = {entry.key for entry, _ in walk.entries()}
    assert {key for key in expected if key not in found} == {key for key in expected if key in KeyRange(*keys)}
    pages.close()
