"""`fpdb drop-list`, `fpdb remove --from`, and what is written for programs: CSV and Parquet hold what JSON does."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import fpdb

from .conftest import Run
from .samples import prose

TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64()}


@pytest.fixture
def copies(run: Run) -> Run:
    """a and b are nearly the same, c is a part of b, d is something else; one name holds a line break."""
    text = prose(1, 300)
    for name, content in {
        "a": text[:1_200],
        "b\nb": text[:1_500],
        "c": text[1_000:1_500],
        "d": prose(2, 300),
        "é": prose(2, 300)[:1_000],
    }.items():
        Path("text").write_text(content)
        run("add", "text", "--keep-text", "--name", name, "--label", f"language={'fr' if name == 'é' else 'en'}")
    return run


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_rows_say_what_is_kept_and_why(copies: Run) -> None:
    rows = objects(copies("drop-list", "--format", "json").stdout)
    assert [(row["name"], row["kept"], row["cluster"], row["size"], row["reason"]) for row in rows] == [
        ("b\nb", "a", "a", 3, "similar"),
        ("c", "a", "a", 3, "connected"),
        ("é", "d", "d", 2, "similar"),
    ]
    assert list(rows[0]) == ["name", "kept", "cluster", "size", "shared", "measure", "reason"]
    direct = objects(copies("drop-list", "--direct", "--format", "json").stdout)
    assert [row["name"] for row in direct] == ["b\nb", "é"]
    longest = objects(copies("drop-list", "--direct", "--keep", "longest", "--format", "json").stdout)
    assert [(row["name"], row["kept"]) for row in longest] == [("a", "b\nb"), ("c", "b\nb"), ("é", "d")]
    french = objects(copies("drop-list", "--keep", "label:language=fr,en", "--format", "json").stdout)
    assert french[-1]["name"] == "d"
    lines = copies("drop-list").stdout.splitlines()
    assert lines[0].split()[:3] == ["#", "drop", "keep"]
    assert "b\\x0ab" in lines[1]
    assert lines[2].split()[-2:] == ["connected", "3"]
    assert "more document" in copies("drop-list", "--top", "1").stdout
    assert copies("drop-list", "--min", "1", "--by", "resemblance").stdout.startswith("nothing to drop")


def test_names_are_removed_from_a_pipe(copies: Run) -> None:
    assert "-0" in copies("drop-list", "--names", status=1).stderr
    names = copies("drop-list", "--names", "-0").stdout_bytes
    assert names == "b\nb\0c\0é\0".encode()
    assert copies("remove", "--from", "-", "-0", stdin=names).stderr == "removed 3 documents\n"
    assert copies("pairs", "--min", "0.5", "--format", "json").stdout == ""
    Path("list").write_bytes(copies("drop-list", "--names").stdout_bytes + b"a\n\nd\n")
    copies("remove", "--from", "list")
    with fpdb.open("corpus.fpdb", "r") as db:
        assert len(db) == 0


def test_a_list_that_names_what_is_not_there_removes_nothing(copies: Run) -> None:
    assert "nothing was removed" in copies("remove", "a", "--from", "-", stdin=b"d\nz\n", status=1).stderr
    with fpdb.open("corpus.fpdb", "r") as db:
        assert len(db) == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ("drop-list", "-0"),
        ("drop-list", "--names", "--format", "json"),
        ("drop-list", "--keep", "last"),
        ("drop-list", "--min", "7"),
        ("list", "-0"),
        ("spans", "--pad", "-1"),
        ("spans", "a", "--new", "language=fr"),
        ("common", "--min-df", "1"),
        ("common", "--mark", "a"),
        ("explain", "a", "a"),
        ("explain", "a", "c", "--since", "2026-01-01"),
        ("remove", "-0", "a"),
        ("remove",),
        ("pairs", "--keep", "first"),
        ("pairs", "--clusters", "--keep", "label:x"),
    ],
)
def test_wrong_usage(copies: Run, arguments: tuple[str, ...]) -> None:
    copies(*arguments, status=2)


COMMANDS = [
    ("pairs",),
    ("pairs", "--by", "weighted-resemblance"),
    ("pairs", "--clusters", "--keep", "longest"),
    ("drop-list",),
    ("spans", "--max-df", "0"),
    ("spans", "text", "c", "--pad", "3"),
    ("common", "--min-df", "2"),
    ("query", "text"),
    ("query", "text", "--regions"),
    ("query", "text", "--by", "weighted-reverse-containment"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_parquet_and_csv_hold_what_json_does(copies: Run, command: tuple[str, ...]) -> None:
    rows = flat(objects(copies(*command, "--format", "json").stdout))
    copies(*command, "--format", "parquet", "--output", "out.parquet")
    table = parquet.read_table("out.parquet")
    assert table.to_pylist() == [{name: row[name] for name in table.column_names} for row in rows]
    assert table.schema.types == [TYPES[type(rows[0][name])] for name in table.column_names]
    piped = copies(*command, "--format", "parquet").stdout_bytes
    assert parquet.read_table(io.BytesIO(piped)).equals(table)
    copies(*command, "--format", "csv", "--output", "out.csv")
    with open("out.csv", newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert read == [{name: str(row[name]) for name in table.column_names} for row in rows]


def flat(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a match or a member."""
    if "matches" in found[0]:
        query = found[0]["query"]["name"]
        return [{"query": query, "rank": rank} | match for rank, match in enumerate(found[0]["matches"], start=1)]
    if "members" in found[0]:
        return [cluster | {"member": member} for cluster in found for member in cluster["members"]]
    return found


