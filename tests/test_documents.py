"""A document says what its record says; documents are listed by patterns of names."""

import json
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.documents import document_of, list_documents, list_names
from fpdb.storage.file_format import FIRST_BOILERPLATE
from fpdb.storage.records import Record

RECORD = Record(
    b"not UTF-8 \xfe",
    "text",
    bytes(range(16)),
    symbols=40,
    kgrams=11,
    fingerprints=4,
    hashes=3,
    added=1_700_000_000,
    note="a note",
    source="/a/b",
    contact="ann@example.org",
    labels={"year": "1996"},
    rotation=2,
    text=44,
)


@pytest.mark.parametrize("document_id", [7, FIRST_BOILERPLATE + 7])
def test_a_document_has_all_that_its_record_has(document_id):
    document = document_of(document_id, RECORD)
    assert document.boilerplate is (document_id >= FIRST_BOILERPLATE)
    assert document.name.encode("utf-8", "surrogateescape") == RECORD.name
    assert document.added == datetime.fromtimestamp(RECORD.added, UTC)
    assert document.text_bytes == RECORD.text
    same = set(RECORD._fields) - {"name", "added", "text"}
    assert {field: getattr(document, field) for field in same} == {field: getattr(RECORD, field) for field in same}


def test_a_document_becomes_plain_values():
    document = document_of(7, RECORD)
    plain = document.to_dict()
    assert set(plain) == set(document.__slots__)
    assert json.loads(json.dumps(plain)) == plain
    assert bytes.fromhex(plain["digest"]) == document.digest
    assert datetime.fromisoformat(plain["added"]) == document.added


NAMES = st.text("ab*?[]\udcff", min_size=1, max_size=4)


@given(st.sets(NAMES, max_size=8), st.text("ab*?[]!-\udcff\ud800", max_size=4))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_pattern_lists_the_names_that_match(tmp_path_factory, names, glob):
    with fpdb.open(tmp_path_factory.mktemp("names") / "t.fpdb") as db:
        with db.batch() as batch:
            for name in names:
                batch.add_fingerprints(name, [1])
        with db.snapshot() as snapshot:
            listed = [document.name for document in list_documents(snapshot, glob)]
            named = list(list_names(snapshot, glob))
    ordered = sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))
    assert listed == named == [name for name in ordered if fnmatchcase(name, glob)]
