"""Output for programs reads back as it was."""

import csv
import io
import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.options import FORMATS
from fpdb.cli.output import harmless_cell, write_csv, write_json, write_names
from fpdb.cli.program import cli
from fpdb.errors import Corrupt
from tests.cli.conftest import Run
from tests.cli.json_lines import fill


@given(st.text(st.characters(exclude_categories=())))
def test_json_is_one_line_of_ascii(text: str) -> None:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        write_json({"name": text})
    assert out.getvalue().isascii()
    assert out.getvalue().count("\n") == 1
    assert json.loads(out.getvalue()) == {"name": text}


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2)))
def test_csv_reads_back(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        write_csv(("a", "b"), rows)
    out.seek(0)
    assert list(csv.reader(out)) == [["a", "b"], *(list(map(harmless_cell, row)) for row in rows)]


def test_an_output_never_takes_the_place_of_the_database_or_a_device(run: Run) -> None:
    fill(run)
    before = Path("corpus.fpdb").read_bytes()
    os.symlink("corpus.fpdb", "link")
    os.mkfifo("pipe")
    for path in ("corpus.fpdb", "link", "corpus.fpdb-lock"):
        assert "the database itself" in run("export", path, status=2).stderr
        assert "the database itself" in run("pairs", "--report", path, status=2).stderr
    assert Path("corpus.fpdb").read_bytes() == before
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        run("--db", "empty.fpdb", "init")
        run("--db", "empty.fpdb", "export", "pipe")
        assert os.read(reader, 9) == b'{"format"'
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()


def test_an_output_is_whole_or_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(run)
    Path("out.jsonl").write_text("before")
    os.chmod("out.jsonl", 0o640)
    with monkeypatch.context() as patch:
        patch.setattr("fpdb.exchange.jsonl_export.export", fail)
        run("export", "out.jsonl", status=1)
    assert Path("out.jsonl").read_text() == "before"
    run("export", "out.jsonl")
    assert os.stat("out.jsonl").st_mode & 0o777 == 0o640
    run("export", "missing/out.jsonl", status=1)
    assert sorted(name for name in os.listdir() if "new" in name) == []


OUTPUTS = {
    "a report of a query": ("query", "c", "--report"),
    "a report of pairs": ("pairs", "--report"),
    "an export": ("export",),
    **{f"pairs as {form}": ("pairs", "--format", form, "--output") for form in (*FORMATS, "sarif")},
    **{f"matches as {form}": ("query", "c", "--format", form, "--output") for form in (*FORMATS, "sarif")},
    **{f"drops as {form}": ("drop-list", "--format", form, "--output") for form in FORMATS},
    "names to drop": ("drop-list", "--names", "--output"),
    "spans": ("spans", "--format", "json", "--output"),
    "common passages": ("common", "--output"),
    "a backup": ("backup",),
    "a repair": ("--db", "damaged.fpdb", "check", "--repair"),
    "an export of nothing": ("--db", "empty.fpdb", "export"),
    "a secret": ("--db", "secret.fpdb", "init", "--secret-file"),
}


def test_files_are_for_their_owner_alone(run: Run) -> None:
    """A new file has mode 0600, whatever the user's mask; one that is there keeps its mode, and is never made anew."""
    fill(run)
    Path("c").write_text("text")
    run("--db", "empty.fpdb", "init")
    damaged = bytearray(Path("corpus.fpdb").read_bytes())
    for place in range(10_192, len(damaged), 4096):
        damaged[place] ^= 1
    Path("damaged.fpdb").touch(0o600)
    Path("damaged.fpdb").write_bytes(damaged)
    before = os.umask(0)
    try:
        for what, command in OUTPUTS.items():
            known = set(os.listdir())
            CliRunner().invoke(cli, [*command, "new"])
            made = set(os.listdir()) - known
            assert "new" in made, what
            modes = {name: stat.S_IMODE(os.stat(name).st_mode) for name in made}
            assert set(modes.values()) <= {0o600}, (what, modes)
            for mode in (0o644, 0o600):
                os.chmod("new", mode)
                CliRunner().invoke(cli, [*command, "new"])
                assert stat.S_IMODE(os.stat("new").st_mode) == mode, what
            for name in made:
                os.unlink(name)
    finally:
        os.umask(before)


def fail(*_: object, **__: object) -> int:
    raise Corrupt("damage")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_spreadsheet_runs_no_cell(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(["name", "count"], [[f"{start}cmd()", -1], [f"a{start}", 2]])
    cells = [row[0] for row in csv.reader(capsys.readouterr().out.splitlines(keepends=True))]
    assert cells[1] == f"'{start}cmd()"


def test_names_that_the_output_cannot_hold_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for write in (lambda names: write_names(names, "\n"), lambda names: write_csv(None, [names])):
        with (tmp_path / "out").open("w", encoding="ascii") as file:
            monkeypatch.setattr(sys, "stdout", file)
            write(["é", "文", "\udce9"])
        assert re.split(rb"[\n,]", (tmp_path / "out").read_bytes().strip()) == [rb"\xe9", rb"\u6587", b"\xe9"]
