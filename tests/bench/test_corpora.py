"""The jobs of docs/guide/corpora.md: each command on the page is run, and prints what stands under it."""

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

import fpdb
from bench.examples import files
from fpdb.cli.program import cli

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "corpora.md"
TIMES = re.compile(r"in [\d.]+ s \([\d.]+ \w+/s\)")


def transcript() -> list[tuple[str, str]]:
    """Return the commands on the page, and what they print."""
    lines = [line[4:] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("    ")]
    starts = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[0] == 0
    return [
        (lines[start].removeprefix("$ "), "".join(f"{line}\n" for line in lines[start + 1 : end]))
        for start, end in pairwise([*starts, len(lines)])
    ]


def run(command: str, folder: Path) -> str:
    """Run a line as a shell would, but fpdb in this process; return what it prints on both outputs."""
    if command.startswith("cd "):
        place, command = command.removeprefix("cd ").split(" && ")
        folder = folder / place
    os.chdir(folder)
    said, passed = "", b""
    stages = command.split(" | ")
    for index, stage in enumerate(stages):
        if not stage.startswith("fpdb "):
            done = subprocess.run(stage, shell=True, input=passed, capture_output=True, check=True)  # noqa: S602
            passed = done.stdout
            continue
        result = CliRunner().invoke(cli, stage.removeprefix("fpdb "), input=passed)
        assert result.exit_code == 0, (command, result.output)
        passed = result.stdout_bytes
        said = result.output if index == len(stages) - 1 else said + result.stderr
    return said


def without_times(said: str) -> list[str]:
    """Return the lines that are not empty, without times."""
    return [TIMES.sub("in no time", line) for line in said.splitlines() if line]


def test_the_jobs_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # and back at the end
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for command, expected in transcript():
        assert without_times(run(command, tmp_path)) == without_times(expected), command
    for path in tmp_path.glob("*.fpdb"):
        with fpdb.open(path, "r") as db:
            assert db.check() == []
