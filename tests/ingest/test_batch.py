"""A batch is all or nothing, and writes nothing where nothing changes."""

from contextlib import suppress

import pytest

import fpdb
from tests.ingest.given_texts import text
from tests.reference_database import shared_by_name


@pytest.mark.parametrize("fails", [False, True])
def test_a_batch_whose_block_has_ended_takes_no_changes(db, fails):
    """LMDB's error came out, or "unchanged" for what a failed batch had added."""
    db.add("old", text(0))
    with suppress(KeyError), db.batch() as batch:
        batch.add("new", text(1))
        if fails:
            raise KeyError
    for call in (
        lambda: batch.add("new", text(1)),
        lambda: batch.add_fingerprints("new", [1]),
        lambda: batch.add_columns(["new"], [0, 1], [1]),
        lambda: batch.rotate("old", text(0)),
        lambda: batch.remove("old"),
    ):
        with pytest.raises(fpdb.Error, match="the block of this batch has ended"):
            call()
    assert [document.name for document in db.documents()] == ([] if fails else ["new"]) + ["old"]
    assert db.check() == []


def test_nothing_is_written_where_nothing_changes(db):
    db.add_fingerprints("a", [1])
    before = db.info(), db.document("a").added
    for _ in range(3):
        db.add_fingerprints("a", [1])
        with db.batch():
            pass
    assert (db.info(), db.document("a").added) == before


def test_a_batch_that_fails_leaves_nothing(db):
    db.add_fingerprints("a", [1])

    def change_and_fail(error):
        with db.batch() as batch:
            batch.add_fingerprints("b", [1, 2])
            batch.remove("a")
            raise error

    for error in (ValueError, OSError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(error):
            change_and_fail(error)

    def remove_what_is_not_there():
        with db.batch() as batch:
            batch.add_fingerprints("b", [1])
            batch.remove("c")

    with pytest.raises(fpdb.NoSuchDocument):
        remove_what_is_not_there()
    assert shared_by_name(db, [1, 2]) == {"a": 1}
