"""`fpdb pairs`: what it prints, and that its options arrive."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose


@pytest.fixture
def term(run: Run) -> Run:
    """Three submissions: bob copied two thirds of ann's second file; cid nothing; ann's own files overlap."""
    ann = prose(1, 600)
    files = {
        "ann/a.txt": ann[:2_000],
        "ann/b.txt": ann[1_000:],
        "bob/a.txt": ann[-2_000:] + prose(2, 150),
        "cid/a.txt": prose(3),
    }
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    run("add", "ann", "--label", "owner=ann")
    run("add", "bob", "cid", "--label", "term=2")
    return run


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def names(output: str) -> list[tuple[str, str]]:
    return [(each["a"], each["b"]) for each in objects(output)]


def test_json_is_an_object_a_pair(term: Run) -> None:
    (pair,) = objects(term("pairs", "--format", "json").stdout)
    assert list(pair) == ["a", "b", "shared", "containment_a", "containment_b", "resemblance"]
    assert (pair["a"], pair["b"]) == ("ann/b.txt", "bob/a.txt")
    assert 0.4 < pair["resemblance"] < pair["containment_b"] < 0.9


def test_weighted_measures_are_added(term: Run) -> None:
    (pair,) = objects(term("pairs", "--by", "weighted-resemblance", "--format", "json").stdout)
    assert 0 < pair["weighted_resemblance"] < pair["weighted_containment_b"] < 1
    header, row = csv.reader(io.StringIO(term("pairs", "--by", "weighted-containment", "--format", "csv").stdout))
    assert dict(zip(header, row, strict=True)) == {name: str(value) for name, value in pair.items()}
    assert "weighted" in term("pairs", "--by", "weighted-containment").stdout


def test_owners_come_from_a_label_or_the_path(term: Run) -> None:
    assert ("ann/a.txt", "ann/b.txt") in names(term("pairs", "--owner-from", "label:none", "--format", "json").stdout)
    assert names(term("pairs", "--owner-from", "path:1", "--format", "json").stdout) == [("ann/b.txt", "bob/a.txt")]
    assert names(term("pairs", "--owner-from", "path:1", "--by-owner", "--format", "json").stdout) == [("ann", "bob")]


def test_new_against_all(term: Run) -> None:
    options = ("--owner-from", "label:none", "--format", "json")
    assert len(names(term("pairs", *options).stdout)) == 2
    assert names(term("pairs", "--new", "term=2", *options).stdout) == [("ann/b.txt", "bob/a.txt")]
    assert len(names(term("pairs", "--since", "2001-01-01", *options).stdout)) == 2
    assert names(term("pairs", "--since", "2999-01-01", *options).stdout) == []


def test_thresholds(term: Run) -> None:
    shared = objects(term("pairs", "--format", "json").stdout)[0]["shared"]
    for options, count in (
        (("--min-shared", str(shared)), 1),
        (("--min-shared", str(shared + 1)), 0),
        (("--by", "shared", "--min", str(shared)), 1),
        (("--min", "0.95"), 0),
        (("--max-df", "3"), 1),
        (("--max-df", "2"), 0),
    ):
        assert len(names(term("pairs", *options, "--format", "json").stdout)) == count, options


def test_a_table_ends_with_a_hint(term: Run) -> None:
    lines = term("pairs", "--owner-from", "label:none", "--top", "1").stdout.splitlines()
    assert lines[0].split() == ["#", "a", "b", "shared", "a", "in", "b", "b", "in", "a", "resemblance"]
    assert (len(lines), lines[2]) == (3, "there are more; see them with --top")
    assert term("pairs", "--min", "1").stdout == "no pair shares as much\n"


def test_clusters(term: Run) -> None:
    options = ("pairs", "--clusters", "--owner-from", "label:none", "--min", "0.3")
    members = ["ann/a.txt", "ann/b.txt", "bob/a.txt"]
    (cluster,) = objects(term(*options, "--format", "json").stdout)
    assert cluster == {"cluster": "ann/a.txt", "size": 3, "pairs": 2, "members": members}
    rows = list(csv.reader(io.StringIO(term(*options, "--format", "csv").stdout)))
    assert rows == [["cluster", "member"], *(["ann/a.txt", member] for member in members)]
    assert [line.split()[-1] for line in term(*options).stdout.splitlines()] == ["members", *members]
    assert "no two documents" in term("pairs", "--clusters", "--min", "1").stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--min", "1.5"),
        ("--by", "shared", "--min", "-1"),
        ("--owner-from", "folder"),
        ("--new", "term"),
        ("--since", "x"),
    ],
)
def test_wrong_usage(term: Run, options: tuple[str, ...]) -> None:
    term("pairs", *options, status=2)


def test_control_characters_stay_out_of_tables(run: Run) -> None:
    for name in ("a\x1b[31m", "b\u202e"):
        Path("text").write_text(prose(1))
        run("add", "text", "--name", name)
    out = run("pairs").stdout
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b" in out
