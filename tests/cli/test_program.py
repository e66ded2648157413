"""The program as a process: streams, signals and exit statuses."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fpdb.cli.program import cli
from fpdb.database import open as open_database
from tests.cli.processes import COMMAND, many_files, run, with_setting
from tests.cli.prose import prose

pytestmark = pytest.mark.usefixtures("folder")


def test_help_of_every_command() -> None:
    listing = run("--help").stdout
    assert "Example: " in run("query", "--help").stdout
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert re.search(rf"^  {name} ", listing, re.MULTILINE)
        shown = CliRunner().invoke(cli, [name, "--help"]).stdout
        assert "Example: " in shown or isinstance(command, click.Group)


@pytest.mark.parametrize("group", [[], ["spark"]])
def test_a_group_without_a_command_shows_its_help(group: list[str]) -> None:
    assert run(*group, status=2).stderr == run(*group, "--help").stdout


def test_a_table_in_a_pipe_loads_nothing_that_only_terminals_need() -> None:
    code = (
        "import sys, fpdb.cli\n"
        "try:\n    fpdb.cli.main()\nfinally:\n"
        "    print([name for name in ('rich', 'concurrent.futures') if name in sys.modules])"
    )
    Path("a.txt").write_text(prose(1))
    for arguments in (["add", "a.txt"], ["query", "a.txt"], ["list"]):
        command = [sys.executable, "-c", code, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        assert result.stdout.endswith("\n[]\n")


def test_wrong_usage_is_2_and_goes_to_standard_error() -> None:
    for arguments in ([], ["frobnicate"], ["query"], ["add", "--frobnicate", "x"]):
        assert run(*arguments, status=2).stdout == ""


def test_an_interrupted_add_keeps_and_counts_what_was_committed() -> None:
    many_files(100)
    command = [*with_setting("fpdb.ingest.loading:BATCH_POSTINGS = 30_000"), "add", "many", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not Path("corpus.fpdb").exists() or Path("corpus.fpdb").stat().st_size < 1 << 20:
            assert process.poll() is None, "done before it could be interrupted"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    report = json.loads(out)
    assert report["interrupted"] is True
    assert "interrupted: " in err
    assert "Traceback" not in err
    with open_database("corpus.fpdb", "r") as db:
        assert 0 < report["added"] == len(db) < 100
        assert db.check() == []
    rest = json.loads(run("add", "many", "--format", "json").stdout)
    assert (rest["added"], rest["unchanged"]) == (100 - report["added"], report["added"])
    with open_database("corpus.fpdb", "r") as db:
        assert len(db) == 100
        assert db.check() == []


def test_a_killed_add_leaves_no_worker_behind() -> None:
    many_files(100)
    with subprocess.Popen([*COMMAND, "add", "many", "--jobs", "2"], start_new_session=True) as process:
        while len(in_session(process.pid)) < 3:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    until = time.monotonic() + 20
    while in_session(process.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    run("add", "many")
    assert run("check").stdout == "sound\n"


def many_records() -> None:
    """In records.jsonl, more than one process answers."""
    text = prose(1, 30_000)
    lines = (json.dumps({"id": str(at), "text": text[at : at + 3000]}) for at in range(0, 120_000, 80))
    Path("records.jsonl").write_text("\n".join(lines))
    Path("a.txt").write_text(text[:3000])
    run("add", "a.txt")


def test_answers_to_records_are_the_same_from_one_process_and_from_copies_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_records()
    kept = folder / "tmp"
    kept.mkdir()
    monkeypatch.setenv("TMPDIR", str(kept))
    asked = "query", "--jsonl", "records.jsonl", "--min", "0.1", "--format", "json"
    one, copies = run(*asked, "--jobs", "1"), run(*asked, "--jobs", "3")
    assert one.returncode == copies.returncode == 0
    assert len(one.stdout.splitlines()) == 1500
    assert one.stdout == copies.stdout
    assert copies.stderr == ""
    assert os.listdir(kept) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_query_that_is_ended_leaves_nothing_behind(how: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker; and no file, if it was let. It waits for whoever reads its output."""
    many_records()
    os.mkfifo("out")
    Path("tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(Path("tmp").absolute()))
    asked = [*COMMAND, "query", "--jsonl", "records.jsonl", "--jobs", "3", "--format", "json", "--output", "out"]
    with subprocess.Popen(asked, start_new_session=True) as process:
        while len(in_session(process.pid)) < 3:
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(how)
        try:
            assert process.wait(60) == (-how if how == signal.SIGKILL else 128 + how)
        finally:
            process.kill()
    until = time.monotonic() + 20
    while in_session(process.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert how == signal.SIGKILL or os.listdir("tmp") == []


def in_session(session: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state, *fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == session and state != "Z":
                found.append(int(entry))
    return found


def test_bash_completes_commands_options_and_choices() -> None:
    """As README says to set it up, but for where the program is."""
    Path("fpdb").write_text(f'#!/bin/sh\nexec {sys.executable} -c "import fpdb.cli; fpdb.cli.main()" "$@"\n')
    Path("fpdb").chmod(0o755)

    def completed(*words: str) -> list[str]:
        script = (
            'PATH="$PWD:$PATH"; eval "$(_FPDB_COMPLETE=bash_source fpdb)"; compopt() { :; }\n'
            'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fpdb_completion fpdb; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        command = ["bash", "--norc", "-c", script, "bash", "fpdb", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert completed("que") == ["query"]
    assert completed("pairs", "--min-s") == ["--min-shared"]
    assert completed("query", "--by", "weighted-c") == ["weighted-containment"]
    assert completed("query", "dra") == []  # left to bash: names of files


def test_a_reader_that_stops_reading_is_no_error_to_report() -> None:
    lines = "\n".join(json.dumps({"name": f"d{index}", "text": prose(1)}) for index in range(3000))
    Path("in.jsonl").write_text(lines)
    run("add", "--jsonl", "in.jsonl")
    with subprocess.Popen([*COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["add - --name x", "list", "query a.txt", "--immutable list --format csv"])
def test_a_closed_stream_is_an_empty_one(closed: str, arguments: str) -> None:
    Path("a.txt").write_text(prose(1))
    run("add", "a.txt")

    def outcome(redirection: str) -> tuple[int, str, str]:
        command = ["/bin/sh", "-c", f"{shlex.join(COMMAND)} {arguments} {redirection}"]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, result.stderr

    status, out, error = outcome("")
    shown = outcome(closed)
    assert shown[0] == status == 0
    if arguments.startswith("add"):  # it tells the time that it took
        assert "Traceback" not in shown[2]
    else:
        assert shown[1:] == ("" if " >&-" in f" {closed}" else out, "" if "2>&-" in closed else error)
    with open_database("corpus.fpdb", "r") as db:
        assert db.check() == []


def test_a_writer_that_is_in_the_way_is_named() -> None:
    Path("a.txt").write_text(prose(1))
    run("add", "a.txt")
    holder = (
        "import sys\nfrom fpdb.storage.environment.locking import FileLock\n"
        "with FileLock('corpus.fpdb', '-writer', 'x', 1).held():\n    print(flush=True)\n    sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    Path("a.txt").write_text(prose(2))
    with subprocess.Popen([sys.executable, "-c", holder], **pipes) as process:
        process.stdout.readline()
        result = run("--timeout", "0.2", "add", "a.txt", status=1)
        process.stdin.close()
    assert str(process.pid) in result.stderr
    assert result.stderr.startswith("fpdb: ")
    run("add", "a.txt")


def test_a_command_that_is_misspelt_is_suggested() -> None:
    for wrong, right in (("ad", "add"), ("lsit", "list"), ("drop_list", "drop-list"), ("qeury", "query")):
        assert f"No such command '{wrong}'. Did you mean '{right}'" in CliRunner().invoke(cli, [wrong]).stderr
    assert "Did you mean" not in CliRunner().invoke(cli, ["xyzzy"]).stderr
    assert CliRunner().invoke(cli, [__file__]).stderr.endswith(f"fpdb query {__file__}, fpdb add {__file__}.\n")


@pytest.mark.parametrize("command", ["add", "pairs", "list", "merge"])
def test_an_option_of_all_commands_is_told_its_place(command: str) -> None:
    for option in (each for each in cli.params if isinstance(each, click.Option)):
        name = option.opts[0]
        if name not in ("--version", "--help"):
            result = CliRunner().invoke(cli, [command, name])
            assert result.exit_code == 2
            assert f"{name} stands before the command: fpdb {name}" in result.stderr
            assert f" {command} ..." in result.stderr
            assert "Did you mean" not in result.stderr
