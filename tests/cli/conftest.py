"""Runs commands in an empty folder; the database that a test leaves there must be sound."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import fpdb
from fpdb.cli.program import cli

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`run("add", "a.txt", status=0, stdin=b"")`: the command's result, its exit status checked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FPDB_DB", raising=False)
    monkeypatch.delenv("FPDB_KEY_FILE", raising=False)

    def run_command(*arguments: str, status: int = 0, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, arguments, input=stdin)
        assert result.exit_code == status, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    yield run_command
    if Path("corpus.fpdb").exists():
        with fpdb.open("corpus.fpdb", "r") as database:  # `fpdb check` takes another process, which takes time
            assert database.check() == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty folder, with fpdb importable as before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FPDB_DB", raising=False)
    monkeypatch.delenv("FPDB_KEY_FILE", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(fpdb.__file__).parent.parent))
    return tmp_path
