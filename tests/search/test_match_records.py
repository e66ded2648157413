"""Matches tell that they have the query's content, whatever their names, and their labels if asked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest.files import InputDocument
from fpdb.search.batch_query import answer_documents
from tests.cli.prose import prose

TEXTS = [prose(1, 120), prose(1, 120) + ".", prose(2, 120), prose(1, 120).upper(), "short", ""]


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(TEXTS)),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3),
    st.sampled_from(["containment", "similarity", "query_coverage"]),
    st.booleans(),
)
def test_identical_and_labels_are_those_of_the_documents(tmp_path_factory, documents, queries, by, with_labels):
    folder = tmp_path_factory.mktemp("records")
    with fpdb.open(folder / "db") as db:
        with db.batch() as batch:
            for name, text in documents.items():
                batch.add(name, text, labels={"length": str(len(text))})
        options = {"with_labels": with_labels}
        answers = [db.query(text, by=by, **options) for text in queries]
        for text, answer in zip(queries, answers, strict=True):
            for match in answer:
                assert (match.identical is True) == (documents[match.name] == text)
                assert match.labels == ({"length": str(len(documents[match.name]))} if with_labels else None)
        if by == "containment":
            assert db.queries([(None, text) for text in queries], **options) == answers
            inputs = [InputDocument(str(index), content=text) for index, text in enumerate(queries)]
            lines = answer_documents(db, inputs, folder=str(folder), jobs=1, include_self=True, **options)
            told = [json.loads(line) for each in lines for line in b"".join(each.lines.pieces()).splitlines()]
            assert [each["matches"] for each in told] == [answer.to_dict()["matches"] for answer in answers]
        assert db.check() == []


def test_hashes_are_identical_by_their_digest(tmp_path):
    with fpdb.open(tmp_path / "db") as db:
        db.add_fingerprints("a", [1, 2], digest=b"0" * 16)
        assert [match.identical for match in db.query_fingerprints([1, 2], digest=b"0" * 16)] == [True]
        assert [match.identical for match in db.query_fingerprints([1, 2], digest=b"1" * 16)] == [None]
        assert [match.identical for match in db.query_fingerprints([1, 2])] == [None]
        with pytest.raises(fpdb.BadQuery):
            db.query_fingerprints([1, 2], with_labels=1)
        assert db.check() == []
