"""Discovery is sorted, follows no links and names what it skips."""

import os
from pathlib import Path

import pytest

from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped


def test_walking_is_sorted_and_follows_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2", "b/10", "b-", "a", "c/x/y"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    os.symlink("..", "c/x/up")
    os.symlink("b", "linked")
    assert [one.name for one in discover(["."])] == ["a", "b/10", "b/2", "b-", "c/x/up", "c/x/y", "linked"]
    assert [one.name for one in discover(["linked"])] == ["linked/10", "linked/2"]
    inside = next(iter(discover(["linked"])))
    assert isinstance(inside, InputDocument)
    assert inside.source == f"{tmp_path}/linked/10"


def test_a_path_that_the_system_finds_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    monkeypatch.chdir(tmp_path)
    (skipped,) = discover(["d" * 250])
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "file name too long"
