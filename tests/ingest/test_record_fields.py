"""The fields of a record become the fields of a document."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import Fields, RecordChunk
from fpdb.ingest.records import record_chunks
from tests.ingest.record_files import lines_of, read_records, written


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


RECORD = {
    "id": "x",
    "tags": ["a", "b"],
    "a.b": "dotted",
    "messages": [
        {"role": "user", "content": "question"},
        {"role": "tool", "content": None},
        {"role": "assistant", "content": "answer", "meta": {"notes": ["n", "o"]}},
    ],
}
PATHS = {
    "messages.*.content": "question\nanswer",
    "messages.0.content": "question",
    "messages.*.meta.notes": "n\no",
    "messages.2.meta.notes.1": "o",
    "tags": "a\nb",
    "tags.*": "a\nb",
    "tags.1": "b",
    "a.b": "dotted",
}
FAULTS = {
    "messages.3.content": 'no "messages.3.content" (there is: messages.*)',
    "messages.*.text": 'no "messages.*.text" (there is: messages.*.role, messages.*.content, messages.*.meta)',
    "messages.-1.content": 'no "messages.-1.content" (there is: messages.*)',
    "tags.a": 'no "tags.a" (there is: tags.*)',
    "id.x": 'no "id.x" (there is: id, tags, a.b, messages)',
    "messages.1.content": '"messages.1.content" is null',
    "messages": '"messages" is not a string',
    "messages.2.meta": '"messages.2.meta" is not a string',
}


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_texts_in_lists(tmp_path: Path, ending: str) -> None:
    """One field names a string, a list of strings, or the strings of some elements; the rest is told as it is."""
    path = written(tmp_path, [RECORD], ending)
    form: Any = "parquet" if ending == ".parquet" else "jsonl"
    for field, text in PATHS.items():
        (found,) = read_records([path], form, fields=Fields(text=field))
        assert isinstance(found, InputDocument), field
        assert found.content == text
    for field, reason in FAULTS.items():
        (found,) = read_records([path], form, fields=Fields(text=field))
        assert isinstance(found, Skipped)
        # Of Parquet, only the columns that are asked for are read, and all objects have all fields.
        assert found.reason == reason or (ending == ".parquet" and field in ("id.x", "messages.2.meta"))


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
@pytest.mark.parametrize("field", ["nope", "messages.*.text"])
def test_a_field_of_no_record_is_one_error(tmp_path: Path, ending: str, field: str) -> None:
    rows = [{"messages": [{"content": "x", "role": str(number)}], "other": "y"} for number in range(12)]
    rows[3] = {"messages": [{"content": "x", "role": "3"}]}  # records differ in what else they have
    path = written(tmp_path, rows, ending)
    form: Any = "parquet" if ending == ".parquet" else "jsonl"
    (found,) = read_records([path], form, fields=Fields(text=field))
    assert isinstance(found, Skipped)
    assert found.requested
    assert found.name == path
    assert f'"{field}" (there is: messages' in found.reason


@given(
    st.lists(st.text("ab", max_size=5) | st.none(), max_size=4), st.lists(st.integers(0, 20), max_size=6, unique=True)
)
def test_cutting_takes_characters_out_of_the_parts(parts: list[str | None], ends: list[int]) -> None:
    """Separators stay, whatever is cut."""
    record: dict[str, Any] = {"m": [{"c": part} for part in parts], "c": 1}
    fields = Fields(text="m.*.c")
    spans = list(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
    if not any(part is not None for part in parts):
        return
    text = fields.document({**record, "id": 1}, "", 0, "text").content
    assert isinstance(text, str)
    fields.cut(record, spans)
    left = fields.document({**record, "id": 1}, "", 0, "text").content
    cut = {place for start, end in spans for place in range(start, end)}
    assert left == "".join(each for place, each in enumerate(text) if place not in cut or each == "\n")
    assert [part["c"] is None for part in record["m"]] == [part is None for part in parts]


GIVEN = {"text": "t", "label": "l", "meta": {"url": "u"}}


@pytest.mark.parametrize(
    ("rows", "label", "is_missing"),
    [
        ([GIVEN], "label", False),
        ([GIVEN], "meta.url", False),
        ([GIVEN], "nope", True),
        ([GIVEN], "meta.nope", True),
        ([GIVEN | {"nope": None}], "nope", False),  # null is a value that may be another one elsewhere
        ([GIVEN | {"nope": 1.5}], "nope", False),
        ([GIVEN] * 9 + [GIVEN | {"nope": "n"}], "nope", False),
        ([GIVEN] * 10 + [GIVEN | {"nope": "n"}], "nope", True),  # of which only the first ten are looked at
        ([{"label": "l"}, GIVEN], "nope", True),
        ([{"label": "l"}], "nope", False),  # there is no document that could have it
    ],
)
def test_fields_for_labels_that_the_first_records_lack(
    tmp_path: Path, rows: list[dict[str, Any]], label: str, is_missing: bool
) -> None:
    path = written(tmp_path, rows, ".jsonl")
    (chunk,) = record_chunks([path], fields=Fields(labels=(label,)))
    assert isinstance(chunk, RecordChunk)
    there = "meta.url" if label == "meta.nope" else "text, label, meta"
    fault = f'no "{label}" (there is: {there}) in its first lines, for --label-field'
    assert list(chunk.missing_labels()) == [fault] * is_missing
