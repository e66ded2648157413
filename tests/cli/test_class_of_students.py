"""A class as Moodle exports it: by the commands of the guide, who copied stands first."""

import ast
from importlib import import_module
from pathlib import Path

from bench.class_of_students import STUDENTS, WAYS, write_class
from fpdb.pairs.owners import OwnerRule
from tests.cli.conftest import Run
from tests.cli.json_lines import objects


def test_who_copied_stands_first(run: Run) -> None:
    planted = write_class(Path())
    assert planted.keys() == set(WAYS)
    run("init", "--preset", "code")
    run("add", "--boilerplate", "template")
    run("add", "class", "last-year.zip")
    options = ("--owners", "moodle", "--by-owner", "--top", "6", "--format", "json")
    found = objects(run("pairs", *options).stdout)
    assert {frozenset((pair["a"], pair["b"])) for pair in found} == set(map(frozenset, planted.values()))
    for pair in found:
        first = pair["document_pairs"][0]
        assert pair["a"] in first["a"]
        assert pair["b"] in first["b"]
        assert "harness" not in first["a"] + first["b"]


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
