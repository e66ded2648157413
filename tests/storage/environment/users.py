"""Code that another user runs, in a forked child of root."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.storage.processes import run_in_child

USER, STRANGER, GROUP = 12_345, 12_346, 12_347
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")


@pytest.fixture
def folder():
    """Make a folder that other users can enter."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def run_as(user, group, function):
    """Return what a function returns, as text, or the error that it raises, when a user of one group runs it."""

    def become():
        os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)
        return function()

    return run_in_child(become)
