"""Plant single faults, and run the tests that concern each: `python -m tests.mutate.run [OPTIONS] [PATH...]`.

The working folder must be a copy of the sources, which `tools/mutate` makes. A fault is found if a test fails, ends its
process or takes too long. Tests run in forks of this process, which has imported what they need but for fpdb.
"""

import argparse
import importlib
import math
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import Phase, settings

from .faults import Fault, faults_of, read_equivalents

SOURCES: Final = ["fpdb/fingerprint", "fpdb/storage", "fpdb/search", "fpdb/regions"]
FIXED: Final = ["tests/test_database.py", "tests/storage/test_store.py"]
"""Tests of the whole, for every fault."""
IMPORTED: Final = (
    "numpy",
    "lmdb",
    "lmdb.verify",
    "hypothesis",
    "msgpack",
    "xxhash",
    "click",
    "rich.table",
    "zstandard",
)
OPTIONS: Final = ["-x", "--hypothesis-seed=0", "--basetemp=mutate-tests", "-pno:cacheprovider", "-pno:xdist"]
IGNORED: Final = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
FOUND, SURVIVED, INVALID = "found", "survived", "invalid"
MEMORY: Final = 8 << 30
_TIMES: Final = count(1_000_000_000, 10)  # of sources, so that no bytecode is taken for another's


def main() -> None:
    """Plant a sample of the faults, print those that no test finds, and how many were found."""
    parser = argparse.ArgumentParser(prog="tools/mutate", description="Plant faults, and see which no test finds.")
    parser.add_argument("--count", type=int, default=100, help="faults to plant (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of faults (1)")
    parser.add_argument("--near", action="store_true", help="run only tests named for the source, or that import it")
    parser.add_argument("path", nargs="*", default=SOURCES, help="source files and folders")
    options = parser.parse_args()
    for module in IMPORTED:
        importlib.import_module(module)
    settings.register_profile("mutate", phases=(Phase.explicit, Phase.generate))  # one failing example is enough
    settings.load_profile("mutate")  # which that of tests/conftest.py inherits from
    known = {entry[:3] for entry in read_equivalents()}
    faults = [fault for path in source_files(options.path) for fault in faults_of(path)]
    real = [fault for fault in faults if (fault.path, fault.before, fault.after) not in known]
    chosen = sorted(random.Random(options.seed).sample(real, min(options.count, len(real))))
    outcomes = Counter[str]()
    for number, fault in enumerate(chosen, start=1):
        outcome = try_fault(fault, stages_of(fault.path, options.near))
        outcomes[outcome] += 1
        print(f"{number} of {len(chosen)}: {fault.path}:{fault.line} {outcome}", file=sys.stderr)
        if outcome == SURVIVED:
            print(fault, flush=True)
    planted = outcomes[FOUND] + outcomes[SURVIVED]
    print(f"found {outcomes[FOUND]} of {planted}: {outcomes[FOUND] / max(planted, 1):.1%}")
    print(f"left out: {len(faults) - len(real)} that are no faults, {outcomes[INVALID]} that do not compile")
    sys.exit(outcomes[SURVIVED] > 0)


def source_files(paths: list[str]) -> Iterator[str]:
    """Yield the sources among files and folders."""
    for path in map(Path, paths):
        files = [path] if path.is_file() else sorted(path.rglob("*.p[xy]*"))
        yield from (str(file) for file in files if file.suffix in (".py", ".pyx", ".pxd"))


def try_fault(fault: Fault, stages: list[list[str]]) -> str:
    """Return what the tests make of a fault."""
    for stage in stages:
        limit = 10 + 3 * math.ceil(seconds_of(tuple(sorted(stage))))
        with planted(fault) as valid:
            if not valid:
                return INVALID
            if run_tests(stage, limit):
                return FOUND
    return SURVIVED


