"""Paths, folders and patterns stand for files."""

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
import zstandard

from fpdb.ingest.files import Skipped
from fpdb.ingest.input_files import find_input_files, input_files_size
from tests.ingest.record_files import lines_of, numbered, read_records


def test_folders_patterns_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2.jsonl", "b/10.ndjson.gz", "b/c/x.json.gz", "b/notes.txt", "b/plain.json", "a.jsonl"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(gzip.compress(b"{}\n") if name.endswith("gz") else b"{}\n")
    os.symlink("../a.jsonl", "b/link.jsonl")
    inside = ["b/10.ndjson.gz", "b/2.jsonl", "b/c/x.json.gz", "b/link.jsonl"]
    assert list(find_input_files(["b"], "jsonl")) == inside
    assert list(find_input_files(["b/*.jsonl", "-"], "jsonl")) == ["b/2.jsonl", "b/link.jsonl", "-"]
    assert input_files_size(["b"], "jsonl") == sum(os.path.getsize(path) for path in inside)
    assert input_files_size(["b", "-"], "jsonl") is None
    (skipped,) = find_input_files(["b"], "parquet")
    assert isinstance(skipped, Skipped)
    packed = io.BytesIO(zstandard.compress(lines_of(numbered(2))))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(packed)))  # type: ignore[type-var]
    assert [one.name for one in read_records(["-"])] == ["d000", "d001"]
