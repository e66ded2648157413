"""Workloads that add files through the command line."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import fpdb
from bench.corpora import TEXTS, copy_installation, read_all, write_texts
from bench.measuring import Figure, in_turns, median, ratios, run
from bench.workspace import Workspace

SMALL, LARGE = 4096, 4_000_000  # bytes of a file
MOST = 100_000  # files of 4 KB


def ingest_text(workspace: Workspace) -> Iterator[Figure]:
    """Add files of 4 KB, one for each 100 postings of the size (at most 100,000); as many bytes in 4 MB files.

    `fpdb add` reads random words, in a new process on all cores; files are cached. Target: 40 MB/s in small files, 80
    MB/s in large ones, with two cores. Limit: reading the same files and lower-casing them, in one process that has
    started already.
    """
    count = min(workspace.documents, MOST)
    for what, size, number, target in (
        ("files of 4 KB", SMALL, count, 40),
        ("files of 4 MB", LARGE, max(SMALL * count // LARGE, 1), 80),
    ):
        folder = workspace.folder / what.replace(" ", "-")
        total = write_texts(folder, size, number)
        elapsed, limit = _add_and_read(workspace, folder)
        yield median(what, [total / 1e6 / value for value in elapsed], "MB/s", target=target, better="more")
        yield Figure(f"{what}, how many", number, "")
        yield median(f"{what}, of the speed of reading and lower-casing", ratios(limit, elapsed), "")


def add_python(workspace: Workspace) -> Iterator[Figure]:
    """Add the Python installation's sources and texts by `fpdb add`, in a new process on all cores; files are cached.

    Target: 20 MB/s. Limit: reading the same files and lower-casing them, in one process that has started already.
    """
    folder = workspace.folder / "python"
    size = copy_installation(folder, 20 if workspace.quick else 1, TEXTS)
    elapsed, limit = _add_and_read(workspace, folder)
    yield median("speed", [size / 1e6 / value for value in elapsed], "MB/s", target=20, better="more")
    yield Figure("input", size / 1e6, "MB")
    yield median("of the speed of reading and lower-casing", ratios(limit, elapsed), "")


def keep_text(workspace: Workspace) -> Iterator[Figure]:
    """Add the files of add-python by `fpdb add --keep-text`, in turns with `fpdb add`.

    Target: 0.65 of the speed without it. Limit: compressing the same files, in one process that has started already.
    """
    from zstandard import ZstdCompressor

    folder = workspace.folder / "texts"
    copy_installation(folder, 20 if workspace.quick else 1, TEXTS)

    def compress() -> None:
        compressor = ZstdCompressor()
        for path in folder.rglob("*"):
            if path.is_file():
                compressor.compress(path.read_bytes())

    keep = partial(_add, workspace, folder, "--keep-text")
    without, elapsed, limit = in_turns(workspace.rounds(5), partial(_add, workspace, folder), keep, compress)
    with fpdb.open(keep(), "r") as db:
        info = db.info()
    yield median("of the speed without", ratios(without, elapsed), "", target=0.65, better="more")
    yield median("of the speed of compressing", ratios(limit, elapsed), "")
    yield Figure("texts", info["text_bytes"] / 1e6, "MB")
    yield Figure("of their size in the file", info["text_file_bytes"] / info["text_bytes"], "")


def _add_and_read(workspace: Workspace, folder: Path) -> list[list[float]]:
    """Return the seconds of adding all files to a new database, and of reading them, in turns."""
    return in_turns(workspace.rounds(3), partial(_add, workspace, folder), partial(read_all, folder))


def _add(workspace: Workspace, folder: Path, *options: str) -> Path:
    """Add all files to a new database, and return its path."""
    database = workspace.folder / f"{folder.name}.fpdb"
    for file in workspace.folder.glob(f"{database.name}*"):
        file.unlink()
    run(sys.executable, "-m", "fpdb", "--db", str(database), "add", folder.name, *options, cwd=workspace.folder)
    return database
