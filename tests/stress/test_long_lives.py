"""Row 12: after many changes, a database answers as a new one of the same documents, and is hardly larger."""

import os

import numpy as np
import pytest

import fpdb
from tests.reference_database import OPTIONS, as_json

HASHES = 50
"""Of a document. A third of them are in about eight documents each."""
QUERIES = 18


@pytest.fixture(autouse=True)
def limits(request, amount):
    """Set the small limits of the storage tests in the short version, so that it merges as much as the full one."""
    if amount(True, False):
        request.getfixturevalue("small_limits")


def hashes_of(number, version, documents):
    rng = np.random.default_rng([number, version])
    shared = rng.integers(0, 2 * documents, HASHES // 3, np.uint64)
    return np.r_[shared, rng.integers(0, 2**64 - 1, HASHES - len(shared), np.uint64, endpoint=True)]


def add(db, numbers, version, documents, at_once=1_000):
    for start in range(0, len(numbers), at_once):
        with db.batch() as batch:
            for number in numbers[start : start + at_once]:
                batch.add_fingerprints(f"{number}", hashes_of(number, version, documents))


def described(db):
    return [(each.name, each.digest, each.fingerprints, each.hashes) for each in db.documents()]


def compare(db, numbers, version, documents, folder):
    """With a rebuild of these documents alone; then their sizes, once both are compacted: the ratio, and ours."""
    rng = np.random.default_rng(9)
    path = folder / "fresh.fpdb"
    with fpdb.open(path, "x") as fresh:
        add(fresh, sorted(numbers), version, documents)
        for compacted in (False, True):
            if compacted:
                db.compact()
                fresh.compact()
            assert db.check() == []
            assert described(db) == described(fresh)
            assert db.info()["postings"] == fresh.info()["postings"]
            found = 0
            for query in range(QUERIES):
                number = int(rng.integers(0, documents))  # some of these are not there
                hashes = np.r_[hashes_of(number, version, documents), hashes_of(number + 1, version, documents)]
                options = OPTIONS[query % len(OPTIONS)]
                answers = [as_json(each.query_fingerprints(hashes, **options)) for each in (db, fresh)]
                assert answers[0] == answers[1]
                found += b'"containment"' in answers[0]
            assert found > QUERIES // 2
        ours, theirs = os.path.getsize(db.path), os.path.getsize(fresh.path)
    path.unlink()
    return ours / theirs, ours


def test_removed_and_added_again(path, tmp_path, amount, figure):
    documents = amount(600, 100_000)
    order = np.random.default_rng(1).permutation(documents).tolist()
    with fpdb.open(path) as db:
        at_once = amount(50, 1_000)
        add(db, order, 0, documents, at_once)
        removed = order[::2]
        for start in range(0, len(removed), at_once):
            with db.batch() as batch:
                for number in removed[start : start + at_once]:
                    batch.remove(f"{number}")
        halved, _ = compare(db, order[1::2], 0, documents, tmp_path)
        add(db, removed, 0, documents, at_once)
        whole, _ = compare(db, order, 0, documents, tmp_path)
    assert max(halved, whole) <= 1.05
    what = f"{documents:,} documents added, half removed, added again"
    figure(12, what, f"answers those of a rebuild, compacted sizes {halved:.3f} and {whole:.3f} times those of one")


def test_replaced_again_and_again(path, tmp_path, amount, figure):
    """The file must be as large as it gets after half of the rounds, but for a twentieth."""
    documents, rounds = amount(50, 1_000), amount(12, 100)
    rng = np.random.default_rng(2)
    sizes = []
    with fpdb.open(path) as db:
        for version in range(rounds + 1):
            add(db, rng.permutation(documents).tolist(), version, documents, at_once=amount(10, 50))
            sizes.append(os.path.getsize(path))
        ratio, compacted = compare(db, range(documents), rounds, documents, tmp_path)
    growth = sizes[-1] / sizes[rounds // 2]
    assert growth <= 1.05
    assert ratio <= 1.05
    what = f"{documents:,} documents replaced {rounds} times each"
    done = (
        f"the file grew by {growth - 1:.1%} in the second half of the rounds, to {sizes[-1] / compacted:.1f} times its"
    )
    figure(
        12, what, f"{done} compacted size, which is {ratio:.3f} times that of a rebuild; answers those of the rebuild"
    )
