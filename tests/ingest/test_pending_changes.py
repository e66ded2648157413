"""Within a batch, the last word on a name counts."""

import pytest

import fpdb
from fpdb.fingerprint import content_digest
from tests.reference_database import shared_by_name


def test_the_last_word_in_a_batch_counts(db):
    db.add_fingerprints("stored", [1])
    with db.batch() as batch:
        assert batch.add_fingerprints("new", [1]) == "added"
        assert batch.add_fingerprints("new", [1]) == "unchanged"
        assert batch.add_fingerprints("new", [1], source="s") == "updated"
        assert batch.add_fingerprints("new", [2, 3]) == "replaced"
        assert batch.postings == 2
        batch.add_fingerprints("gone", [1, 2, 3])
        batch.remove("gone")
        assert batch.postings == 2
        with pytest.raises(fpdb.NoSuchDocument):
            batch.remove("gone")
        assert batch.add_fingerprints("stored", [1], source="s") == "updated"
        assert batch.add_fingerprints("stored", [1], source="s") == "unchanged"
        batch.remove("stored")
        with pytest.raises(fpdb.NoSuchDocument):
            batch.remove("stored")
        assert batch.add_fingerprints("stored", [1]) == "added"
    assert shared_by_name(db, [1, 2, 3]) == {"stored": 1, "new": 2}
    assert db.document("stored").source is None
    with db.batch() as batch:
        batch.add_fingerprints("stored", [7])
        batch.remove("stored")
        batch.add_fingerprints("stored", [8], boilerplate=True)
        batch.remove("stored")
    assert shared_by_name(db, [1, 2, 3, 7, 8]) == {"new": 2}


def test_a_document_is_added_if_its_name_is_absent(db, tmp_path, monkeypatch):
    """Whatever is stored or pending stays just so; a file of such a name need not be there."""
    monkeypatch.chdir(tmp_path)
    assert db.add("a", "text", if_absent=True) == "added"
    assert db.add("a", "another", boilerplate=True, labels={"k": "v"}, if_absent=True) == "unchanged"
    with db.batch() as batch:
        batch.remove("a")
        assert batch.present(["a", "b", "", "x" * 70_000]) == set()
        assert batch.add("a", "third", if_absent=True) == "added"
        assert batch.add("a", "fourth", if_absent=True) == "unchanged"
        assert batch.add("b", "text") == "added"
        assert batch.present(["a", "b", "c"]) == {"a", "b"}
    assert db.digest("a") == content_digest("third")
    assert db.add_file("./a", if_absent=True) == "unchanged"
    (tmp_path / "c").write_text("text")
    assert db.add_file("c", if_absent=True) == "added"
    assert db.check() == []
