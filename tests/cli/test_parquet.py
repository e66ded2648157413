"""Parquet and CSV hold what JSON does."""

import csv
import io
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import Run
from tests.cli.json_lines import objects

TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64()}

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
    ("query", "text", "--by", "weighted-containment"),
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
