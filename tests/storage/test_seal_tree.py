"""A tree of seals knows the last value of every number, and no older one."""

import lmdb
import pytest

import fpdb
from fpdb.storage import file_format, seal_tree
from fpdb.storage.seal_tree import SealCache, SealTree

FIRST_BOILERPLATE_GROUP = 2**28


def value_of(rng):
    return rng.bytes(int(rng.integers(8, 20)))


@pytest.mark.parametrize("cached", [False, True])
def test_a_tree_is_a_dict_of_the_last_values(path, rng, monkeypatch, cached):
    monkeypatch.setattr(seal_tree, "SEALS_PER_NODE", 4)
    monkeypatch.setattr(seal_tree, "MAX_CACHED_NODES", 12)
    numbers = [*range(40), *range(FIRST_BOILERPLATE_GROUP, FIRST_BOILERPLATE_GROUP + 20)]
    plain, outdated, roots, cache = {}, {}, (), SealCache()
    with lmdb.open(path, subdir=False, max_dbs=1) as env:
        database = env.open_db(file_format.SEALS)
        for step in range(25):
            with env.begin(write=True) as txn:
                tree = SealTree(txn, database, file_format.RECORD_SEALS, roots, cache if cached else SealCache())
                for number in rng.choice(numbers, int(rng.integers(1, 8)), replace=False).tolist():
                    outdated.setdefault(number, set()).add(plain.get(number))
                    value = plain[number] = value_of(rng) if rng.random() < 0.6 and step < 20 else None
                    tree.set(number, value)
                roots = tree.write()
                list(tree.verify_indices(sorted(number for number, value in plain.items() if value is not None)))
            with env.begin() as txn:
                tree = SealTree(txn, database, file_format.RECORD_SEALS, roots, cache if cached else SealCache())
                live = sorted(number for number, value in plain.items() if value is not None)
                assert list(tree.verify_indices(live)) == live
                assert tree.count_nodes() == txn.stat(database)["entries"]
                for few in (0, 100):
                    monkeypatch.setattr(seal_tree, "FEW", few)
                    tree.verify_all(numbers, [plain.get(number) for number in numbers])
                for number, older in outdated.items():
                    for value in older - {plain[number]}:
                        with pytest.raises(fpdb.Corrupt, match=f"number {number} "):
                            tree.verify(number, value)
                        values = [value if each == number else plain.get(each) for each in numbers]
                        for few in (0, 100):
                            monkeypatch.setattr(seal_tree, "FEW", few)
                            with pytest.raises(fpdb.Corrupt, match=f"number {number} "):
                                tree.verify_all(numbers, values)
                for wrong in (live[1:], [*live, 2**29]) if live else ([3],):
                    with pytest.raises(fpdb.Corrupt):
                        list(tree.verify_indices(wrong))


def test_an_older_node_is_noticed(path, rng):
    """At each level: the nodes of the commit before, under the roots of the last one."""
    with lmdb.open(path, subdir=False, max_dbs=1) as env:
        database = env.open_db(file_format.SEALS)
        nodes, roots = [], ()
        for _ in range(2):
            with env.begin(write=True) as txn:
                tree = SealTree(txn, database, file_format.SIZE_SEALS, roots, SealCache())
                tree.set(5, value_of(rng))
                roots = tree.write()
                nodes.append({bytes(key): bytes(value) for key, value in txn.cursor(database)})
        assert len(nodes[0]) == seal_tree.LEVELS
        for key, older in nodes[0].items():
            with env.begin(write=True) as txn:
                for changed in (older, None):
                    txn.put(key, changed, db=database) if changed else txn.delete(key, db=database)
                    tree = SealTree(txn, database, file_format.SIZE_SEALS, roots, SealCache())
                    with pytest.raises(fpdb.Corrupt, match="seals"):
                        tree.verify(5, b"12345678")
                txn.abort()


def test_a_file_without_seals_verifies_nothing():
    tree = SealTree(None, None, file_format.RECORD_SEALS, (), SealCache())
    tree.verify(1, b"12345678")
    tree.verify_all(list(range(99)), [None] * 99)
    assert list(tree.verify_indices([3, 1])) == [3, 1]
