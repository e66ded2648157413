"""A batch says of a document what adding it changes."""

import os
import tempfile
from collections import Counter
from dataclasses import replace
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
    return [(db.text(one.name), replace(one, added=datetime.min)) for one in db.documents()]


DOCUMENTS = st.lists(
    st.builds(
        InputDocument,
        st.sampled_from(["a", "b", "d" * 500]),
        st.none(),
        content=st.sampled_from([text(0, 200), text(1, 200).encode(), "naïve " * 30, ""]),
        kind=st.sampled_from(["auto", "text", "html"]),
        source=st.sampled_from([None, "s", "https://me:secret@example.org/?x=1"]),
        contact=st.sampled_from([None, "me"]),
        labels=st.sampled_from([None, {}, {"x": "1"}]),
    ),
    max_size=8,
)


@given(DOCUMENTS, DOCUMENTS, st.booleans(), st.booleans())
@settings(max_examples=30)
def test_what_is_known_is_what_adding_would_not_change(
    before: list[InputDocument], after: list[InputDocument], boilerplate: bool, keep_text: bool
) -> None:
    """A load counts and stores what adding one by one does, whatever is there already or comes in the same load."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fpdb.open(os.path.join(folder, "x.fpdb")) as db,
        fpdb.open(os.path.join(folder, "y.fpdb")) as one,
    ):
        load(db, before, jobs=1)
        load(one, before, jobs=1)
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
