"""Records: the same documents whatever file they come in."""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import loading, parallel
from fpdb.ingest.files import InputDocument
from fpdb.ingest.loading import load
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import record_chunks
from fpdb.search.batch_query import answer_documents
from tests.ingest.record_files import PACKED, numbered, read_records, text, written

patient = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


def form_of(path: str) -> Any:
    return "parquet" if path.endswith(".parquet") else "jsonl"


def catalogue(db: fpdb.Database) -> list[tuple[object, ...]]:
    return [(d.name, d.digest, d.kind, d.symbols, d.fingerprints, d.hashes, d.note, d.labels) for d in db.documents()]


ROWS = st.fixed_dictionaries(
    {"id": st.text(max_size=6) | st.none() | st.integers(0, 9), "text": st.text(max_size=90) | st.just("ab " * 40)},
    optional={"meta": st.fixed_dictionaries({"url": st.text(max_size=3) | st.none()})},
)


@patient
@given(rows=st.lists(ROWS, min_size=1, max_size=12))
@example(rows=[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}, {"id": None, "text": "\u2028\r\n\x00"}])
def test_the_same_documents_in_any_form(rows: list[dict[str, Any]]) -> None:
    """JSON Lines, compressed or not, and Parquet where each column has one type; their names but for the file's."""
    rows = [{**row, "id": row["id"] if row["id"] is None else str(row["id"])} for row in rows]
    fields = Fields(labels=("meta.url",))
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for ending in (*(f".jsonl{packed}" for packed in PACKED), ".parquet"):
            path = written(Path(folder), rows, ending)
            got = list(read_records([path], form_of(path), fields=fields))
            found.append(
                [
                    (one.name.replace(path, "F"), one.content, one.labels)
                    for one in got
                    if isinstance(one, InputDocument)
                ]
            )
            assert len(found[-1]) == len(rows)
    expected = [
        (
            f"F:{number}" if row["id"] is None else row["id"],
            row["text"],
            {} if row.get("meta", {}).get("url") is None else {"meta.url": row["meta"]["url"]},
        )
        for number, row in enumerate(rows, start=1)
    ]
    assert all(one == expected for one in found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_load_of_records_equals_adding_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """Short texts are fingerprinted together, in any script and of any kind; answers are those of single queries."""
    monkeypatch.setattr(parallel, "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.search.batch_query"], "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 3000)
    texts = [
        text(1),
        text(2) + " naïve “quotes”",
        "Привет мир " * 20,
        "日本語の文章です。" * 20,
        "<html>" + text(3),
        "",
        "x" * 29,
    ]
    names = ["a", "b.pdf", "c", "d", "e.html", "f", "g.py"]
    rows = [{"name": name, "text": one} for name, one in zip(names, texts, strict=True)] + numbered(30)
    path = written(tmp_path, rows, ".jsonl.gz")
    with fpdb.open(tmp_path / "one.fpdb") as one, fpdb.open(tmp_path / "all.fpdb") as every:
        for row in rows:
            kind = "auto" if row.get("name") != "b.pdf" else "text"
            one.add(row.get("name") or row["id"], row["text"], kind=kind)
        report = load(every, record_chunks([path], kind="auto"), jobs=jobs)
        assert (report.added, report.skips, report.shorts) == (37, 0, 2)
        assert catalogue(every) == catalogue(one)
        before = Path(every.path).read_bytes()
        for options in ({}, {"max_df": 2}, {"by": "resemblance", "min": 0.2, "top": 2}, {"regions": True}):
            got = [
                found.answer
                for found in answer_documents(every, record_chunks([path], kind="auto"), jobs=jobs, **options)
            ]
            assert got == [
                one.query(row["text"], name=row.get("name") or row["id"], kind=document.kind, **options)
                for row in rows
                for document in [one.document(row.get("name") or row["id"])]
            ]
        assert Path(every.path).read_bytes() == before
        assert load(every, record_chunks([path], kind="auto"), jobs=jobs).unchanged == 37
        assert one.check() == every.check() == []


LOADING = """
import sys
import fpdb
from fpdb.ingest import jsonl, loading
from fpdb.ingest.loading import load
from fpdb.ingest.records import record_chunks
if __name__ == "__main__":
    loading.BATCH_POSTINGS = 2000
    jsonl.RECORD_CHUNK_BYTES = 2000
    with fpdb.open(sys.argv[1]) as db:
        load(db, record_chunks([sys.argv[2]]), jobs=1)
"""


def test_a_load_that_is_killed_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*numbered(400), {"id": "d005", "text": text(900)}]
    path = written(tmp_path, rows, ".jsonl.zst")
    killed = tmp_path / "killed.fpdb"
    with subprocess.Popen([sys.executable, "-c", LOADING, str(killed), path]) as process:
        while process.poll() is None and (not killed.exists() or committed(killed) < 100):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    monkeypatch.setattr(loading, "BATCH_POSTINGS", 2000)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 2000)
    with fpdb.open(killed) as db, fpdb.open(tmp_path / "whole.fpdb") as whole:
        there = len(db)
        assert there >= 100
        again: list[str] = []
        fingerprint_texts = fpdb.Recipe.fingerprint_texts

        def counted(recipe: fpdb.Recipe, texts: list[str], **options: Any) -> Any:
            again.extend(texts)
            return fingerprint_texts(recipe, texts, **options)

        monkeypatch.setattr(fpdb.Recipe, "fingerprint_texts", counted)
        report = load(db, record_chunks([path]), jobs=1)
        assert len(again) <= len(rows) - there + 1  # what was committed is not fingerprinted again
        assert report.documents == len(rows)
        load(whole, record_chunks([path]), jobs=1)
        assert catalogue(db) == catalogue(whole)
        asked = [(None, row["text"]) for row in rows[::20]]
        assert db.queries(asked) == whole.queries(asked)
        assert db.check() == whole.check() == []


def committed(path: Path) -> int:
    try:
        with fpdb.open(path, "r") as db:
            return len(db)
    except fpdb.Error:
        return 0
