"""Records on the command line: what is asked for, what is said, and the exit status."""

import csv
import gzip
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpdb.cli.progress
from tests.cli.conftest import Run
from tests.cli.prose import prose
from tests.cli.test_add import listed

ROWS = [{"doc": number, "body": prose(number), "meta": {"url": f"u{number}"}} for number in range(1, 5)]
FIELDS = ("--text-field", "body", "--name-field", "doc", "--label-field", "meta.url")


def write_rows() -> None:
    Path("d").mkdir()
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    Path("d/1.jsonl").write_bytes(b"".join(lines[:2]))
    Path("d/2.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[2:])))
    pq.write_table(pa.Table.from_pylist(ROWS), "d/all.parquet")
    with open("d/all.csv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="|")
        writer.writerows(
            [["doc", "body", "meta.url"], *([row["doc"], row["body"], row["meta"]["url"]] for row in ROWS)]
        )


def test_all_forms_give_one_database(run: Run) -> None:
    write_rows()
    run("add", "--jsonl", "d", *FIELDS)
    documents = listed(run)
    assert {name: document["labels"] for name, document in documents.items()} == {
        str(number): {"meta.url": f"u{number}"} for number in range(1, 5)
    }
    assert "unchanged 4" in run("add", "--parquet", "d/*.parquet", *FIELDS).stdout
    assert "unchanged 4" in run("add", "--csv", "d", "--delimiter", "|", *FIELDS).stdout
    before = hashlib.sha256(Path("corpus.fpdb").read_bytes()).digest()
    asked = [run("query", form, "d", *FIELDS, "--format", "json").stdout for form in ("--jsonl", "--parquet")]
    asked.append(run("query", "--csv", "d", "--delimiter", "|", *FIELDS, "--format", "json").stdout)
    assert asked[0] == asked[1] == asked[2]
    assert [json.loads(line)["query"]["name"] for line in asked[0].splitlines()] == ["1", "2", "3", "4"]
    assert run("query", "--jsonl", "d", *FIELDS, "--jobs", "2", "--format", "json").stdout == asked[0]
    assert "1: " in run("query", "--jsonl", "d", *FIELDS, "--include-self", "--regions", "--report", "r.html").stdout
    assert hashlib.sha256(Path("corpus.fpdb").read_bytes()).digest() == before


def test_what_is_wrong_is_said_counted_and_stopped_at(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": "a", "text": prose(seed)}) for seed in (1, 2)]
    Path("in.jsonl").write_text("\n".join([lines[0], "{", *lines[1:], '{"id": "b"}']))
    result = run("add", "--jsonl", "in.jsonl", "--format", "json")
    counts = json.loads(result.stdout)
    assert (counts["added"], counts["replaced"], counts["skips"], counts["duplicates"]) == (1, 1, 2, 1)
    assert [one["name"] for one in counts["skipped"]] == ["in.jsonl:2", "in.jsonl:4"]
    assert "in.jsonl:3: another record is named 'a'; the later one stays" in result.stderr
    monkeypatch.setattr(fpdb.cli.progress, "EXAMPLES", 0)
    assert "... and 1 more like this: not JSON" in run("query", "--jsonl", "in.jsonl").stderr
    assert "stopped at in.jsonl:2: not JSON" in run("add", "--jsonl", "in.jsonl", "--strict", status=1).stderr
    assert "stopped at in.jsonl:2" in run("query", "--jsonl", "in.jsonl", "--strict", status=1).stderr
    Path("cut.jsonl.gz").write_bytes(gzip.compress(b"\n".join(map(str.encode, lines)))[:-9])
    assert "cut.jsonl.gz:2: not read any further" in run("add", "--jsonl", "cut.jsonl.gz", status=1).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--jsonl", "--parquet", "x"),
        ("--jsonl", "--csv", "x"),
        ("--jsonl", "--delimiter", ",", "x"),
        ("--jsonl", "--encoding", "nonsense", "x"),
        ("--jsonl", "--encoding", "rot13", "x"),
        ("--parquet", "--encoding", "cp1252", "x"),
        ("--csv", "--delimiter", "ab", "x"),
        ("--csv", "--delimiter", '"', "x"),
        ("--text-field", "t", "x"),
        ("--parquet", "-"),
        ("--jsonl", "--name", "n", "x"),
    ],
)
@pytest.mark.parametrize("command", ["add", "query"])
def test_what_makes_no_sense(run: Run, command: str, arguments: tuple[str, ...]) -> None:
    run(command, *arguments, status=2)