@contextmanager
def planted(fault: Fault) -> Iterator[bool]:
    """Plant a fault for a while; True if it compiles."""
    path = Path(fault.path)
    original, built = path.read_bytes(), [] if path.suffix == ".py" else kernels_with(fault.path)
    before = {module: module.read_bytes() for module in map(extension, built)}
    try:
        write(path, fault.planted())
        yield all(map(build, built))
    finally:
        write(path, original)
        for module, content in before.items():
            module.unlink(missing_ok=True)
            module.write_bytes(content)


def write(path: Path, content: bytes) -> None:
    """Write a source, with a time that it never had."""
    path.write_bytes(content)
    os.utime(path, (seconds := next(_TIMES), seconds))


def kernels_with(path: str) -> list[str]:
    """Return the kernels that a Cython source or header is a part of."""
    if path.endswith(".pyx"):
        return [path]
    module = path.removesuffix(".pxd").replace("/", ".")
    others = [
        str(other) for other in Path("fpdb").rglob("*.p[xy][xd]") if f"from {module} cimport" in other.read_text()
    ]
    return sorted({kernel for other in others for kernel in kernels_with(other)})


def extension(kernel: str) -> Path:
    """Return the compiled module of a kernel."""
    return Path(kernel.removesuffix(".pyx") + sysconfig.get_config_var("EXT_SUFFIX"))


def build(kernel: str) -> bool:
    """Compile a kernel; return False if it does not compile."""
    translated, include = kernel.replace(".pyx", ".c"), sysconfig.get_path("include")
    compiler = shlex.split(sysconfig.get_config_var("LDSHARED"))
    extension(kernel).unlink(missing_ok=True)  # it may be mapped
    return not any(
        subprocess.run(command, capture_output=True, check=False).returncode
        for command in (
            ["cython", "-3", kernel, "-o", translated],
            [*compiler, "-w", "-O0", "-fPIC", "-fwrapv", f"-I{include}", translated, "-o", str(extension(kernel))],
        )
    )


def stages_of(path: str, near: bool = False) -> list[list[str]]:
    """Return groups of test files: named for the source, importing it, the rest of its package, and some of the whole.

    near: only the first two, or else the third, in one group.
    """
    source = Path(path)
    module, name = source.parent.as_posix().replace("/", "."), source.stem
    package = Path("tests", *source.parts[1:-1])
    imported = re.compile(rf"{re.escape(module)}(\.| import .*\b){name}\b")
    files = sorted(package.glob("test_*.py"))
    own = [file for file in files if file.stem == f"test_{name.lstrip('_')}"]
    users = [file for file in files if file not in own and imported.search(file.read_text("utf-8"))]
    others = [file for file in files if file not in own and file not in users]
    groups = [[*own, *users] or others] if near else [own, users, others]
    return [[str(file) for file in group] for group in groups if group] + ([] if near else [FIXED])


@cache
def seconds_of(files: tuple[str, ...]) -> float:
    """Return the processor time that tests take without a fault."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run_tests(files, 3600):
        sys.exit(f"these tests fail without a fault: {' '.join(files)}; see {Path('mutate.log').read_text('utf-8')}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_tests(files: Sequence[str], limit: int) -> bool:
    """Run tests in a fork, the first failure being the last; return True if one fails or they exceed the limit.

    limit: seconds of processor time of each process; the tests may take ten times as long by the clock, so that a busy
    machine finds no faults.
    """
    for folder in ("mutate-tests", ".hypothesis"):
        shutil.rmtree(folder, ignore_errors=True)
    child = os.fork()
    if not child:
        _run_here(files, limit)
    deadline = time.monotonic() + 10 * limit
    status: int | None = None
    while status is None and time.monotonic() < deadline:
        finished, code = os.waitpid(child, os.WNOHANG)
        status = code if finished else None
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status != 0


def _run_here(files: Sequence[str], limit: int) -> None:
    """Run tests in this process, which ends."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    log = os.open("mutate.log", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    for output in (1, 2):
        os.dup2(log, output)
    os._exit(pytest.main([*OPTIONS, *IGNORED, *files]))


if __name__ == "__main__":
    main()
