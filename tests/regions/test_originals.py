"""Originals are regular files that are no database's own; else there is a reason."""

from pathlib import Path

from fpdb.regions.originals import identify, read_original, why_unread


def test_regular_files_are_read_unless_they_are_own(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"content")
    assert read_original(str(path), ()) == b"content"
    assert read_original(str(path), identify([str(path), str(tmp_path / "none")])) is None
    assert [read_original(source, ()) for source in (None, "", str(tmp_path), "a\0b", str(tmp_path / "none"))] == [
        None
    ] * 5


def test_the_reason_is_told(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"content")
    sources = None, "relative", str(path), str(tmp_path / "none"), str(path / "below")
    assert [why_unread(source) for source in sources] == ["not_kept", "not_kept", "unavailable", "gone", "gone"]
