"""Options that select pairs."""

import pytest

from tests.cli.conftest import Run
from tests.cli.json_lines import objects


def names(output: str) -> list[tuple[str, str]]:
    return [(each["a"], each["b"]) for each in objects(output)]


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
