"""The workload of source code, from files to all pairs, through the command line."""

import ast
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import fpdb
from bench.measuring import Figure, median
from bench.workspace import Workspace

PROGRAMS = 2_000
SIZE = 5_000  # bytes of a program, about
LARGEST = 2 * SIZE
ELSEWHERE = {"site-packages", "dist-packages", "__pycache__"}
SAMPLED = 0.005  # seconds between looks at memory
PARSED = """
import sys, time
from pathlib import Path
from fpdb.readers import sandbox_worker
contents = [path.read_bytes() for path in sorted(Path(sys.argv[1]).iterdir())]
parser = sandbox_worker.find_parser("tree_sitter_python", "language")
begun = time.perf_counter()
for content in contents:
    parser.parse(content)
print(time.perf_counter() - begun)
"""


def code_pairs(workspace: Workspace) -> Iterator[Figure]:
    """Find all pairs of 2,000 programs of about 5 KB: `fpdb init --preset code`, `add`, `pairs`, on two cores.

    Then `pairs` twice more, ranked by similarity: the first 20 pairs, and all of them, for which the programs of
    all pairs are compared.

    The programs are statements and functions of the Python installation's modules, put together until they have 5 KB.
    Target: 6 s in all, and 400 MB at most in all processes together (proportional set size). Limit: tree-sitter
    parsing the same files, in one process that has read them.
    """
    folder = workspace.folder / "programs"
    count, size = write_programs(folder, workspace.size(PROGRAMS))
    database = workspace.folder / "programs.fpdb"
    rounds = [_measure_round(database, folder) for _ in range(workspace.rounds(5))]
    with fpdb.open(database, "r") as db:
        pair_count = sum(1 for _ in db.pairs())
    all_pairs = [each.all_by_similarity for each in rounds]
    yield median("init, add and pairs", [each.init + each.add + each.pairs for each in rounds], "s", target=6)
    yield median("peak memory of all processes", [each.peak / 1e6 for each in rounds], "MB", target=400)
    yield median("processor time of all processes", [each.processor for each in rounds], "s")
    yield Figure("programs", count, "")
    yield Figure("input", size / 1e6, "MB")
    yield median("add", [size / 1e6 / each.add for each in rounds], "MB/s")
    yield median("pairs", [each.pairs for each in rounds], "s")
    yield Figure("pairs that share anything", pair_count, "")
    yield median("pairs, by similarity, the first 20", [each.first_by_similarity for each in rounds], "s")
    yield median("pairs, by similarity, all", all_pairs, "s")
    yield Figure("pairs, by similarity, each of all", statistics.median(all_pairs) * 1e6 / max(pair_count, 1), "us")
    yield median("tree-sitter alone, one process", [size / 1e6 / each.parsing for each in rounds], "MB/s")


class Round(NamedTuple):
    """One round of the workload: seconds of each command, processor seconds, bytes of memory at most."""

    init: float
    add: float
    pairs: float
    processor: float
    peak: int
    parsing: float
    first_by_similarity: float
    all_by_similarity: float


def _measure_round(database: Path, programs: Path) -> Round:
    """Make the database from the programs, find all pairs, and parse the programs."""
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()

    def run(*command: str) -> tuple[float, int]:
        return _watched(sys.executable, "-m", "fpdb", "--db", str(database), *command, cwd=database.parent)

    before = _processor_seconds()
    commands = ("init", "--preset", "code"), ("add", programs.name), ("pairs",)
    (init, add, pairs), peaks = zip(*(run(*command) for command in commands), strict=True)
    processor = _processor_seconds() - before
    parsed = subprocess.run([sys.executable, "-c", PARSED, str(programs)], capture_output=True, text=True, check=True)
    first, _ = run("pairs", "--by", "similarity")
    everything, _ = run("pairs", "--by", "similarity", "--format", "json")
    return Round(init, add, pairs, processor, max(peaks), float(parsed.stdout), first, everything)


def write_programs(folder: Path, count: int) -> tuple[int, int]:
    """Write `count` programs, or as many as the installation gives, and return their number and bytes."""
    folder.mkdir()
    size = number = 0
    for number, program in enumerate(_programs(), 1):
        content = program.encode()
        (folder / f"{number:04}.py").write_bytes(content)
        size += len(content)
        if number == count:
            break
    return number, size


def _programs() -> Iterator[str]:
    """Yield statements in a row, of one module or of several, that have nearly `SIZE` characters together.

    Classes are taken apart, so that none is too large; a statement of more than `LARGEST` characters is left out.
    """
    parts: list[str] = []
    length = 0
    for path in installed_modules():
        try:
            text = path.read_text("utf-8")
            body = ast.parse(text).body
        except (SyntaxError, ValueError):
            continue
        lines = text.splitlines(keepends=True)
        for part in _statements(body, lines):
            if len(part) > LARGEST - SIZE:
                continue
            parts.append(part)
            length += len(part)
            if length >= SIZE * 0.9:
                yield "\n".join(parts)
                parts, length = [], 0


def _statements(body: list[ast.stmt], lines: list[str]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno > 60:
            yield f"class {node.name}:\n"
            yield from _statements(node.body, lines)
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        yield "".join(lines[first - 1 : node.end_lineno])


def installed_modules() -> Iterator[Path]:
    """Yield the modules of the standard library, in a fixed order."""
    for place, folders, files in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = sorted(set(folders) - ELSEWHERE)
        yield from (Path(place, file) for file in sorted(files) if file.endswith(".py"))


def _watched(*command: str, cwd: Path) -> tuple[float, int]:
    """Run a program to its end; return its seconds and the peak memory of it and its children together."""
    peak = 0
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=subprocess.STDOUT)
        ended = threading.Event()

        def look() -> None:
            nonlocal peak
            while not ended.wait(SAMPLED):
                peak = max(peak, _memory(process.pid))

        watcher = threading.Thread(target=look)
        watcher.start()
        status = process.wait()
        elapsed = time.perf_counter() - started
        ended.set()
        watcher.join()
        if status:
            output.seek(0)
            raise RuntimeError(f"{' '.join(command)}: exit status {status}\n{output.read().decode()}")
    return elapsed, peak


def _processor_seconds() -> float:
    """Return the processor time of all ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory(process: int) -> int:
    """Return the resident bytes of a process and its descendants, shared pages once; 0 where there is no /proc."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        below = [
            int(child)
            for thread in Path(f"/proc/{process}/task").iterdir()
            for child in (thread / "children").read_text().split()
        ]
    except OSError:
        return 0  # it has just ended
    own = int(rollup.split("\nPss:")[1].split()[0]) << 10 if "\nPss:" in rollup else 0
    return own + sum(map(_memory, below))
