"""Files that are documents under two names are told before anybody removes them."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose

NOTICE = "which gives the same files other names"


@pytest.fixture
def folder(run: Run) -> Path:  # noqa: ARG001 (which makes the working folder)
    """Return the working folder, with a file and a folder."""
    Path("d").mkdir()
    Path("a.txt").write_text(prose(1))
    Path("d/b.txt").write_text(prose(2))
    return Path.cwd()


@pytest.mark.parametrize(
    ("paths", "is_told"),
    [
        (("a.txt", "{here}/a.txt"), True),
        (("d", "{here}/d"), True),
        (("d", "{here}/d/b.txt"), True),
        (("{here}/d/b.txt", "d"), True),
        ((".", "{here}/d"), True),
        (("d/../a.txt", "a.txt"), True),
        (("a.txt", "./a.txt"), False),
        (("d", "d/b.txt", "./d/b.txt"), False),
        ((".", "a.txt", "d//b.txt"), False),
        (("{here}", "{here}/d"), False),
        (("a.txt", "{here}/d"), False),
    ],
)
def test_add_tells_paths_that_name_files_twice(run: Run, folder: Path, paths: tuple[str, ...], is_told: bool) -> None:
    given = [path.format(here=folder) for path in paths]
    result = run("add", *given, "--exclude", "*.fpdb")
    assert (NOTICE in result.stderr) == is_told
    for command in (("pairs",), ("drop-list",), ("pairs", "--format", "json"), ("drop-list", "--names")):
        assert ("one file under two names" in run(*command).stderr) == is_told


def test_pairs_and_drop_list_tell_one_file_under_two_names(run: Run, folder: Path) -> None:
    """Also if it came in two runs, from two folders; copies in other files, and archives' members, are none."""
    Path("e").mkdir()
    Path("e/b.txt").write_text(prose(2))
    run("add", "d", "e")
    for command in ("pairs", "drop-list"):
        assert "two names" not in run(command).stderr
    os.chdir("d")
    run("--db", str(folder / "corpus.fpdb"), "add", "b.txt")
    os.chdir(folder)
    for command in ("pairs", "drop-list"):
        assert "in 1 pair, such as " in run(command).stderr
    assert "two names" not in run("pairs", "--owners", "path:1", "--by-owner").stderr
