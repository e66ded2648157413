"""Pages that show a session: their commands are run, and print what stands under them."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner

from fpdb.cli.program import cli

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
TIMES = re.compile(r"in [\d.]+ s \([\d.]+ \w+/s\)")


def transcript(page: str) -> list[tuple[str, str]]:
    """Return the commands on a page of the guide, and what they print."""
    lines = [line[4:] for line in (GUIDE / page).read_text("utf-8").splitlines() if line.startswith("    ")]
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
            stage = re.sub("^python ", f"{sys.executable} ", stage)
            done = subprocess.run(stage, shell=True, input=passed, capture_output=True, check=True)  # noqa: S602 (our own guides)
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
