"""A commit does all of a change or nothing, and heeds what others committed before it."""

import pytest

import fpdb
from fpdb.storage import snapshot

PROSE = "It was seven years ago, and nobody remembers why. " * 3
LONG = "".join(f"{number * 7919 % 100_003} " for number in range(9_000))  # several pages, compressed


def test_a_text_goes_with_the_content_that_it_is(db):
    """Another writer comes between a batch's beginning and its end."""
    for meanwhile, kept in ((("a", "other"), None), (("a", PROSE), PROSE), (("b", ""), PROSE)):
        db.add("a", PROSE)
        with db.batch() as batch:
            assert batch.add("a", PROSE, keep_text=True) == "updated"
            db.add(*meanwhile, keep_text=meanwhile[0] == "a" and kept is not None)
        assert db.text("a") == (None if kept is None else kept.encode())
        db.remove("a")
    db.add("a", PROSE)
    with db.batch() as batch:
        batch.add("a", PROSE, keep_text=True)
        db.remove("a")
    assert "a" not in db


def test_a_commit_that_fails_leaves_no_text(db, monkeypatch):
    db.add("a", PROSE, keep_text=True)
    before = db.info()

    def fail(*_):
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "write_state", fail)
        for change in (lambda: db.add("b", LONG, keep_text=True), lambda: db.remove("a"), lambda: db.add("a", LONG)):
            with pytest.raises(fpdb.StorageFailure, match="gone"):
                change()
    assert db.info() == before
    assert db.text("a") == PROSE.encode()
    assert "b" not in db


def test_an_update_does_not_undo_another_writers_change(db):
    """A batch decides on what it saw; a document that changed meanwhile keeps what it has become."""
    for name in "abc":
        db.add_fingerprints(name, [1, 2, 3])
    with db.batch() as batch:
        assert {batch.add_fingerprints(name, [1, 2, 3], source="late") for name in "abc"} == {"updated"}
        db.add_fingerprints("a", [4])
        db.remove("b")
    assert (db.document("a").hashes, db.document("a").source) == (1, None)
    assert "b" not in db
    assert db.document("c").source == "late"
