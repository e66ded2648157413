"""`fpdb merge`, `fpdb adopt`, and `fpdb query` of several databases."""

import csv
import io
import json
from pathlib import Path

import pytest

import fpdb
from tests.cli.conftest import Run
from tests.parquet_folders import document, write

PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. "


@pytest.fixture
def two(run: Run) -> None:
    """corpus.fpdb and other.fpdb, which both hold a document of one name."""
    for folder, added in (("a", "and all that was in the first"), ("b", "and all that was in the second")):
        Path(folder).mkdir()
        Path(folder, "own.txt").write_text(PROSE + added)
        Path("same.txt").write_text(PROSE + added * 3)
        run("--db", "corpus.fpdb" if folder == "a" else "other.fpdb", "add", folder, "same.txt")


@pytest.mark.usefixtures("two")
def test_merge(run: Run) -> None:
    refused = run("merge", "other.fpdb", status=1)
    assert "nothing was taken over" in refused.output
    assert "'same.txt'; 1 in all" in refused.output
    assert run("merge", "other.fpdb", "--on-collision", "skip").output == "merged 2 documents: 1 added, 1 skipped\n"
    assert run("merge", "other.fpdb", "--prefix", "o/").output == "merged 2 documents: 2 added\n"
    names = [json.loads(line)["name"] for line in run("list", "--format", "json").output.splitlines()]
    assert names == ["a/own.txt", "b/own.txt", "o/b/own.txt", "o/same.txt", "same.txt"]
    assert "itself" in run("merge", "./corpus.fpdb", status=2).output
    assert "no database" in run("merge", "none.fpdb", status=1).output
    run("--db", "short.fpdb", "init", "-k", "9", "--window", "5")
    assert "the rule for characters" in run("merge", "short.fpdb", status=1).output


def test_adopt(run: Run) -> None:
    run("init")
    folder = write(
        "made", fpdb.Recipe.preset(), [(document(f"{number}", bytes(16)), [(number, 0)]) for number in (1, 2)]
    )
    assert run("adopt", "made").output == "adopted 2 documents: 2 added\n"
    assert run("adopt", "made").output == "adopted 2 documents: 2 unchanged\n"
    (folder / "_SUCCESS").unlink()
    assert "has no _SUCCESS" in run("adopt", "made", status=1).output
    assert "is no folder" in run("adopt", "none", status=1).output


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("before", [True, False])
def test_query_of_several(run: Run, before: bool) -> None:
    Path("asked").write_text(PROSE)
    both = ["--db", "other.fpdb", "--db", "corpus.fpdb"]
    command = [*both, "query"] if before else ["query", *both]
    found = json.loads(run(*command, "asked", "--format", "json").output)["matches"]
    assert sorted((match["name"], match["database"]) for match in found) == [
        ("a/own.txt", "corpus.fpdb"),
        ("b/own.txt", "other.fpdb"),
        ("same.txt", "corpus.fpdb"),
        ("same.txt", "other.fpdb"),
    ]
    table = run(*command, "asked", "--regions").output.splitlines()
    assert table[1].split()[:4] == ["#", "name", "database", "shared"]
    assert table[2].split()[1:3] == [found[0]["name"], found[0]["database"]]
    rows = list(csv.DictReader(io.StringIO(run(*command, "asked", "--format", "csv").output)))
    assert [row["database"] for row in rows] == [match["database"] for match in found]
    left_out = run(*command, "same.txt", "--min", "0.99").output
    assert "no match but itself" in left_out
    assert "one database" in run(*command, "asked", "--report", "r.html", status=2).output


@pytest.mark.usefixtures("two")
def test_several_databases_elsewhere(run: Run) -> None:
    Path("asked").write_text(PROSE)
    assert "only `fpdb query`" in run("--db", "other.fpdb", "--db", "corpus.fpdb", "list", status=2).output
    assert "given twice" in run("query", "--db", "other.fpdb", "--db", "./other.fpdb", "asked", status=2).output
    alone = json.loads(run("query", "--db", "other.fpdb", "asked", "--format", "json").output)["matches"]
    assert "database" not in alone[0]
    assert {match["name"] for match in alone} == {"b/own.txt", "same.txt"}
