"""Parquet and CSV hold what JSON does."""

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
from tests.cli.conftest import Run
from tests.cli.prose import prose

TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64()}


@pytest.fixture
def copies(run: Run) -> Run:
    """Make documents: a and b are nearly the same, c is a part of b, d differs; one name holds a line break."""
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
    """Return a row for each match or member."""
    if "matches" in found[0]:
        query = found[0]["query"]["name"]
        return [{"query": query, "rank": rank} | match for rank, match in enumerate(found[0]["matches"], start=1)]
    if "members" in found[0]:
        return [cluster | {"member": member} for cluster in found for member in cluster["members"]]
    return found


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
