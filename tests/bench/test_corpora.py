"""The jobs of docs/guide/corpora.md: each command on the page is run, and prints what stands under it."""

from pathlib import Path

import pytest

import fpdb
from bench.examples import files
from tests.transcripts import run, transcript, without_times


def test_the_jobs_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # and back at the end
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for command, expected in transcript("corpora.md"):
        assert without_times(run(command, tmp_path)) == without_times(expected), command
    for path in tmp_path.glob("*.fpdb"):
        with fpdb.open(path, "r") as db:
            assert db.check() == []
