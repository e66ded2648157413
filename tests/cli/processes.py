"""Runs the program as a process, in a pipe or in a terminal."""

import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.cli.prose import prose

COMMAND = [sys.executable, "-m", "fpdb"]


def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    result = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == status, result.stderr
    return result


def with_setting(setting: str) -> list[str]:
    """Return the command with a constant of a module changed."""
    module, _, assignment = setting.rpartition(":")
    return [sys.executable, "-c", f"import {module} as m, fpdb.cli as c; m.{assignment}; c.main()"]


def in_terminal(*arguments: str, command: Sequence[str] = COMMAND) -> str:
    """Return what the command shows in a terminal."""
    main, side = pty.openpty()
    with subprocess.Popen([*command, *arguments], stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        seen = b""
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:  # the terminal's other end is closed
                break
            if not piece:
                break
            seen += piece
        assert process.wait() == 0
    os.close(main)
    return seen.decode()


def many_files(count: int, words: int = 30_000) -> None:
    Path("many").mkdir()
    text = prose(0, words)
    for index in range(count):
        Path("many", f"{index:04}").write_text(f"{text[index * 100 :]} {text[: index * 100]}")
