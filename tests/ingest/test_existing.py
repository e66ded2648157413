"""A document that comes again is compared with the one that has its name."""

import os
import tempfile
from collections import Counter
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from tests.ingest.given_texts import text

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