def test_explain_tells_in_sentences_and_in_fixed_keys(copies: Run) -> None:
    lines = copies("explain", "a", "d").stdout.splitlines()
    assert lines[0].split() == ["a", "d"]
    assert "They share no fingerprint." in lines[-1]
    Path("draft.txt").write_text(prose(1, 300)[:600])
    (found,) = objects(copies("explain", "b\nb", "draft.txt", "--min", "0.2", "--format", "json").stdout)
    assert (found["similar"], found["b"]["in_database"], found["reasons"][0]["code"]) == (True, False, "similar")
    assert list(found)[:5] == ["similar", "a", "b", "shared", "shared_boilerplate"]
    rows = list(csv.reader(io.StringIO(copies("explain", "a", "c", "--format", "csv").stdout)))
    assert rows[0] == ["figure", "a", "b"]
    assert "no such file" in copies("explain", "a", "nowhere", status=1).stderr
    assert "\\x0a" in copies("explain", "a", "b\nb").stdout


def test_what_is_marked_as_boilerplate_is_discarded(copies: Run) -> None:
    done = copies("common", "--min-df", "2", "--mark", "parts")
    assert "marked as boilerplate: parts" in done.stderr
    assert copies("common", "--min-df", "2").stdout == "no passage is in 2 documents\n"
    copies("remove", "parts")
    assert "for instance in" in copies("common", "--min-df", "2").stdout


def test_spans_that_cannot_be_told_say_why(run: Run) -> None:
    for name in ("a", "b"):
        Path("text").write_text(prose(1, 100) + name)
        run("add", "text", "--name", name)
    Path("text").unlink()
    assert run("spans").stdout.splitlines()[1].endswith("cannot be read: gone")
    assert "gone" in run("spans", "b", status=1).stderr
    assert run("spans", "--min-shared", "9999").stdout.startswith("nothing to cut")


def test_row_groups_are_of_bounded_size(copies: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fpdb.cli.parquet.ROW_GROUP", 2)
    copies("drop-list", "--format", "parquet", "--output", "out.parquet")
    assert parquet.ParquetFile("out.parquet").num_row_groups == 2


def test_without_rows_there_is_a_file_with_the_columns(copies: Run) -> None:
    copies("drop-list", "--min", "1", "--by", "resemblance", "--format", "parquet", "--output", "out.parquet")
    table = parquet.read_table("out.parquet")
    assert (table.num_rows, table.column_names[0]) == (0, "name")


def test_an_output_that_fails_leaves_what_was_there(copies: Run) -> None:
    with fpdb.open("corpus.fpdb") as db:
        db.add(b"\xff".decode("utf-8", "surrogateescape"), prose(2, 300))
    Path("out.parquet").write_text("before")
    done = copies("drop-list", "--format", "parquet", "--output", "out.parquet", status=1)
    assert "not UTF-8" in done.stderr
    assert Path("out.parquet").read_text() == "before"
    assert sorted(path.name for path in Path().glob("out*")) == ["out.parquet"]
    copies("drop-list", "--output", "corpus.fpdb", status=2)
    assert copies("drop-list", "--names", "-0").stdout_bytes.endswith(b"\xff\0")


def test_a_package_that_is_missing_is_named(copies: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "fpdb[parquet]" in copies("pairs", "--format", "parquet", status=1).stderr
