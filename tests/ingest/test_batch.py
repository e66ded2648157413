"""A batch says of a document what adding it changes."""

import os
import tempfile
from collections import Counter
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint import content_digest
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from tests.ingest.given_texts import text
from tests.reference_database import shared_by_name

STATUSES = ("added", "replaced", "updated", "unchanged")


def described(db: fpdb.Database) -> list[tuple[object, ...]]:
    """All that there is of each document, but when it was added."""
    return [(db.text(one.name), one._replace(added=datetime.min)) for one in db.documents()]


DOCUMENTS = st.lists(
    st.builds(
        InputDocument,
        st.sampled_from(["a", "b", "d" * 500]),
        st.none(),
        content=st.sampled_from([text(0, 200), text(1, 200).encode(), "naïve " * 30, ""]),
        kind=st.sampled_from(["auto", "text", "html"]),
        source=st.sampled_from([None, "", "s", "https://me:secret@example.org/?x=1"]),
        contact=st.sampled_from([None, "", "me"]),
        labels=st.sampled_from([None, {}, {"x": "1"}, {"x": "", "y": "2"}]),
    ),
    max_size=8,
)


UNSTATED = st.sampled_from([None, False, True])


@given(DOCUMENTS, DOCUMENTS, UNSTATED, UNSTATED)
@settings(max_examples=30)
def test_what_is_known_is_what_adding_would_not_change(
    before: list[InputDocument], after: list[InputDocument], boilerplate: bool | None, keep_text: bool | None
) -> None:
    """A load counts and stores what adding one by one does, whatever is there already or comes in the same load."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fpdb.open(os.path.join(folder, "x.fpdb")) as db,
        fpdb.open(os.path.join(folder, "y.fpdb")) as one,
    ):
        for each in db, one:
            load(each, before[1:], jobs=1)
            load(each, before[:1], LoadOptions(boilerplate=True, keep_text=True), jobs=1)
        report = load(db, after, LoadOptions(boilerplate, keep_text=keep_text), jobs=1)
        said = Counter(
            one.add(
                each.name,
                each.content or "",
                kind=each.kind,
                source=each.source,
                contact=each.contact,
                labels=each.labels,
                boilerplate=boilerplate,
                keep_text=keep_text,
            )
            for each in after
        )
        assert {status: getattr(report, status) for status in STATUSES} == {each: said[each] for each in STATUSES}
        assert described(db) == described(one)
        assert db.check() == []


def test_a_load_leaves_the_kind_of_a_document_that_is_stored_as_another(db):
    page = "<html><p>" + "some text " * 20
    for kind, status in (("text", "added"), ("auto", "unchanged"), ("html", "replaced"), ("auto", "unchanged")):
        report = load(db, [InputDocument("a", content=page, kind=kind)], jobs=1)
        assert getattr(report, status) == 1, kind
    assert db.document("a").kind == "html"
    assert db.check() == []


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


def test_status_says_what_happened(db):
    assert db.add("a", "some text " * 20) == "added"
    assert db.add("a", "some text " * 20) == "unchanged"
    assert db.add("a", b"some text " * 20) == "unchanged"
    assert db.add("a", "some text " * 20, source="s", labels={"x": "y"}) == "updated"
    assert db.add("a", "some text " * 20, source="s", labels={"x": "y"}) == "unchanged"
    assert db.add("a", "some text " * 20, source="s", contact="c") == "updated"
    assert (db.document("a").source, db.document("a").contact, db.document("a").labels) == ("s", "c", {"x": "y"})
    assert db.add("a", "other text " * 20) == "replaced"
    assert db.add("a", "other text " * 20, boilerplate=True) == "replaced"
    assert (len(db), db.info()["boilerplate_documents"], db.document("a").boilerplate) == (0, 1, True)
    assert db.add("a", "other text " * 20, contact="") == "updated"
    assert db.add("a", "other text " * 20, contact="") == "unchanged"
    assert db.add("a", "other text " * 20, boilerplate=False) == "replaced"
    assert db.add_fingerprints("a", [1, 2], kind="audio") == "replaced"
    assert db.add_fingerprints("a", [1, 2], kind="video") == "replaced"
    assert db.add_fingerprints("a", [1, 2], [3, 4], kind="video") == "replaced"
    assert db.document("a").kind == "video"
    assert len(db) == 1


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
