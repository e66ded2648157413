"""The jobs of docs/guide/corpora.md and archive.md: each command is run, and prints what stands under it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import fpdb
from bench import examples
from tests.transcripts import GUIDE, run, transcript, without_times


@pytest.mark.parametrize(("page", "files"), [("corpora.md", examples.files), ("archive.md", dict)])
def test_the_jobs_on_the_page(
    page: str, files: Callable[[], Mapping[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # and back at the end
    monkeypatch.setenv("PYTHONPATH", str(GUIDE.parents[1]))
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for command, expected in transcript(page):
        assert without_times(run(command, tmp_path)) == without_times(expected), command
    for path in tmp_path.glob("*.fpdb"):
        with fpdb.open(path, "r") as db:
            assert db.check() == []
