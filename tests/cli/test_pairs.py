"""`fpdb pairs`: formats, measures and clusters."""

import csv
import io
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_json_is_an_object_a_pair(term: Run) -> None:
    (pair,) = objects(term("pairs", "--format", "json").stdout)
    assert list(pair) == ["a", "b", "shared", "containment_a", "containment_b", "resemblance", "evidence"]
    assert (pair["a"], pair["b"]) == ("ann/b.txt", "bob/a.txt")
    assert 0.4 < pair["resemblance"] < pair["containment_b"] < 0.9


def test_weighted_measures_are_added(term: Run) -> None:
    (pair,) = objects(term("pairs", "--by", "weighted-resemblance", "--format", "json").stdout)
    assert 0 < pair["weighted_resemblance"] < pair["weighted_containment_b"] < 1
    header, row = csv.reader(io.StringIO(term("pairs", "--by", "weighted-containment", "--format", "csv").stdout))
    assert dict(zip(header, row, strict=True)) == {name: str(value) for name, value in pair.items()}
    assert "weighted" in term("pairs", "--by", "weighted-containment").stdout


def test_a_table_ends_with_a_hint(term: Run) -> None:
    lines = term("pairs", "--owners", "label:none", "--top", "1").stdout.splitlines()
    assert lines[0].split() == ["#", "a", "b", "shared", "a", "in", "b", "b", "in", "a", "resemblance", "mean"]
    assert (len(lines), lines[2]) == (3, "there are more; see them with --top")
    assert term("pairs", "--min", "1").stdout.startswith("no pair: the most alike, ann/b.txt and bob/a.txt, have a ")


def test_clusters(term: Run) -> None:
    options = ("pairs", "--clusters", "--owners", "label:none", "--min", "0.3")
    members = ["ann/a.txt", "ann/b.txt", "bob/a.txt"]
    (cluster,) = objects(term(*options, "--format", "json").stdout)
    assert cluster == {"cluster": "ann/a.txt", "size": 3, "pairs": 2, "members": members}
    rows = list(csv.reader(io.StringIO(term(*options, "--format", "csv").stdout)))
    assert rows == [["cluster", "member"], *(["ann/a.txt", member] for member in members)]
    assert [line.split()[-1] for line in term(*options).stdout.splitlines()] == ["members", *members]
    assert "no cluster: the most alike" in term("pairs", "--clusters", "--min", "1").stdout


def test_control_characters_stay_out_of_tables(run: Run) -> None:
    for name in ("a\x1b[31m", "b\u202e"):
        Path("text").write_text(prose(1))
        run("add", "text", "--name", name)
    out = run("pairs").stdout
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b" in out
