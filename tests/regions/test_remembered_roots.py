"""Paths are remembered for a database, in the user's own folder, and only there."""

import json
import os
import stat
from pathlib import Path

import pytest

from fpdb.regions import remembered_roots
from fpdb.regions.remembered_roots import remember, remembered


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "fpdb" / "sources"


def test_each_database_has_its_own_paths(state: Path) -> None:
    assert remembered(b"1") == []
    strange = "/a\nb", "/\udcff", "/é", '/"'
    remember(b"1", ["/x/a", *strange])
    remember(b"1", ["/x/a", "/x/a/below", "/x"])
    remember(b"2", ["/y"])
    assert remembered(b"1") == ["/x/a", *strange, "/x"]
    assert remembered(b"2") == ["/y"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_a_damaged_list_has_its_sound_lines(state: Path) -> None:
    remember(b"1", ["/x"])
    (path,) = state.iterdir()
    path.write_bytes(path.read_bytes() + b'"relative"\n7\n\xff\n["/y"]\n"/z"\n"/cut of')
    assert remembered(b"1") == ["/x", "/z"]


def test_no_more_are_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered_roots, "MAX_PATHS", 3)
    for name in "abcde":
        remember(b"1", [f"/{name}", f"/{name}{name}"])
    assert remembered(b"1") == ["/a", "/aa", "/b"]


def test_nothing_fails_where_nothing_can_be_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, home in (("/dev/null", tmp_path), ("relative", ""), ("", "/"), ("", "~"), ("", "/dev/null")):
        monkeypatch.setenv("XDG_STATE_HOME", folder)
        monkeypatch.setenv("HOME", str(home))
        remember(b"1", ["/x"])
        assert remembered(b"1") == []
    assert os.listdir(tmp_path) == []
    monkeypatch.setenv("HOME", str(tmp_path))
    remember(b"1", ["/x"])
    (path,) = (tmp_path / ".local" / "state" / "fpdb" / "sources").iterdir()
    assert json.loads(path.read_text()) == "/x"
