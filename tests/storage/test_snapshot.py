"""The snapshot of one file as an IndexReader."""

from contextlib import ExitStack, contextmanager

import numpy as np

import fpdb
from tests.storage.index_reader_tests import IndexReaderTests, snapshots


class TestSnapshot(IndexReaderTests):
    @contextmanager
    def reader(self, folder, given_documents):
        with snapshots(folder, given_documents) as (snapshot,):
            yield snapshot


def test_open_snapshots_find_the_same_while_runs_are_merged_deleted_and_written_over(tmp_path, rng):
    pool = rng.integers(0, 2**64, 12_000, np.uint64)
    stored: dict[str, np.ndarray] = {}
    opened: list[tuple[ExitStack, object, dict[str, np.ndarray]]] = []
    with fpdb.open(tmp_path / "c.fpdb", "x", recipe=fpdb.Recipe.preset().with_(positions=False)) as db:
        for step in range(60):
            name = f"d{rng.integers(12)}"
            if name in stored and rng.random() < 0.3:
                db.remove(name)
                del stored[name]
            else:
                stored[name] = rng.choice(pool, 3_000, replace=False)
                db.add_fingerprints(name, stored[name])
            if step % 20 == 10:
                db.compact()
            if len(opened) > 3:
                opened.pop(int(rng.integers(4)))[0].close()
            stack = ExitStack()
            opened.append((stack, stack.enter_context(db.snapshot()), dict(stored)))
            asked = np.unique(rng.choice(pool, 100))
            for _, snapshot, expected in opened:
                assert found(snapshot, asked) == held(expected, asked)
        for stack, _, _ in opened:
            stack.close()
        assert db.check() == []


def found(snapshot, asked):
    """Return what a snapshot finds: pairs of a hash and a name."""
    hits = snapshot.look_up(asked)
    names = {number: snapshot.catalogue.record(number).name.decode() for number in set(hits.document_ids.tolist())}
    numbers = hits.document_ids.tolist()
    return {(int(asked[index]), names[number]) for index, number in zip(hits.hash_indices, numbers, strict=True)}


def held(stored, asked):
    """Return what there is to find."""
    return {(hash_, name) for name, hashes in stored.items() for hash_ in np.intersect1d(asked, hashes).tolist()}
