"""The workload of records: up to a million JSON Lines."""

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import fpdb
from bench.corpora import write_records
from bench.measuring import Figure, in_child, run, seconds
from bench.workspace import Workspace
from fpdb.gc_control import collect_rarely
from fpdb.ingest.load_summary import LoadSummary
from fpdb.ingest.loading import load
from fpdb.ingest.records import record_chunks
from fpdb.search.batch_query import answer_documents

MOST = 1_000_000
NEW = 100  # one new record, or query, for so many
LEAST = 0.1  # containment of the matches that are asked for
HALF = 0.5  # of the time, and of containment


def records(workspace: Workspace) -> Iterator[Figure]:
    """Add records of 1 kB by `fpdb add --jsonl`, one for each 100 postings of the size, but at most a million.

    Records are pieces of the sources and texts of Python and its packages. The same load is killed at half of its time
    and continued; then 1% new records are added, and 1% are queried.

    Target: 30 MB/s with two cores, in under 1 GB; adding 1% new, and querying 1%, 3% of the time each in new processes;
    queries besides in a process that has started, as the records are added. Limit: reading the lines' JSON, in one
    process.
    """
    count = min(workspace.documents, MOST)
    new_count = max(count // NEW, 1)
    old, new = workspace.folder / "records.jsonl", workspace.folder / "new.jsonl"
    size = write_records(old, count)
    write_records(new, new_count, start=count)
    whole, killed = workspace.folder / "records.fpdb", workspace.folder / "killed.fpdb"
    (elapsed, workers), peak = in_child(_add, whole, old)
    yield Figure("speed", size / 1e6 / elapsed, "MB/s", target=30, better="more")
    yield Figure("records", count, "")
    yield Figure("peak memory of all processes", (peak + workers) / 1e9, "GB", target=1)
    yield Figure("of the speed of reading JSON", seconds(partial(_parse, old)) / elapsed, "")
    before_kill = _kill(killed, old, elapsed * HALF)
    with fpdb.open(killed) as db:
        done = len(db) / count
    rest = seconds(partial(_fpdb, workspace, killed, "add", "--jsonl", str(old)))
    yield Figure("left to add when killed, of the records", 100 * (1 - done), "%")
    yield Figure("killed and gone on with, of the time", 100 * (before_kill + rest) / elapsed, "%")
    yield Figure(
        "is equal to one that was not", float(_contents(killed) == _contents(whole)), "", target=1, better="more"
    )
    for minimum in (LEAST, HALF):
        output = workspace.folder / "found.jsonl"
        options = "--jsonl", str(new), "--min", str(minimum), "--format", "json", "--output", str(output)
        asked = seconds(partial(_fpdb, workspace, whole, "query", *options))
        matches = output.read_text().count('"shared": ')
        inside, _ = in_child(partial(_query, whole, new, minimum, matches))
        target = 3 if minimum == LEAST else None
        yield Figure(f"querying 1%, of the time, containment from {minimum}", 100 * asked / elapsed, "%", target=target)
        yield Figure(f"in a process that has started, containment from {minimum}", 100 * inside / elapsed, "%")
        yield Figure(f"matches of a query, containment from {minimum}", matches / new_count, "")
    added = seconds(partial(_fpdb, workspace, whole, "add", "--jsonl", str(new)))
    yield Figure("adding 1% new, of the time", 100 * added / elapsed, "%", target=3)


def _add(path: Path, file: Path) -> tuple[float, int]:
    """Return the seconds of adding all records, and the peak memory of a worker process."""
    report = LoadSummary()
    collect_rarely()  # as the program does
    with fpdb.open(path) as db:
        elapsed = seconds(partial(load, db, record_chunks([str(file)], kind="auto"), summary=report))
        assert report.documents == len(db)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return elapsed, children if sys.platform == "darwin" else children << 10


def _query(path: Path, file: Path, minimum: float, matches: int) -> float:
    """Return the seconds of querying all records of a file, and of counting the matches in the lines of JSON."""
    collect_rarely()
    with fpdb.open(path, "r") as db, TemporaryDirectory(dir=path.parent) as folder:

        def ask() -> None:
            all_answers = answer_documents(db, record_chunks([str(file)], kind="auto"), folder=folder, min=minimum)
            assert matches == sum(b"".join(answered.lines.pieces()).count(b'"shared": ') for answered in all_answers)

        return seconds(ask)


def _parse(file: Path) -> None:
    for chunk in record_chunks([str(file)]):
        for _ in chunk.documents():
            pass


def _kill(path: Path, file: Path, after: float) -> float:
    """Start to add, kill the process after `after` seconds, and return the seconds."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "fpdb", "--db", str(path), "add", "--jsonl", str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    return time.perf_counter() - started


def _fpdb(workspace: Workspace, path: Path, *arguments: str) -> None:
    run(sys.executable, "-m", "fpdb", "--db", str(path), *arguments, cwd=workspace.folder)


def _contents(path: Path) -> int:
    """Return a hash of the catalogue's records, without the times when they were added."""
    with fpdb.open(path, "r") as db:
        assert db.check() == []
        return hash(
            tuple(
                (document.name, document.digest, document.hashes, document.fingerprints) for document in db.documents()
            )
        )
