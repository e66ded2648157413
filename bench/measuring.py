"""Measure times and memory. Knows nothing of fpdb.

A figure is the median of repeated rounds. Works that are compared are measured in turns, so that both sides of a ratio
see the same state of the machine.
"""

import ctypes
import mmap
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar

Result = TypeVar("Result")
SAMPLED: Final = 0.01


@dataclass(frozen=True)
class Figure:
    """One measured number. target: None if there is none; better: the good side of the target."""

    what: str
    value: float
    unit: str
    target: float | None = None
    better: Literal["more", "less"] = "less"
    rounds: Sequence[float] = field(default=(), repr=False)

    @property
    def met(self) -> bool | None:
        """Return True if the target is reached; None if there is no target."""
        if self.target is None:
            return None
        return self.value >= self.target if self.better == "more" else self.value <= self.target


def median(what: str, rounds: Sequence[float], unit: str, **target: Any) -> Figure:
    """Return the median of the rounds as a figure; target and better as in `Figure`."""
    return Figure(what, statistics.median(rounds), unit, rounds=tuple(rounds), **target)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


def seconds(work: Callable[[], object]) -> float:
    """Return the wall-clock seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turns(rounds: int, *works: Callable[[], object]) -> list[list[float]]:
    """Return the seconds of each work, round by round.

    A first round does not count, unless only one round is asked for.
    """
    if rounds > 1:
        for work in works:
            work()
    elapsed: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for index, work in enumerate(works):
            elapsed[index].append(seconds(work))
    return elapsed


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Return quotients, round by round."""
    return [over / under for over, under in zip(numerators, denominators, strict=True)]


def run(*command: str, cwd: Path) -> str:
    """Run a program to its end and return its output. Raise RuntimeError with its error output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


class ProgramCost(NamedTuple):
    """The seconds of all processors that a program took, and its peak memory in bytes, without pages of files."""

    processor: float
    memory: int


def program_cost(*command: str, cwd: Path) -> ProgramCost:
    """Run a program to its end, without its output. Memory is looked at every SAMPLED seconds, and 0 but on Linux.

    Raises RuntimeError with its error output if it fails.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors)
        status, memory = Path(f"/proc/{process.pid}/status"), 0
        while not (waited := os.wait4(process.pid, os.WNOHANG))[0]:
            own = re.search(r"^RssAnon:\s+(\d+) kB", status.read_text(), re.M) if status.exists() else None
            memory = max(memory, int(own[1]) << 10 if own else 0)
            time.sleep(SAMPLED)
        process.returncode = os.waitstatus_to_exitcode(waited[1])
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}\n{errors.read().decode()}")
    return ProgramCost(waited[2].ru_utime + waited[2].ru_stime, memory)


def in_child(function: Callable[..., Result], *arguments: object) -> tuple[Result, int]:
    """Call a module's function in a new process; return its result and the peak memory of the process in bytes."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(sender, function, arguments))
    child.start()
    sender.close()
    try:
        result, peak = receiver.recv()
    except EOFError:
        raise RuntimeError(f"{function.__name__} failed in its process") from None
    finally:
        child.join()
    return result, peak


def _answer(sender: Any, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    sender.send((function(*arguments), peak_memory()))


def peak_memory() -> int:
    """Return the largest resident size of this process so far, in bytes, mapped files included."""
    # Linux's ru_maxrss starts from the parent's: VmHWM is this program's own.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def forget(path: Path) -> float:
    """Drop a file from the system's cache and return the share that is still cached; nobody may have it mapped.

    Return 1 if the system has no such call. Caches below the system, in a disk or a host, cannot be dropped.
    """
    if not hasattr(os, "posix_fadvise"):
        return 1.0
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return cached(path)


def cached(path: Path) -> float:
    """Return the share of a file's pages that the system holds in memory. Linux only."""
    size = path.stat().st_size
    pages = ctypes.create_string_buffer(-(-size // mmap.PAGESIZE))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    with path.open("rb") as file:
        address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    try:
        if libc.mincore(address, size, pages):
            raise OSError(ctypes.get_errno(), "mincore")
    finally:
        libc.munmap(address, size)
    return sum(page & 1 for page in pages.raw) / len(pages)
