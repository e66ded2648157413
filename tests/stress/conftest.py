"""Fixtures of the stress suite: how much work a test does, and where it notes its figures."""

import json
import os
from pathlib import Path

import pytest

FULL = "FPDB_STRESS"
"""Names a folder for the figures; without it, each test does a short version of its work."""


@pytest.fixture
def amount():
    """Choose how much to do: `amount(short, full)`."""

    def choose(short, full):
        return full if os.environ.get(FULL) else short

    return choose


@pytest.fixture
def figure(request):
    """Note a figure for docs/design/reliability.md, `figure(row, what, done)`, after its claims were asserted.

    row: of the table in `tests/stress/reliability_table.py`. what: what was counted. done: how many, or a few words.
    """

    def note(row, what, done):
        folder = os.environ.get(FULL)
        if folder:
            line = json.dumps({"row": row, "what": what, "done": done})
            name = f"{row:02}-{request.node.name}".replace("/", "-")
            with Path(folder, name).open("a") as file:
                print(line, file=file)

    return note
