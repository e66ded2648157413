"""Workloads of records: JSON Lines in, one after the other, by the million."""

from __future__ import annotations

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
from bench.room import Room
from fpdb.gc_control import collect_rarely
from fpdb.ingest.loading import LoadSummary, load
from fpdb.ingest.records import read_records, record_chunks
from fpdb.search.batch_query import answers

MOST = 1_000_000
NEW = 100  # one new record, or query, for so many
LEAST = 0.1  # containment of the matches that are asked for
HALF = 0.5  # of the time, and of containment


def records(room: Room) -> Iterator[Figure]:
    """`fpdb add --jsonl` of a record of 1 kB for each 100 postings of the size, but a million at most: pieces of the
    sources and texts of Python and its packages. The same killed at half and gone on with; 1% new added; 1% asked for.

    Target: 30 MB/s with two cores, in under 1 GB; adding 1% new, and querying 1%, 3% of the time each in new processes;
    queries besides in a process that has started, as the records are added. Limit: reading the lines' JSON, in one
    process.
    """
    count = min(room.documents, MOST)
    few = max(count // NEW, 1)
    old, new = room.folder / "records.jsonl", room.folder / "new.jsonl"
    size = write_records(old, count)
    write_records(new, few, start=count)
    whole, killed = room.folder / "records.fpdb", room.folder / "killed.fpdb"
    (taken, workers), peak = in_child(_add, whole, old)
    yield Figure("speed", size / 1e6 / taken, "MB/s", target=30, better="more")
    yield Figure("records", count, "")
    yield Figure("peak memory of all processes", (peak + workers) / 1e9, "GB", target=1)
    yield Figure("of the speed of reading JSON", seconds(partial(_parse, old)) / taken, "")
    begun = _kill(killed, old, taken * HALF)
    with fpdb.open(killed) as db:
        done = len(db) / count
    rest = seconds(partial(_fpdb, room, killed, "add", "--jsonl", str(old)))
    yield Figure("left to add when killed, of the records", 100 * (1 - done), "%")
    yield Figure("killed and gone on with, of the time", 100 * (begun + rest) / taken, "%")
    yield Figure(
        "is equal to one that was not", float(_contents(killed) == _contents(whole)), "", target=1, better="more"
    )
    for least in (LEAST, HALF):
        found = room.folder / "found.jsonl"
        options = "--jsonl", str(new), "--min", str(least), "--format", "json", "--output", str(found)
        asked = seconds(partial(_fpdb, room, whole, "query", *options))
        matches = found.read_text().count('"shared": ')
        inside, _ = in_child(partial(_query, whole, new, least, matches))
        target = 3 if least == LEAST else None
        yield Figure(f"querying 1%, of the time, containment from {least}", 100 * asked / taken, "%", target=target)
        yield Figure(f"in a process that has started, containment from {least}", 100 * inside / taken, "%")
        yield Figure(f"matches of a query, containment from {least}", matches / few, "")
    added = seconds(partial(_fpdb, room, whole, "add", "--jsonl", str(new)))
    yield Figure("adding 1% new, of the time", 100 * added / taken, "%", target=3)


def _add(path: Path, file: Path) -> tuple[float, int]:
    """Seconds of adding all records, and the most memory that a worker process had."""
    report = LoadSummary()
    collect_rarely()  # as the program does
    with fpdb.open(path) as db:
        taken = seconds(partial(load, db, record_chunks([str(file)], kind="auto"), summary=report))
        assert report.documents == len(db)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return taken, children if sys.platform == "darwin" else children << 10


def _query(path: Path, file: Path, least: float, matches: int) -> float:
    """Seconds of asking for all records of a file, and counting the matches in the lines of JSON."""
    collect_rarely()
    with fpdb.open(path, "r") as db, TemporaryDirectory(dir=path.parent) as folder:

        def ask() -> None:
            found = answers(db, record_chunks([str(file)], kind="auto"), folder=folder, min=least)
            assert matches == sum(b"".join(one.lines.record_chunks()).count(b'"shared": ') for one in found)

        return seconds(ask)


def _parse(file: Path) -> None:
    for _ in read_records([str(file)]):
        pass


def _kill(path: Path, file: Path, after: float) -> float:
    """Starts to add, and kills it after so many seconds; returns the seconds."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "fpdb", "--db", str(path), "add", "--jsonl", str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    return time.perf_counter() - begun


def _fpdb(room: Room, path: Path, *arguments: str) -> None:
    run(sys.executable, "-m", "fpdb", "--db", str(path), *arguments, cwd=room.folder)


def _contents(path: Path) -> int:
    """Stands for all that the catalogue says of the documents, but when they were added."""
    with fpdb.open(path, "r") as db:
        assert db.check() == []
        return hash(tuple((one.name, one.digest, one.hashes, one.fingerprints) for one in db.documents()))
