"""Names and sizes of files."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import files as input_documents
from fpdb.ingest.discover import discover
from fpdb.ingest.files import binary_reason, document_name
from fpdb.ingest.loading import load
from tests.ingest.given_texts import text
from tests.ingest.record_files import read_records


def test_a_large_file_chunked(db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = text(1, 300_000).encode()
    path = tmp_path / "large.txt"
    path.write_bytes(content)
    assert input_documents.read_file(str(path)) == content
    load(db, discover([str(path)], name="large"))
    assert db.document("large").digest == fpdb.fingerprint.content_digest(content)
    monkeypatch.setattr(input_documents, "MAX_DOCUMENT_BYTES", 200_000)
    report = load(db, discover([str(path)], name="too-large"))
    assert report.skipped[0].reason.startswith("too large")
    with pytest.raises(fpdb.Unreadable, match="too large"):
        input_documents.read_file(str(path))


def test_what_is_too_large_is_not_held_in_memory_to_say_so(
    db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("files", "discover"):
        monkeypatch.setattr(sys.modules[f"fpdb.ingest.{name}"], "MAX_DOCUMENT_BYTES", 2_000)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 300)
    short, long = (json.dumps({"name": name, "text": "a" * size}) for name, size in (("a", 1_000), ("b", 9_000)))
    (tmp_path / "l").write_text("\n".join((short, long, short.replace('"a"', '"c"', 1), long)))
    report = load(db, read_records([str(tmp_path / "l")]))
    assert [document.name for document in db.documents()] == ["a", "c"]
    assert [skipped.name.rpartition(":")[2] for skipped in report.skipped] == ["2", "4"]
    assert all(skipped.reason.startswith("too large") for skipped in report.skipped)
    endless = io.BytesIO(b"a" * 90_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    assert load(db, discover(["-"], name="d")).skipped[0].reason.startswith("too large")
    assert endless.tell() < 90_000


@given(st.lists(st.sampled_from(["a", "b", "..", ".", ""]), max_size=8), st.booleans())
def test_a_name_keeps_all_parts_that_lead_somewhere(parts: list[str], absolute: bool) -> None:
    path = ("/" if absolute else "") + "/".join(parts)
    name = document_name(path)
    assert document_name(name) == name
    assert name.startswith("/") == path.startswith("/")
    assert [part for part in name.split("/") if part] == [part for part in parts if part not in ("", ".")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["今天天气很好，我们去公园散步。 AB\n" * 9, "सभी सुखी परिवार एक जैसे होते हैं " * 9])
def test_possible_utf16_is_skipped_with_the_encoding_to_give(text: str, encoding: str) -> None:
    assert f"--encoding {encoding}" in binary_reason(text.encode(encoding))
    assert binary_reason(b"x" * 5000 + b"\0" + b"x" * 999) == "binary (it has NUL bytes)"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["Это строка по-русски. " * 9, "これは日本語の文章です。 AB\n" * 9])
def test_utf16_that_its_script_tells_is_read_as_other_texts_are(tmp_path: Path, text: str, encoding: str) -> None:
    Path(tmp_path, "a.txt").write_bytes(text.encode(encoding))
    with fpdb.open(tmp_path / "x.fpdb") as db:
        report = load(db, discover([str(tmp_path / "a.txt")], kind="auto"), jobs=1)
        assert (report.added, report.skips) == (1, 0)
        (document,) = db.documents()
        assert f"{encoding} (guessed)" in document.note
        assert db.query(text).matches[0].containment == 1
        assert db.check() == []
