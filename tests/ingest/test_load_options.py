"""Options of a load hold for all of its documents, unless a document has its own."""

import pytest

import fpdb
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import Stopped, load
from tests.ingest.given_texts import text


def test_labels_and_contact_of_a_document_come_first(db: fpdb.Database) -> None:
    own = InputDocument("own", content=text(1), contact="author", labels={"term": "2"})
    options = LoadOptions(boilerplate=True, labels={"term": "1", "year": "1996"}, contact="me", keep_text=True)
    load(db, [own, InputDocument("plain", content=text(2))], options)
    documents = {document.name: document for document in db.documents()}
    assert [(documents[name].contact, documents[name].labels) for name in ("own", "plain")] == [
        ("author", {"term": "2", "year": "1996"}),
        ("me", {"term": "1", "year": "1996"}),
    ]
    assert all(document.boilerplate for document in documents.values())
    assert [db.original(name) for name in ("own", "plain")] == [text(1), text(2)]


def test_a_strict_load_stops_at_what_others_skip(db: fpdb.Database) -> None:
    items = [InputDocument("a", content=text(1)), Skipped("b", "why"), InputDocument("c", content=text(2))]
    with pytest.raises(Stopped, match="stopped at b: why"):
        load(db, items, LoadOptions(strict=True))
    assert [document.name for document in db.documents()] == ["a"]
    assert load(db, items, LoadOptions()).skips == 1
    assert len(db) == 2
