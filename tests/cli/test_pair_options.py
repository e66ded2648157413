"""Options that select pairs."""

import json

import pytest

from tests.cli.conftest import Run
from tests.cli.json_lines import objects


def names(output: str) -> list[tuple[str, str]]:
    return [(each["a"], each["b"]) for each in objects(output)]


def test_owners_come_from_a_label_or_the_path(term: Run) -> None:
    assert ("ann/a.txt", "ann/b.txt") in names(term("pairs", "--owners", "label:none", "--format", "json").stdout)
    assert names(term("pairs", "--owners", "path:1", "--format", "json").stdout) == [("ann/b.txt", "bob/a.txt")]
    assert names(term("pairs", "--owners", "path:1", "--by-owner", "--format", "json").stdout) == [("ann", "bob")]


def test_owners_come_from_a_pattern(term: Run) -> None:
    assert names(term("pairs", "--owner-pattern", "^[^/]*", "--format", "json").stdout) == [("ann/b.txt", "bob/a.txt")]
    assert names(term("pairs", "--owner-pattern", "^(.)[^/]*", "--by-owner", "--format", "json").stdout) == [("a", "b")]


def test_pairs_of_owners_tell_the_pairs_of_their_documents(term: Run) -> None:
    (pair,) = objects(term("pairs", "--owners", "path:1", "--by-owner", "--format", "json").stdout)
    assert names("\n".join(map(json.dumps, pair["document_pairs"]))) == [("ann/b.txt", "bob/a.txt")]
    (pair,) = objects(term("pairs", "--owners", "path:1", "--format", "json").stdout)
    assert "document_pairs" not in pair


@pytest.mark.parametrize("command", ["pairs", "pairs --clusters", "drop-list", "spans"])
def test_it_says_why_nothing_can_be_compared(term: Run, command: str) -> None:
    """In place of the table, and else on standard error."""
    reason = "All 4 documents have one owner, 'tx': try --owners path:1\n"
    asked = (*command.split(), "--owner-pattern", "tx")
    assert term(*asked).stdout == reason
    found = term(*asked, "--format", "json")
    assert (found.stdout, found.stderr) == ("", reason)


def test_owners_that_no_document_has_are_told_beside_the_pairs(term: Run) -> None:
    found = term("pairs", "--owners", "moodle")
    assert "ann/b.txt" in found.stdout
    assert found.stderr == (
        "None of the 4 documents has a name as Moodle exports it, so each is its own owner: try --owners path:1\n"
    )


def test_new_against_all(term: Run) -> None:
    options = ("--owners", "label:none", "--format", "json")
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
        ("--owners", "folder"),
        ("--owner-pattern", "("),
        ("--owner-pattern", "a", "--owners", "path:1"),
        ("--new", "term"),
        ("--since", "x"),
    ],
)
def test_wrong_usage(term: Run, options: tuple[str, ...]) -> None:
    term("pairs", *options, status=2)
