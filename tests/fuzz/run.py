"""Fuzz the targets: `python -m tests.fuzz.run [TARGET...] [--seconds N] [--kernels]`; without a target, all of them.

atheris sees which code an input reaches, and keeps inputs that reach something new in `fuzz-corpus`, to continue from.
--kernels: only targets that run kernels of ours. An input that takes too long or too much memory, or raises an
undocumented error, is written to the working directory; then the exit status is 1. `fuzz_at_random` damages seeds at
random, without atheris.
"""

import argparse
import hashlib
import re
import resource
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import NamedTuple

from .mutations import mutated
from .target import LARGEST
from .targets import KERNELS, TARGETS

SLOW = 20
"""Seconds of processor time that an input may take: far more than any needs, and far less than one that hangs."""
MEMORY = 2 << 30
"""Bytes that the process may come to."""


class Tried(NamedTuple):
    """The number of inputs, and the most seconds of processor time that one of them took."""

    inputs: int
    slowest: float


def fuzz_at_random(name: str, seconds: float, seed: int = 1, most: int | None = None) -> Tried:
    """Try damaged inputs for these seconds of processor time, or `most` of them."""
    target = TARGETS[name]
    until = time.process_time() + seconds
    done, slowest = 0, 0.0
    for data in mutated(target.seeds(), seed, LARGEST):
        begun = time.process_time()
        try:
            target.attempt(data)
            used = time.process_time() - begun
            slowest = max(slowest, used)
            if used > SLOW:
                raise AssertionError(f"it took {used:.0f} s")
        except BaseException as error:
            path = Path(f"crash-{_file_name(name)}-{hashlib.sha256(data).hexdigest()[:12]}")
            path.write_bytes(data)
            error.add_note(f"{name}: the input is in {path}")
            raise
        done += 1
        if time.process_time() > until or done == most:
            break
    return Tried(done, slowest)


def guided(name: str, seconds: float) -> Tried:
    """Fuzz with atheris, in a process of its own.

    Raise CalledProcessError after printing its output if it fails.
    """
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.guided",
        name,
        _corpus(name),
        str(seconds),
        str(SLOW),
        str(MEMORY),
    ]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    said = result.stdout + result.stderr
    if result.returncode:
        print(said[-8000:], file=sys.stderr)
        result.check_returncode()
    return Tried(_figure(said, "number_of_executed_units"), _figure(said, "slowest_unit_time_sec"))


def _figure(said: str, name: str) -> int:
    found = re.search(rf"stat::{name}:\s+(\d+)", said)
    return int(found[1]) if found else 0


def _corpus(name: str) -> str:
    folder = Path("fuzz-corpus", _file_name(name))
    folder.mkdir(parents=True, exist_ok=True)
    for data in TARGETS[name].seeds():
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)  # noqa: S324 (as libFuzzer names them)
    return str(folder)


def _file_name(name: str) -> str:
    return name.replace(", ", "-").replace(" ", "-")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of: {'; '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=600, help="of processor time, for each target [default: 600]")
    parser.add_argument("--kernels", action="store_true", help="only targets that run kernels of ours")
    given = parser.parse_args()
    failed = []
    inputs = 0
    for name in given.targets or (KERNELS if given.kernels else TARGETS):
        try:
            tried = guided(name, given.seconds)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        inputs += tried.inputs
        print(f"{name}: {tried.inputs:,} inputs, at most {tried.slowest:.1f} s for one", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{inputs:,} inputs in all, at most {peak >> 10:,} MB; failed: {'; '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
