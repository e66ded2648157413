"""Databases that grow by the same changes as a reference, to be merged."""

from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import fpdb
from fpdb.storage import file_format
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. " * 9
RECIPE = fpdb.Recipe.preset()
MOST = 2**64 - 1
QUICK = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))

NAMES = st.sampled_from(["a", "b", "c", "d", "long " * 100 + "1", "long " * 100 + "2", "\u00e9", "\udcff"])
HASHES = st.lists(st.one_of(st.integers(0, 12), st.just(MOST)), max_size=12)
CHANGES = st.lists(st.tuples(NAMES, st.none() | HASHES, st.sampled_from([False, False, True])), max_size=10)


def change(db, plain, name, hashes, boilerplate, **options):
    """Add or remove a document in the database and in the reference."""
    if hashes is not None:
        db.add_fingerprints(name, hashes, range(len(hashes)), boilerplate=boilerplate, **options)
        plain.add(name, hashes, boilerplate)
        plain.given[name] = list(hashes), boilerplate
    elif name in plain:
        db.remove(name)
        plain.remove(name)
        del plain.given[name]


def grown(path, changes):
    """Return an open database, and the reference with the same documents."""
    db, plain = fpdb.open(path, "x"), ReferenceDatabase()
    plain.given = {}  # type: ignore[attr-defined]
    for start in range(0, len(changes), 4):
        with db.batch() as some:
            for each in changes[start : start + 4]:
                change(some, plain, *each)
    return db, plain


def compacted(db):
    """Compact a database; return its bytes, which would be the same for the same content but for the file's id."""
    with mock.patch.object(file_format, "urandom", bytes):
        db.compact()
    with open(db.path, "rb") as file:
        return file.read()


def same(db, plain):
    assert db.check() == []
    assert [each.name for each in db.documents()] == plain.names()
    for number, options in enumerate(OPTIONS):
        for hashes in ([0, 1, 2, 3, 4, 5, 6, 7], [MOST, 12, 11, 3, 4]) if number % 3 == 0 else (list(range(13)),):
            assert as_json(db.query_fingerprints(hashes, **options)) == as_json(plain.answer(hashes, **options))


FOLDERS = iter(range(10**9))
