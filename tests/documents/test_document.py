"""A document says what its record says."""

import json
from datetime import UTC, datetime

import pytest

from fpdb.documents.document import document_of
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
    assert set(plain) == set(document._fields)
    assert json.loads(json.dumps(plain)) == plain
    assert bytes.fromhex(plain["digest"]) == document.digest
    assert datetime.fromisoformat(plain["added"]) == document.added
