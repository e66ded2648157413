"""The fields of a record become the fields of a document."""

from pathlib import Path

import pytest

from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import read_records
from tests.ingest.record_files import lines_of


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (Fields(), "the name"),
        (Fields(name="id"), "7"),
        (Fields(name="-"), "in.jsonl:1"),
        (Fields(name="meta.url", text="meta.body"), "u"),
        (Fields(name="missing"), None),
        (Fields(labels=("id", "ok", "meta.url", "none")), "the name"),
        (Fields(labels=("meta",)), None),
    ],
)
def test_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: Fields, name: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"name": "the name", "id": 7, "text": "t", "ok": True, "none": None, "meta": {"url": "u", "body": "b"}}
    Path("in.jsonl").write_bytes(lines_of([row]))
    (one,) = read_records(["in.jsonl"], fields=fields)
    if name is None:
        assert isinstance(one, Skipped)
        return
    assert isinstance(one, InputDocument)
    assert one.name == name
    assert one.content == ("b" if fields.text else "t")
    if fields.labels:
        assert one.labels == {"id": "7", "ok": "true", "meta.url": "u"}
