"""Any history of a database ends in the answers of one built afresh, which are those of plain sets."""

import os

import numpy as np
import pytest

import fpdb
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

MOST = 2**64 - 1
OPERATIONS = 2_000


def popular(rng, count):
    """A pool of hashes, the first ones of which are drawn much more often; both ends of the range are in it."""
    pool = rng.integers(0, MOST, count, np.uint64, endpoint=True)
    pool[:2] = 0, MOST

    def draw(size):
        return pool[(len(pool) * rng.random(size) ** 3).astype(np.int64)]

    return draw


def rebuilt(path, documents):
    """A database of these documents alone, in one commit and in another order."""
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


@pytest.mark.usefixtures("small_limits")
def test_any_history_equals_a_rebuild(path, tmp_path, rng):
    draw = popular(rng, 3_000)
    plain, documents = ReferenceDatabase(), {}
    db = fpdb.open(path)

    def add(into, name):
        hashes = draw(int(rng.choice([0, 1, 30, 60, 200])))
        positions = None if rng.random() < 0.3 else rng.integers(0, 500, len(hashes), np.uint32)
        boilerplate = bool(rng.random() < 0.04)
        into.add_fingerprints(name, hashes, positions, boilerplate=boilerplate)
        plain.add(name, hashes, boilerplate)
        documents[name] = hashes, positions, boilerplate

    def remove(into, name):
        into.remove(name)
        plain.remove(name)
        del documents[name]

    done = 0
    compared = 0
    while done < OPERATIONS:
        names = list(documents)
        kind = rng.choice(
            ["add", "replace", "remove", "batch", "reopen", "compact"], p=[0.5, 0.2, 0.2, 0.07, 0.02, 0.01]
        )
        if kind == "add" or not names:
            add(db, f"new {done}")
        elif kind == "replace":
            add(db, str(rng.choice(names)))
        elif kind == "remove":
            remove(db, str(rng.choice(names)))
        elif kind == "batch":
            with db.batch() as batch:
                for name in rng.choice(names, min(len(names), int(rng.integers(1, 12))), replace=False).tolist():
                    (remove if rng.random() < 0.4 else add)(batch, name)
                    done += 1
                for number in range(int(rng.integers(0, 5))):
                    add(batch, f"batch {done} {number}")
                    done += 1
        elif kind == "reopen":
            db.close()
            db = fpdb.open(path)
        elif kind == "compact":
            db.compact()
        done += 1
        if done // 400 > compared:
            compared = done // 400
            with rebuilt(str(tmp_path / f"fresh {done}"), documents) as fresh:
                compare(db, fresh, plain, draw, rng)
    with rebuilt(str(tmp_path / "last"), documents) as fresh:
        db.compact()
        fresh.compact()
        compare(db, fresh, plain, draw, rng)
    db.close()


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
