"""A class as Moodle exports it: by the commands of the guide, who copied stands first."""

import ast
import csv
from importlib import import_module
from pathlib import Path

import pytest

import fpdb
from bench.class_of_students import STUDENTS, WAYS, write_class
from fpdb.pairs.owners import OwnerRule
from tests.transcripts import GUIDE, run, transcript, without_times


def test_the_page_finds_who_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of the page; what they print is shown where it says more than what was added."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(GUIDE.parents[1]))
    printed = ""
    for command, expected in transcript("class.md"):
        said = run(command, tmp_path)
        printed += said if " pairs " in command else ""
        assert not expected or without_times(said) == without_times(expected), command
    planted = write_class(tmp_path / "again")
    assert planted.keys() == set(WAYS)
    with open("class.csv", encoding="utf-8", newline="") as file:
        pairs = [(row["a"], row["b"]) for row in csv.DictReader(file)]
    assert set(map(frozenset, pairs)) == set(map(frozenset, planted.values()))
    assert all(names[0] in printed and names[1] in printed for names in planted.values())
    assert "harness" not in printed
    assert Path("class.html").stat().st_size > 100_000
    with fpdb.open("class.fpdb", "r") as db:
        assert db.check() == []


def test_both_folders_of_a_student_are_his(tmp_path: Path) -> None:
    write_class(tmp_path)
    folders = sorted(path.name for path in (tmp_path / "class").iterdir())
    owners = OwnerRule.parse("moodle").owners([f"class/{name}/x".encode() for name in folders], ())
    assert [owner.decode() for owner in owners if owner] == [
        name.rpartition("_assignsubmission_")[0] for name in folders
    ]
    assert len(set(owners)) == STUDENTS < len(folders)


def test_programs_are_valid_and_all_different(tmp_path: Path) -> None:
    write_class(tmp_path)
    tree_sitter, texts = import_module("tree_sitter"), []
    for path in (tmp_path / "class").rglob("*.*"):
        text = path.read_text()
        if path.suffix == ".py":
            ast.parse(text)
        elif path.suffix in (".java", ".c"):
            language = tree_sitter.Language(import_module(f"tree_sitter_{path.suffix[1:]}").language())
            assert not tree_sitter.Parser(language).parse(text.encode()).root_node.has_error, path
        if path.suffix != ".html" and path.stem != "harness":
            texts.append(text)
    assert len(set(texts)) == len(texts) == STUDENTS + 1  # one is split


def test_a_class_is_the_same_every_time(tmp_path: Path) -> None:
    for name in "ab":
        write_class(tmp_path / name, seed=2)
    a, b = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in "ab"
    )
    assert a == b
