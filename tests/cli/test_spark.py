"""`fpdb spark`: wrong usage is reported before Spark starts."""

from pathlib import Path

import pytest

from fpdb import keys
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("pairs", "lines"), "--jsonl or --parquet"),
        (("pairs", "lines", "--jsonl", "--format", "parquet"), "give --to FOLDER"),
        (("pairs", "lines", "--jsonl", "--like", "corpus.fpdb", "--preset", "web"), "leave out --preset"),
        (("drop-list", "lines"), "--jsonl or --parquet"),
        (("build", "lines", "folder", "--jsonl", "--boilerplate", "footer"), "fpdb add --boilerplate"),
        (("build", "lines", "folder", "--jsonl", "--files", "0"), "x>=1"),
        (("--conf", "setting", "pairs", "lines", "--jsonl"), "NAME=VALUE"),
    ],
)
def test_wrong_commands(run: Run, arguments: tuple[str, ...], hint: str) -> None:
    assert hint in run("spark", *arguments, status=2).stderr


def test_one_key_at_a_time(run: Run) -> None:
    keys.create("k")
    assert "give one key" in run("--key-file", "k", "spark", "pairs", "x", "--jsonl", "--key", "5", status=2).stderr
    assert not Path("corpus.fpdb").exists()
