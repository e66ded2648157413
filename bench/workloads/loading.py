"""Workloads that fill a database: real files through the command line, arrays through the library."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fpdb
from bench.measuring import Figure, in_child, in_turns, median, percentile, ratios, run, seconds
from bench.room import DOCUMENT, NEIGHBOUR, Room, documents, name_of

TEXTS = {".py", ".pyi", ".txt", ".rst", ".md", ".html", ".c", ".h", ".toml", ".cfg", ".json", ".xml"}
ELSEWHERE = {"site-packages", "dist-packages", "__pycache__"}
BYTES = 12  # of an uncompressed posting: hash and document


def add_python(room: Room) -> Iterator[Figure]:
    """`fpdb add` of the Python installation's sources and texts, in a new process on two cores; files are cached.

    Target: 20 MB/s. Limit: reading the same files and lower-casing them, in one process that has started already.
    """
    folder = room.folder / "python"
    size = _copy_installation(folder, every=room.size(20))
    database = room.folder / "python.fpdb"

    def add() -> None:
        for file in room.folder.glob(f"{database.name}*"):
            file.unlink()
        run(sys.executable, "-m", "fpdb", "--db", str(database), "add", folder.name, cwd=room.folder)

    def read() -> None:
        for path in folder.rglob("*"):
            if path.is_file():
                path.read_bytes().lower()

    taken, limit = in_turns(room.rounds(5), add, read)
    yield median("speed", [size / 1e6 / one for one in taken], "MB/s", target=20, better="more")
    yield Figure("input", size / 1e6, "MB")
    yield median("of the speed of reading and lower-casing", ratios(limit, taken), "")


def keep_text(room: Room) -> Iterator[Figure]:
    """`fpdb add --keep-text` of the Python installation's sources and texts, in turns with `fpdb add`, as add-python.

    Target: 0.65 of the speed without it. Limit: compressing the same files, in one process that has started already.
    """
    from zstandard import ZstdCompressor

    folder = room.folder / "texts"
    _copy_installation(folder, every=room.size(20))
    database = room.folder / "texts.fpdb"

    def add(*options: str) -> None:
        for file in room.folder.glob(f"{database.name}*"):
            file.unlink()
        run(sys.executable, "-m", "fpdb", "--db", str(database), "add", folder.name, *options, cwd=room.folder)

    def compress() -> None:
        compressor = ZstdCompressor()
        for path in folder.rglob("*"):
            if path.is_file():
                compressor.compress(path.read_bytes())

    without, taken, limit = in_turns(room.rounds(5), add, lambda: add("--keep-text"), compress)
    add("--keep-text")
    with fpdb.open(database, "r") as db:
        info = db.info()
    yield median("of the speed without", ratios(without, taken), "", target=0.65, better="more")
    yield median("of the speed of compressing", ratios(limit, taken), "")
    yield Figure("texts", info["text_bytes"] / 1e6, "MB")
    yield Figure("of their size in the file", info["text_file_bytes"] / info["text_bytes"], "")


def _copy_installation(folder: Path, every: int) -> int:
    """Copies one text in 20 // every of the standard library; returns their bytes."""
    library = Path(sysconfig.get_path("stdlib"))
    texts = []
    for place, folders, files in os.walk(library):
        folders[:] = sorted(set(folders) - ELSEWHERE)
        texts += [Path(place, file) for file in sorted(files) if Path(file).suffix in TEXTS]
    size = 0
    for path in texts[:: 20 // every]:
        copy = folder / path.relative_to(library)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        size += copy.stat().st_size
    return size


def ingest(room: Room) -> Iterator[Figure]:
    """`add_fingerprints` of 20 million random postings, 100 a document, in durable batches of 3 million.

    Target: 3 M/s in under 1.5 GB, in a process of its own; making the random numbers is not timed. Limit: np.sort of
    the hashes and one sequential, synced write of 12 bytes a posting.
    """
    postings = room.size(20_000_000)
    speeds, limits, peaks = [], [], []
    for number in range(room.rounds(3)):
        path = room.folder / f"ingest-{number}.fpdb"
        taken, peak = in_child(_ingest, path, postings)
        limit, _ = in_child(_sort_and_write, path.with_suffix(".array"), postings)
        path.unlink()
        speeds.append(postings / 1e6 / taken)
        limits.append(postings / 1e6 / limit)
        peaks.append(peak / 1e9)
    yield median("speed", speeds, "M/s", target=3, better="more")
    yield median("peak memory", peaks, "GB", target=1.5)
    yield median("of the speed of np.sort and a sequential write", ratios(speeds, limits), "")


def _ingest(path: Path, postings: int) -> float:
    taken = 0.0
    with fpdb.open(path, "x") as db:
        for first, hashes, _ in documents(postings // DOCUMENT, seed=5):
            begun = time.perf_counter()
            with db.batch() as batch:
                for row in range(len(hashes)):
                    batch.add_fingerprints(name_of(first + row), hashes[row])
            taken += time.perf_counter() - begun
        assert db.info()["postings"] == postings
    return taken


def _sort_and_write(path: Path, postings: int) -> float:
    hashes = np.random.default_rng(5).integers(0, 2**64, postings, np.uint64)
    body = bytes((BYTES - hashes.itemsize) * postings)

    def work() -> None:
        with path.open("wb") as file:
            file.write(np.sort(hashes).data)
            file.write(body)
            file.flush()
            os.fsync(file.fileno())

    taken = seconds(work)
    path.unlink()
    return taken


def add_one(room: Room) -> Iterator[Figure]:
    """One document of 100 hashes added to a 10 M-posting database, durably, 1,000 times; merges included.

    Target: 3 ms median. Limit: a commit of one 4 KB value to a plain LMDB file in the same folder, after each.
    """
    grown = room.grown(10_000_000)
    taken = [1e3 * one for one in grown.seconds]
    limit = [1e3 * one for one in grown.neighbour]
    yield median("median", taken, "ms", target=3)
    yield Figure("99th percentile", percentile(taken, 99), "ms")
    yield Figure("mean", sum(taken) / len(taken), "ms")
    yield median(f"LMDB commit of {NEIGHBOUR} bytes", limit, "ms")
    yield median("commits of LMDB that it takes", ratios(taken, limit), "")
