"""A database says of each document, by its name, what was added."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint import content_digest

POSTINGS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), unique=True, max_size=8)


@given(st.dictionaries(st.text("ab\udcff", min_size=1, max_size=3), POSTINGS, min_size=1), st.sets(st.integers(0, 9)))
def test_stored_documents_are_those_of_a_dict(tmp_path_factory, documents, discarded):
    with fpdb.open(tmp_path_factory.mktemp("stored") / "t.fpdb") as db:
        with db.batch() as batch:
            batch.add_fingerprints("template", sorted(discarded), boilerplate=True)
            for name, postings in documents.items():
                batch.add_fingerprints(name, [hash_ for hash_, _ in postings], [place for _, place in postings])
        for name, postings in documents.items():
            hashes, positions = db.fingerprints(name)
            found = list(zip(hashes.tolist(), [] if positions is None else positions.tolist(), strict=True))
            assert found == sorted(postings, key=lambda posting: (posting[1], posting[0]))
            assert db.boilerplate_in(name) == len({hash_ for hash_, _ in postings} & discarded)
            assert name in db
            assert db.document(name).digest == db.digest(name)
        silent = {name for name, held in documents.items() if held and {hash_ for hash_, _ in held} <= discarded}
        assert set(db.only_boilerplate()) == silent
        assert set(db.names()) == {each.name for each in db.documents()} == {"template", *documents}
        assert db.check() == []


def test_documents_that_are_not_there(db):
    db.add("a", "text")
    for name in ("b", "", "x" * 70_000, 5):
        assert name not in db
    assert db.digest("a") == content_digest("text")
    assert db.digest("b") is None
    for call in (db.document, db.text, db.original, db.fingerprints, db.boilerplate_in):
        with pytest.raises(fpdb.NoSuchDocument):
            call("b")
