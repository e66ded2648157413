"""`fpdb list`, `show` and `info`."""

import csv
import io
import json
from datetime import date, timedelta
from pathlib import Path

import fpdb
from fpdb.fingerprint import Recipe
from tests.cli.conftest import Run
from tests.cli.json_lines import objects


def test_list(with_template: Run) -> None:
    records = [json.loads(line) for line in with_template("list", "--format", "json").stdout.splitlines()]
    assert [record["name"] for record in records] == ["c/a.txt", "c/b.txt", "template"]
    assert [record["boilerplate"] for record in records] == [False, False, True]
    rows = list(csv.DictReader(io.StringIO(with_template("list", "--format", "csv").stdout)))
    assert [(row["name"], row["labels"]) for row in rows[:1]] == [("c/a.txt", '{"term": "1"}')]
    assert list(rows[0]) == list(records[0])
    lines = with_template("list", "--glob", "c/*").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "c/a.txt", "c/b.txt"]
    assert "text (boilerplate)" in with_template("list").stdout


def test_list_by_label_and_time(with_template: Run) -> None:
    def names(*options: str) -> list[str]:
        return [
            json.loads(line)["name"] for line in with_template("list", "--format", "json", *options).stdout.splitlines()
        ]

    with_template("add", "c/b.txt", "--name", "third", "--label", "term=2", "--label", "late=yes")
    assert names("--label", "term=1") == ["c/a.txt", "c/b.txt"]
    assert names("--label", "term=2", "--label", "late=yes") == ["third"]
    assert names("--label", "term=1", "--label", "late=yes") == names("--label", "term=1", "--label", "term=2") == []
    day = date.today()
    assert names("--since", str(day - timedelta(1)), "--before", str(day + timedelta(1))) == names()
    assert names("--since", str(day + timedelta(1))) == names("--before", str(day - timedelta(1))) == []
    with_template("list", "--since", "yesterday", status=2)
    with_template("list", "--label", "term", status=2)


def test_show(with_template: Run) -> None:
    record = json.loads(with_template("show", "c/a.txt", "--format", "json").stdout)
    assert record["labels"] == {"term": "1"}
    assert record["note"] == "utf-8"
    assert len(record["digest"]) == 32
    assert with_template("show", "c/a.txt").stdout.startswith("name          c/a.txt\n")
    assert len(with_template("show", "c/a.txt", "--format", "csv").stdout.splitlines()) == 2
    error = with_template("show", "missing", status=1).stderr
    assert error.startswith("fpdb: ")
    assert "missing" in error


def test_info(with_template: Run) -> None:
    figures = json.loads(with_template("info", "--format", "json").stdout)
    contract = {"documents", "boilerplate_documents", "postings", "runs", "file_bytes", "format_version", "recipe"}
    assert contract <= set(figures)
    assert (figures["documents"], figures["boilerplate_documents"]) == (2, 1)
    assert figures["file_bytes"] == Path("corpus.fpdb").stat().st_size
    assert "documents    2\n" in with_template("info").stdout
    assert len(with_template("info", "--format", "csv").stdout.splitlines()) == 2


def test_the_key_is_never_printed(with_template: Run) -> None:
    for form in ("table", "json", "csv"):
        assert str(Recipe.preset().key) not in with_template("info", "--format", form).stdout


def test_an_empty_database(run: Run) -> None:
    run("init")
    assert run("list").stdout == "name  kind  symbols  fingerprints  added  labels\n"
    assert run("list", "--format", "json").stdout == ""
    assert json.loads(run("info", "--format", "json").stdout)["documents"] == 0
    assert "documents    0" in run("info").stdout
    run("compact")


def test_fingerprints_are_shown(run: Run) -> None:
    with fpdb.open("corpus.fpdb") as db:
        db.add_fingerprints("placed", [7, 2**64 - 1], [9, 3])
        db.add_fingerprints("not placed", [7])
    shown = objects(run("show", "placed", "--fingerprints", "--format", "json").stdout)
    assert shown == [{"hash": 2**64 - 1, "position": 3}, {"hash": 7, "position": 9}]
    assert run("show", "placed", "--fingerprints", "--format", "csv").stdout.split() == [
        "hash,position",
        f"{2**64 - 1},3",
        "7,9",
    ]
    assert objects(run("show", "not placed", "--fingerprints", "--format", "json").stdout) == [{"hash": 7}]
    assert "18446744073709551615" in run("show", "placed", "--fingerprints").stdout
    run("show", "placed", "--fingerprints", "--text", status=2)
