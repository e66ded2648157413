"""Patterns choose files of folders and archives."""

import zipfile
from pathlib import Path

import pytest

from fpdb.ingest.discover import discover
from fpdb.ingest.path_filter import PathFilter


def test_patterns_choose_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d/sub/old").mkdir(parents=True)
    for name in ("a.py", "a.txt", "sub/b.py", "sub/old/c.py"):
        Path("d", name).touch()
    with zipfile.ZipFile("d/z.zip", "w") as archive:
        archive.writestr("sub/d.py", "")
        archive.writestr("d.txt", "")

    def chosen(include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> set[str]:
        return {document.name for document in discover(["d"], path_filter=PathFilter(include, exclude))}

    everything = chosen()
    assert len(everything) == 6
    assert chosen(("*.py",)) == {name for name in everything if name.endswith(".py")}
    assert chosen(("*.py", "/a.txt")) == chosen((), ("d.txt",))
    assert chosen((), ("old/", "*.zip")) == {"d/a.py", "d/a.txt", "d/sub/b.py"}
    assert chosen((), ("/sub", "**/sub/d.py")) == {"d/a.py", "d/a.txt", "d/z.zip/d.txt"}
    assert chosen(("*.py",), ("a.*", "old")) == {"d/sub/b.py", "d/z.zip/sub/d.py"}


@pytest.mark.parametrize("suffix", ["-lock", "-writer", "-merge", "-reviews"])
@pytest.mark.parametrize(
    ("name", "exclude", "taken"),
    [
        ("d/other.fpdb", (), False),
        ("d/sub/other.fpdb", ("*.py",), False),
        ("d/other.fpdb", ("!*.fpdb-*",), True),
        ("d/other", (), True),
        ("d/fpdb", (), True),
    ],
)
def test_files_beside_databases_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, name: str, exclude: tuple[str, ...], taken: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True)
    Path(name + suffix).touch()
    path_filter = PathFilter((), exclude)
    assert [document.name for document in discover(["d"], path_filter=path_filter)] == [name + suffix] * taken
    assert path_filter.passed_over == ({} if taken else {f"*.fpdb{suffix}": 1})
    assert [document.name for document in discover([name + suffix])] == [name + suffix]
