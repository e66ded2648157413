"""Runs command lines of a small shell: in this process through the command's entry point, or as real processes."""

import gc
import io
import os
import pty
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from . import tools

SETTINGS = {"COLUMNS": "100", "LINES": "25", "NO_COLOR": "1", "TERM": "dumb", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
BEGIN = 1_700_000_000
"""The first moment of the clock that commands see, in seconds since 1970; each step of a case is an hour later."""


class How(Enum):
    """Run commands in this process, as processes, or as processes that have a terminal."""

    HERE = 1
    APART = 2
    TERMINAL = 3


class Ended(NamedTuple):
    """The outcome of a command: its exit status or the exception, and its output."""

    status: int | str
    out: bytes
    err: bytes


class Command(NamedTuple):
    """A command of a line.

    settings: of its environment. source, target: files of its input and output, if any.
    """

    arguments: list[str]
    settings: dict[str, str]
    source: str | None
    target: str | None


def parse(step: str) -> list[Command]:
    """Return the commands of a step, each of which reads what the one before it wrote.

    A step is written as `a | b < c > d`, with settings such as `FPDB_DB=x` before the arguments.
    """
    commands = []
    for part in _split(shlex.split(step), "|"):
        settings: dict[str, str] = {}
        while part and re.match(r"[A-Z_]+=", part[0]):
            name, _, value = part.pop(0).partition("=")
            settings[name] = value
        files: dict[str, str | None] = {"<": None, ">": None}
        for sign in files:
            if sign in part:
                at = part.index(sign)
                files[sign] = part[at + 1]
                del part[at : at + 2]
        commands.append(Command(part, settings, files["<"], files[">"]))
    return commands


def steps_of(case: str) -> list[str]:
    """Return the steps of a case, which follow each other whatever their exit status: `a ; b`."""
    return [step.strip() for step in case.split(" ; ")]


def run_step(step: str, folder: Path, moment: int, how: How) -> Ended:
    """Run a step in a folder. moment: the time on the clock, but for processes, which have the true time."""
    if step.startswith("!"):
        tools.use(step[1:], folder)
        return Ended(0, b"", b"")
    piped, errors = b"", b""
    for command in parse(step):
        given = piped if command.source is None else (folder / command.source).read_bytes()
        ended = _RUNNERS[how](command, given, folder, moment)
        errors += ended.err
        piped = ended.out
        if command.target is not None:
            (folder / command.target).write_bytes(piped)
            piped = b""
    return Ended(ended.status, piped, errors)


@contextmanager
def world(folder: Path, moment: int, settings: Mapping[str, str] | None = None) -> Iterator[None]:
    """Work in a folder, with settings of its own and a clock that stands still; all is as it was afterwards."""
    environment = {**_outside(), **SETTINGS, **(settings or {})}
    before, collecting = Path.cwd(), gc.get_threshold()
    try:
        with mock.patch.dict(os.environ, environment, clear=True), mock.patch("time.time", return_value=float(moment)):
            time.tzset()
            os.chdir(folder)
            yield
    finally:
        os.chdir(before)
        time.tzset()
        gc.set_threshold(*collecting)


def _run_here(command: Command, given: bytes, folder: Path, moment: int) -> Ended:
    from fpdb.cli import main

    streams: Any = [io.TextIOWrapper(io.BytesIO(text), "utf-8", write_through=True) for text in (given, b"", b"")]
    names = ("stdin", "stdout", "stderr")
    before = [sys.argv, *(getattr(sys, name) for name in names)]
    status: int | str = 0
    with world(folder, moment, command.settings):
        sys.argv = ["fpdb", *command.arguments]
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            main()
        except SystemExit as ended:
            status = 0 if ended.code is None else ended.code
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = before  # type: ignore[assignment]
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return Ended(status, out, err)


def _run_apart(command: Command, given: bytes, folder: Path, _moment: int) -> Ended:
    arguments, environment = _program(command)
    result = subprocess.run(arguments, input=given, capture_output=True, check=False, cwd=folder, env=environment)
    return Ended(result.returncode, result.stdout, result.stderr)


def _run_in_terminal(command: Command, _given: bytes, folder: Path, _moment: int) -> Ended:
    """Both of its outputs go to the terminal, and so to `out`."""
    arguments, environment = _program(command)
    main, side = pty.openpty()
    with subprocess.Popen(arguments, stdin=side, stdout=side, stderr=side, cwd=folder, env=environment) as process:
        os.close(side)
        seen = b""
        with suppress(OSError):  # the terminal's other end is closed
            while piece := os.read(main, 1 << 16):
                seen += piece
        status = process.wait()
    os.close(main)
    return Ended(status, seen.replace(b"\r\n", b"\n"), b"")


_RUNNERS = {How.HERE: _run_here, How.APART: _run_apart, How.TERMINAL: _run_in_terminal}


def _program(command: Command) -> tuple[list[str], dict[str, str]]:
    """Return what to run, and its environment; given folders of modules come before all others."""
    import fpdb

    root = str(Path(fpdb.__file__).resolve().parent.parent)
    paths = os.pathsep.join([*filter(None, [command.settings.get("PYTHONPATH")]), root])
    environment = {**_outside(), **SETTINGS, **command.settings, "PYTHONPATH": paths}
    return [sys.executable, "-m", "fpdb", *command.arguments], environment


def _outside() -> dict[str, str]:
    """Return the current environment without settings of fpdb."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("FPDB_", "_FPDB"))}


def _split(words: Sequence[str], sign: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == sign:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
