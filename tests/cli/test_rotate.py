"""The command that rotates."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fpdb.cli.program import cli
from tests.made_up_prose import prose


def test_the_command_rotates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(prose(4, 3_000))
    run = CliRunner().invoke
    assert run(cli, ["init", "--preset", "koala"]).exit_code == 0
    assert run(cli, ["rotate"]).exit_code == 1  # nothing there
    assert run(cli, ["add", "a.txt"]).exit_code == 0
    result = run(cli, ["rotate"])
    assert (result.exit_code, result.stderr) == (0, "rotated 1 document\n")
    assert json.loads(run(cli, ["show", "a.txt", "--format", "json"]).stdout)["rotation"] == 1
    assert run(cli, ["check"]).exit_code == 0
