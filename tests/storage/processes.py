"""Other processes for the tests: Python programs that talk over pipes and may be killed."""

import os
import select
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager

BEGINNING = """
import os, signal, sys
import numpy as np
import fpdb
from fpdb.storage import store
from fpdb.storage.environment import environment, files
from fpdb.storage.runs import merge, merge_policy, writer

path, *arguments = sys.argv[1:]

def say(*words):
    print(*words, flush=True)

def hear():
    return sys.stdin.readline().strip()

def small_merges():
    merge_policy.SMALLEST, merge_policy.AT_ONCE, merge.PIECE, writer.POSTINGS_PER_TRANSACTION = 16, 300, 100, 100
    store.BLOCKS_PER_SWEEP = 2

def hashes_of(number, count=60):
    return np.random.default_rng(number).integers(0, 2**63, count, np.uint64)
"""


def run_in_child(function, timeout=60):
    """Return what a function returns, as text, or the error that it raises, in a forked child; "" after a time-out."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, str(function()).encode())
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read() if select.select([file], [], [], timeout)[0] else b""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return said.decode()


@contextmanager
def running(program, path, *arguments):
    """Run the program in a process, which is killed at the end of the block if it still runs."""
    command = [sys.executable, "-c", BEGINNING + program, path, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def hear(process):
    """Return the next line of a process, or "" if it has ended."""
    return process.stdout.readline().strip()


def tell(process, line=""):
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
