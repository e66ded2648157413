"""Any history of a database ends in the answers of one built afresh, which are those of plain sets."""

import os

import numpy as np
import pytest

import fpdb
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

MOST = 2**64 - 1
OPERATIONS = 1_200


def popular(rng, count):
    """Return a function that draws from a pool of hashes with both ends of the range, the first ones more often."""
    pool = rng.integers(0, MOST, count, np.uint64, endpoint=True)
    pool[:2] = 0, MOST

    def draw(size):
        return pool[(len(pool) * rng.random(size) ** 3).astype(np.int64)]

    return draw


def rebuilt(path, documents):
    """Make a database of these documents alone, in one commit and in another order."""
    with fpdb.open(path, "x") as db, db.batch() as batch:
        for name in sorted(documents, key=lambda name: name[::-1]):
            hashes, positions, boilerplate = documents[name]
            batch.add_fingerprints(name, hashes, positions, boilerplate=boilerplate)
    return fpdb.open(path)


def compare(db, fresh, plain, draw, rng):
    assert db.check() == []
    assert len(db) == len(fresh) == len(plain)
    assert [document.name for document in db.documents()] == plain.names()
    described = [
        [(each.name, each.digest, each.fingerprints, each.hashes, each.boilerplate) for each in some.documents()]
        for some in (db, fresh)
    ]
    assert described[0] == described[1]
    assert db.info()["postings"] == fresh.info()["postings"]
    queries = [draw(150), draw(3), draw(60)]
    if plain.documents:
        queries.append(list(plain.documents[str(rng.choice(list(plain.documents)))][0]))
    for hashes in queries:
        for options in OPTIONS:
            answer = as_json(db.query_fingerprints(hashes, **options))
            assert answer == as_json(plain.answer(hashes, **options))
            assert answer == as_json(fresh.query_fingerprints(hashes, **options))


class History:
    """Random changes of a database, and of the reference."""

    def __init__(self, path, draw, rng):
        self.path, self.draw, self.rng = path, draw, rng
        self.reference, self.documents = ReferenceDatabase(), {}
        self.db = fpdb.open(path)
        self.done = 0

    def add(self, into, name):
        rng = self.rng
        hashes = self.draw(int(rng.choice([0, 1, 30, 60, 200])))
        positions = None if rng.random() < 0.3 else rng.integers(0, 500, len(hashes), np.uint32)
        boilerplate = bool(rng.random() < 0.04)
        into.add_fingerprints(name, hashes, positions, boilerplate=boilerplate)
        self.reference.add(name, hashes, boilerplate)
        self.documents[name] = hashes, positions, boilerplate

    def remove(self, into, name):
        into.remove(name)
        self.reference.remove(name)
        del self.documents[name]

    def batch(self, names):
        rng = self.rng
        with self.db.batch() as batch:
            for name in rng.choice(names, min(len(names), int(rng.integers(1, 12))), replace=False).tolist():
                (self.remove if rng.random() < 0.4 else self.add)(batch, name)
                self.done += 1
            for number in range(int(rng.integers(0, 5))):
                self.add(batch, f"batch {self.done} {number}")
                self.done += 1

    def step(self):
        names = list(self.documents)
        kind = self.rng.choice(
            ["add", "replace", "remove", "batch", "reopen", "compact"], p=[0.5, 0.2, 0.2, 0.07, 0.02, 0.01]
        )
        if kind == "add" or not names:
            self.add(self.db, f"new {self.done}")
        elif kind == "replace":
            self.add(self.db, str(self.rng.choice(names)))
        elif kind == "remove":
            self.remove(self.db, str(self.rng.choice(names)))
        elif kind == "batch":
            self.batch(names)
        elif kind == "reopen":
            self.db.close()
            self.db = fpdb.open(self.path)
        else:
            self.db.compact()
        self.done += 1


@pytest.mark.usefixtures("small_limits")
def test_any_history_equals_a_rebuild(path, tmp_path, rng):
    draw = popular(rng, 3_000)
    history = History(path, draw, rng)
    compared = 0
    while history.done < OPERATIONS:
        history.step()
        if history.done // 400 > compared:
            compared = history.done // 400
            with rebuilt(str(tmp_path / f"fresh {history.done}"), history.documents) as fresh:
                compare(history.db, fresh, history.reference, draw, rng)
    with rebuilt(str(tmp_path / "last"), history.documents) as fresh:
        history.db.compact()
        fresh.compact()
        compare(history.db, fresh, history.reference, draw, rng)
    history.db.close()


def test_after_compact_a_file_is_as_small_as_a_fresh_one(path, tmp_path, rng):
    draw = popular(rng, 20_000)
    documents = {}
    with fpdb.open(path) as db:
        for _ in range(20):
            with db.batch() as batch:
                for number in range(100):
                    name = f"{rng.integers(0, 400)}"
                    if name in documents and number % 3 == 0:
                        batch.remove(name)
                        del documents[name]
                    else:
                        documents[name] = draw(200), None, False
                        batch.add_fingerprints(name, documents[name][0])
        db.compact()
        with rebuilt(str(tmp_path / "fresh"), documents) as fresh:
            fresh.compact()
            assert os.path.getsize(path) <= 1.1 * os.path.getsize(fresh.path)
            assert fresh.check() == []
        assert db.check() == []


def test_compact_leaves_no_trace_of_ids_long_gone(path, tmp_path, rng):
    """A few documents of very many, spread over all ids that were ever given."""
    hashes = rng.integers(0, MOST, (10_000, 5), np.uint64)
    kept = {f"{number}": (hashes[number], None, False) for number in range(0, 10_000, 100)}
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number in range(10_000):
                batch.add_fingerprints(f"{number}", hashes[number])
        with db.batch() as batch:
            for number in range(10_000):
                if f"{number}" not in kept:
                    batch.remove(f"{number}")
        db.compact()
        with rebuilt(str(tmp_path / "fresh"), kept) as fresh:
            fresh.compact()
            assert os.path.getsize(path) == os.path.getsize(fresh.path)
        answer = db.query_fingerprints(hashes[300])
        assert [(match.name, match.shared) for match in answer.matches] == [("300", 5)]
        assert db.check() == []


def test_a_history_that_ends_in_nothing_leaves_nothing(path, rng):
    with fpdb.open(path) as db:
        db.compact()
        empty = os.path.getsize(path)
        for name in "abc":
            db.add_fingerprints(name, rng.integers(0, MOST, 5_000, np.uint64), boilerplate=name == "c")
        for name in "abc":
            db.remove(name)
        assert (db.info()["runs"], db.info()["postings"], len(db)) == (0, 0, 0)
        db.compact()
        assert os.path.getsize(path) == empty
        assert db.check() == []
