"""Run programs of the stress suite under shim.c, and control the shim from within them.

A program is a module of this folder with a `main`. It runs in a process of its own (with its forks), with the shim
preloaded and the small limits of the storage tests. Each line that it prints is a JSON object.
"""

import atexit
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

WRITE, SYNC, SIZE, NAME = 1, 2, 4, 8  # kinds of call
EVERY_KIND = WRITE | SYNC | SIZE | NAME
FAIL, SHORT, KILL_BEFORE, KILL_AFTER, KILL_HALFWAY = range(1, 6)
FOR_EVER = 1 << 30


@cache
def compiled():
    """Compile the shim once, as a library that is removed when this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="fpdb-shim-")
    atexit.register(folder.cleanup)
    library = Path(folder.name, "shim.so")
    source = Path(__file__).with_name("shim.c")
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return str(library)


def run_program(module, *arguments, timeout=1500):
    """Run `tests.stress.<module>`, and return the objects that it printed."""
    # A file system in memory: states are thrown away by the thousand.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
    with tempfile.TemporaryDirectory(prefix="fpdb-stress-", dir=memory) as folder:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "LD_PRELOAD": compiled(),
            "PYTHONPATH": os.pathsep.join(paths),
            "OPENBLAS_NUM_THREADS": "1",  # one thread, so that forks are safe
        }
        done = subprocess.run(
            [sys.executable, "-m", f"tests.stress.{module}", f"{folder}/work", *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            timeout=timeout,
            check=True,
        )
    return [json.loads(line) for line in done.stdout.splitlines()]


def shim():
    """Return the shim that this process runs under."""
    library = ctypes.CDLL(None)
    library.shim_watch.argtypes = [ctypes.c_char_p]
    library.shim_mark.argtypes = [ctypes.c_char_p]
    library.shim_log.argtypes = [ctypes.c_int]
    library.shim_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    library.shim_counted.restype = ctypes.c_long
    library.shim_starve.argtypes = [ctypes.c_long, ctypes.c_size_t, ctypes.c_long]
    library.shim_allocated.restype = ctypes.c_long
    return library


def tell(**figures):
    """Print an object for the test."""
    print(json.dumps(figures), flush=True)
