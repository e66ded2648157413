"""Mounts that no other process sees."""

import os
import subprocess

import pytest


def in_own_mounts(*command):
    """Return a command that may mount file systems which no other process sees; skips the test if nobody may."""
    spaces = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*spaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody mount anything")
    return [*spaces, *command]
