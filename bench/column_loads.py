"""Load the same columns of hashes and positions, in turns, by fpdb and by DuckDB."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import fpdb
import fpdb.ingest.batch  # not while something is timed
from bench.corpora import DOCUMENT, Documents, name_of, random
from bench.measuring import Figure, in_child, median, peak_memory, ratios, seconds
from fpdb.arrays import I64, U32, U64

BATCH = 10_000  # documents of a commit, one at a time
LARGE = 30_000_000  # postings from which on three rounds are enough, and documents one at a time take too long
ROUNDS, LARGE_ROUNDS = 5, 3


class Columns(NamedTuple):
    """Documents in columns: offsets has one more than there are names."""

    names: list[str]
    offsets: I64
    hashes: U64
    positions: U32


class Load(NamedTuple):
    """Seconds of a load until it is on disk, bytes of the file, and bytes of memory beside the columns."""

    elapsed: float
    size: int
    memory: int


def by_columns(path: Path, columns: Columns) -> float:
    """Load by `Database.add_columns`."""
    with fpdb.open(path, "x") as db:
        return seconds(lambda: db.add_columns(*columns))


def compacted(path: Path, columns: Columns) -> float:
    """Load by `Database.add_columns`, and compact."""
    with fpdb.open(path, "x") as db:
        return seconds(lambda: db.add_columns(*columns)) + seconds(db.compact)


def by_document(path: Path, columns: Columns) -> float:
    """Load by `WriteBatch.add_fingerprints`, in durable batches."""
    hashes, positions = columns.hashes.reshape(-1, DOCUMENT), columns.positions.reshape(-1, DOCUMENT)

    def load() -> None:
        with db.bulk():
            for start in range(0, len(hashes), BATCH):
                rows = slice(start, start + BATCH)
                with db.batch() as batch:
                    for document in zip(columns.names[rows], hashes[rows], positions[rows], strict=True):
                        batch.add_fingerprints(*document)

    with fpdb.open(path, "x") as db:
        return seconds(load)


def by_duckdb(path: Path, columns: Columns) -> float:
    """Load into a sorted table of DuckDB, without names: the numbers of documents are made before the clock starts."""
    import duckdb

    numbers = np.repeat(np.arange(len(columns.names), dtype=np.uint32), np.diff(columns.offsets))
    given = {"hash": columns.hashes, "document": numbers, "position": columns.positions}
    with duckdb.connect(str(path)) as connection:
        connection.register("given", given)

        def load() -> None:
            connection.execute(
                "CREATE TABLE postings AS SELECT hash, document, position FROM given ORDER BY hash, document, position"
            )
            connection.execute("CHECKPOINT")

        return seconds(load)


FPDB, COMPACTED, SINGLY, DUCKDB = "fpdb", "fpdb, compacted", "one document at a time", "DuckDB"
LOADERS: Mapping[str, Callable[[Path, Columns], float]] = {
    FPDB: by_columns,
    COMPACTED: compacted,
    SINGLY: by_document,
    DUCKDB: by_duckdb,
}


def column_loads(folder: Path, engines: Sequence[str], size: int, *, quick: bool) -> Iterator[tuple[str, Figure]]:
    """Measure each way of loading in turns, each time in a process of its own; yield engines and figures."""
    ways = [name for name in LOADERS if name in engines or (name == SINGLY and FPDB in engines and size <= LARGE)]
    loads: dict[str, list[Load]] = {name: [] for name in ways}
    for number in range(1 if quick else ROUNDS if size <= LARGE else LARGE_ROUNDS):
        for name in ways:
            path = folder / f"columns-{number}"
            loads[name].append(in_child(_load, name, path, size // DOCUMENT)[0])
            path.unlink()
    for name, measured in loads.items():
        target = {"target": 1.5} if name == FPDB else {}
        memory = [load.memory / 1e9 for load in measured]
        engine, how = (FPDB, ", one document at a time") if name == SINGLY else (name, "")
        yield engine, median(f"columns: load{how}", [size / 1e6 / load.elapsed for load in measured], "M/s")
        yield engine, median(f"columns: bytes a posting{how}", [load.size / size for load in measured], "bytes")
        yield engine, median(f"columns: memory beside the columns{how}", memory, "GB", **target)
    elapsed = {name: [load.elapsed for load in measured] for name, measured in loads.items()}
    for other, factor in ((DUCKDB, 1), (SINGLY, 2)):
        if FPDB in ways and other in ways:
            times = ratios(elapsed[other], elapsed[FPDB])
            yield FPDB, median(f"columns: load, of the speed of {other}", times, "", target=factor, better="more")
    if FPDB in ways and COMPACTED in ways:
        more = ratios([load.size for load in loads[FPDB]], [load.size for load in loads[COMPACTED]])
        yield FPDB, median("columns: size, of the compacted size", more, "", target=1.15)


def _load(name: str, path: Path, count: int) -> Load:
    columns = _columns(count)
    before = _resident()
    elapsed = LOADERS[name](path, columns)
    return Load(elapsed, path.stat().st_size, peak_memory() - before)


def _columns(count: int) -> Columns:
    hashes, positions = np.empty(count * DOCUMENT, np.uint64), np.empty(count * DOCUMENT, np.uint32)
    batch: Documents
    for batch in random(count):
        rows = slice(batch.first * DOCUMENT, batch.first * DOCUMENT + batch.hashes.size)
        hashes[rows], positions[rows] = batch.hashes.ravel(), batch.positions.ravel()
    return Columns([name_of(number) for number in range(count)], np.arange(count + 1) * DOCUMENT, hashes, positions)


def _resident() -> int:
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) << 10
