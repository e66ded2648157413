"""--fail-over: the exit status tells that something is too much alike, and the output is as without it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose

FORMATS = ([], ["--format", "json"], ["--format", "csv"])


@pytest.fixture
def alike(run: Run) -> Run:
    """Add two texts, of which one is most of the other, and one that is like none."""
    Path("a.txt").write_text(prose(1))
    Path("b.txt").write_text(prose(1)[: len(prose(1)) * 3 // 4])
    Path("c.txt").write_text(prose(2))
    run("add", "a.txt", "b.txt", "c.txt")
    return run


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize(
    ("command", "below", "above"),
    [
        (("pairs",), "0.7", "0.99"),
        (("pairs", "--by", "shared"), "3", "100000"),
        (("pairs", "--top", "1"), "0.7", "0.99"),
        (("drop-list", "--by", "resemblance"), "0.5", "0.9"),
        (("query", "c.txt", "a.txt"), "0.6", "0.9"),
        (("query", "b.txt", "--by", "reverse-containment"), "0.7", "0.9"),
    ],
)
def test_the_exit_status_tells(alike: Run, command: tuple[str, ...], below: str, above: str, output: list[str]) -> None:
    plain = alike(*command, *output).stdout
    assert alike(*command, *output, "--fail-over", above).stdout == plain
    assert alike(*command, *output, "--fail-over", below, status=3).stdout == plain


def test_records_and_files_are_written_all_the_same(alike: Run) -> None:
    line = f'{{"name": "q", "text": "{prose(1)[:300]}"}}'.encode()
    asked = "query", "--jsonl", "-", "--format", "json"
    plain = alike(*asked, stdin=line).stdout
    assert alike(*asked, "--fail-over", "0.5", stdin=line, status=3).stdout == plain
    for command in ("pairs", "drop-list", "query a.txt"):
        Path("found.csv").unlink(missing_ok=True)
        alike(*command.split(), "--format", "csv", "--output", "found.csv", "--fail-over", "0.1", status=3)
        assert Path("found.csv").read_text().count("\n") > 1


def test_clusters_have_no_score(alike: Run) -> None:
    assert "leave --clusters out" in alike("pairs", "--clusters", "--fail-over", "0.5", status=2).stderr


@pytest.mark.parametrize("command", ["pairs", "drop-list", "query a.txt"])
@pytest.mark.parametrize(("value", "told"), [("30", "not 30: 30% is 0.3"), ("-1", "not -1"), ("1000", "not 1000")])
def test_a_share_is_from_0_to_1(alike: Run, command: str, value: str, told: str) -> None:
    refused = alike(*command.split(), "--fail-over", value, status=2)
    assert refused.stderr.endswith(f"--fail-over is from 0 to 1, {told}\n")
