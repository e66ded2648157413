"""The database that a command works on, and its files."""

import os
from pathlib import Path

import click
import pytest

import fpdb
from fpdb.cli.target import Target, read_document, usage_errors
from tests.cli.conftest import Run
from tests.cli.prose import prose


def test_another_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.txt").write_text(prose(1))
    run("--db", "x.fpdb", "add", "a.txt")
    monkeypatch.setenv("FPDB_DB", "x.fpdb")
    assert "a.txt" in run("list").stdout
    assert not Path("corpus.fpdb").exists()
    Path("text.fpdb").write_text("this is no database")
    assert run("--db", "text.fpdb", "query", "a.txt", status=1).stderr.startswith("fpdb: ")
    assert run("--db", ".", "query", "a.txt", status=1).stderr.startswith("fpdb: ")
    run("--timeout", "-1", "list", status=2)


def test_a_database_reached_through_a_link(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    os.mkdir("real")
    run("--db", "real/x.fpdb", "init")
    os.symlink("real/x.fpdb", "link.fpdb")
    assert "added 1, skipped 2, passed over 2 (" in run("--db", "link.fpdb", "add", ".").stdout


def test_others_who_may_read_the_file_are_told_of(run: Run) -> None:
    Path("c").write_text(prose(1))
    run("init", "--secret-file", "k")
    os.chmod("k", 0o644)
    assert "others can read the key in k" in run("--key-file", "k", "add", "c").stderr
    os.chmod("k", 0o600)
    assert "warning" not in run("--key-file", "k", "add", "c").stderr


def test_a_document_is_read_from_the_database_or_else_from_a_file(run: Run) -> None:
    for name, seed in (("a.txt", 1), ("b.txt", 2)):
        Path(name).write_text(prose(seed))
    Path("empty").mkdir()
    run("add", "a.txt", "--keep-text")
    Path("a.txt").write_text("changed")
    target = Target("corpus.fpdb", 1.0)
    with target.open("r") as db:
        assert read_document(db, target, "a.txt", "auto") == (prose(1).encode(), "text")
        assert read_document(db, target, "b.txt", "auto") == (prose(2).encode(), "auto")
        with pytest.raises(fpdb.Unreadable, match="the database itself"):
            read_document(db, target, "corpus.fpdb", "auto")
        with pytest.raises(fpdb.NoSuchDocument, match="there is no such file"):
            read_document(db, target, "empty", "auto")


def test_a_foreign_database_is_checked_and_only_read(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    run("add", "a.txt")
    run("export", "x.jsonl")
    run("--db", "other.fpdb", "init")
    before = Path("corpus.fpdb").read_bytes()
    for changing in (
        *(("add", "a.txt"), ("remove", "a.txt"), ("rotate",), ("compact",), ("import", "x.jsonl"), ("init",)),
        *(("merge", "other.fpdb"), ("adopt", "."), ("common", "--mark", "x")),
    ):
        result = run("--foreign", *changing, status=2)
        assert "--foreign is for commands that only read" in result.stderr
    query = ("query", "a.txt", "--include-self", "--regions", "--format", "json")
    assert '"source": "same"' in run(*query).stdout
    for several in ((), ("--db", "other.fpdb")):
        told = run("--foreign", "--db", "corpus.fpdb", *several, *query).stdout
        assert '"source": "outside"' in told
        told = run("--foreign", "--sources", ".", "--db", "corpus.fpdb", *several, *query).stdout
        assert '"source": "same"' in told
    assert Path("corpus.fpdb").read_bytes() == before
    damaged = bytearray(before)
    for place in range(4 * 4096 - 8, len(damaged), 4096):  # where LMDB begins to fill a page
        damaged[place] ^= 1
    Path("damaged.fpdb").write_bytes(damaged)
    result = run("--foreign", "--db", "damaged.fpdb", "list", status=1)
    assert "'damaged.fpdb' was not opened, as it is damaged or forged: " in result.stderr


@pytest.mark.parametrize("error", [fpdb.BadQuery("x"), fpdb.BadRecipe("x"), fpdb.UnknownKind("x")])
def test_errors_in_queries_and_recipes_are_wrong_usage(error: Exception) -> None:
    with pytest.raises(click.UsageError, match="x"), usage_errors():
        raise error
    with pytest.raises(fpdb.NoSuchDocument), usage_errors():
        raise fpdb.NoSuchDocument("x")
