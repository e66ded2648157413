"""`fpdb prune` lists documents whose files are gone, and removes them if asked."""

import os
import zipfile
from pathlib import Path

import fpdb
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_documents_whose_files_are_gone_are_listed_and_then_removed(run, tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ("a.txt", "b.txt", "folder/c.txt", "folder/d.txt"):
        Path(name).write_text(prose(len(name), 200))
    for name in ("one.zip", "two.zip"):
        with zipfile.ZipFile(name, "w") as archive:
            archive.writestr("inside.txt", prose(9, 200))
    run("add", "a.txt", "b.txt", "folder", "one.zip", "two.zip", "--keep-text")
    run("add", "-", "--name", "no file", stdin=prose(5, 200).encode())
    with fpdb.open("corpus.fpdb") as db:
        db.add("elsewhere", prose(6, 200), source="/nowhere/that/may/be/read")
    assert run("prune").stdout == ""
    for name in ("a.txt", "folder/d.txt", "one.zip"):
        os.unlink(name)
    gone = ["a.txt", "folder/d.txt", "one.zip/inside.txt"]
    assert [document["name"] for document in objects(run("prune", "--format", "json").stdout)] == gone
    assert run("prune", "--names").stdout.split() == gone
    assert run("prune", "--names", "--remove").stdout.split() == gone
    assert run("list", "--names").stdout.splitlines() == [
        "b.txt",
        "elsewhere",
        "folder/c.txt",
        "no file",
        "two.zip/inside.txt",
    ]
    assert run("prune").stdout == ""
