#!/usr/bin/env python3
"""Compare fpdb with other engines: the same work in the same run, each engine in a process of its own.

families: 100,000 documents of 105 hashes (10.5 million postings) in families of near-duplicates; every document holds
five of the hashes. Load them, query by a document's hashes, add and remove one document, and count right answers.
random: as many random postings as --size says, 100 a document, and queries of 1,000 hashes, for fpdb and DuckDB.
long: the same with 1,000 postings a document. files: programs compared with each other, by fpdb and copydetect.
records: 100,000 JSON Lines of 64 MB with copies, from the file to a file without near-duplicates, by fpdb, rensa and
datasketch.
columns: as many random postings with positions, by `Database.add_columns`, by `add_fingerprints`, and by DuckDB, in
turns, medians of five rounds (three of more than 30 million postings); memory is what a load takes beside the columns.

The time of loads, additions and removals ends when they are synced to disk. An engine whose package is missing is
named and left out: pip install 'fpdb[peers]'. Target: fpdb loads the random postings as fast as DuckDB sorts and loads
them.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for this file run by its path

import numpy as np

from bench.column_loads import column_loads
from bench.corpora import KINDS, Documents
from bench.measuring import Figure, in_child, median, seconds
from bench.peers import (
    datasketch_index,
    duckdb_index,
    fpdb_index,
    lmdb_index,
    program_pairs,
    rocksdb_index,
    sourmash_index,
    tantivy_index,
)
from bench.peers.engine import Changeable, Maker, Ranking, Truth, bytes_on_disk
from bench.record_duplicates import PEERS as RECORD_PEERS
from bench.record_duplicates import record_duplicates
from bench.report import HEADINGS, Report, line
from bench.run import RESULTS, common_options, postings, workplace
from bench.workspace import KEPT
from fpdb.arrays import U64

FPDB, DUCKDB = "fpdb", "DuckDB"


class Peer(NamedTuple):
    """An engine: the function that makes it, and the package that it needs."""

    maker: Maker
    package: str


ENGINES: Mapping[str, Peer] = {
    FPDB: Peer(fpdb_index.Fpdb, "fpdb"),
    "fpdb, compacted": Peer(fpdb_index.compacted, "fpdb"),
    DUCKDB: Peer(duckdb_index.DuckDB, "duckdb"),
    "tantivy": Peer(tantivy_index.Tantivy, "tantivy"),
    "sourmash": Peer(sourmash_index.Sourmash, "sourmash"),
    "RocksDB": Peer(rocksdb_index.Rocks, "rocksdict"),
    "LMDB DUPFIXED": Peer(lmdb_index.Dupfixed, "lmdb"),
    "datasketch": Peer(datasketch_index.Datasketch, "datasketch"),
}
PROGRAM_ENGINES: Mapping[str, Callable[[Path], program_pairs.Pairs]] = {
    FPDB: program_pairs.with_fpdb,
    "copydetect": program_pairs.with_copydetect,
}
PROGRAM_PACKAGES = {FPDB: "tree_sitter_python", "copydetect": "copydetect"}
RECORD_PACKAGES = {FPDB: "fpdb", **{name: name for name in RECORD_PEERS}}
NAMES = tuple(dict.fromkeys([*ENGINES, *PROGRAM_ENGINES, *RECORD_PACKAGES]))
LARGE = (FPDB, "fpdb, compacted", DUCKDB)  # engines that take the random postings

SIZE = 100_000_000  # random postings
FAMILIES = 100_000  # documents
QUERIES, CHANGES = 40, 20
TOP = 10
ASKED, FROM_EACH = 1000, 50  # hashes of a query of the random documents: half of them are ten documents'
PROGRAMS = 150


@dataclass(frozen=True)
class Work:
    """The work of an engine: the documents of a corpus, and queries."""

    corpus: str
    documents: int
    queries: Sequence[U64]

    def all(self) -> list[Documents]:
        """Return all documents, in memory."""
        return list(KINDS[self.corpus](self.documents))


@dataclass
class Outcome:
    """Measurements of one engine: seconds of the load, bytes on disk, seconds of each query and change, and answers."""

    loading: float
    bytes: int
    asking: list[float] = field(default_factory=list)
    answers: list[Ranking] = field(default_factory=list)
    changes: dict[str, list[float]] = field(default_factory=dict)


def measure(maker: Maker, path: Path, work: Work, changes: int) -> Outcome:
    """Measure all work of one engine, in a process of its own.

    The arrays are in memory before the clock starts.
    """
    documents = work.all()
    engine = maker(path)
    outcome = Outcome(seconds(partial(engine.build, documents)), bytes_on_disk(path))
    engine.ask(work.queries[0], TOP)
    for hashes in work.queries:
        started = time.perf_counter()
        ranking = engine.ask(hashes, TOP)
        outcome.asking.append(time.perf_counter() - started)
        outcome.answers.append(ranking)
    new = next(KINDS[work.corpus](changes, 99)).hashes
    if isinstance(engine, Changeable):
        rows = range(work.documents, work.documents + len(new))
        for call, change in (("add", engine.add), ("remove", engine.remove)):
            outcome.changes[call] = [seconds(partial(change, row, new[row - work.documents])) for row in rows]
    engine.close()
    return outcome


def families(folder: Path, names: Sequence[str], quick: bool) -> Iterator[tuple[str, Figure]]:
    """Measure all engines on the families corpus."""
    count = FAMILIES // 20 if quick else FAMILIES
    sample = np.concatenate([batch.hashes[::KEPT] for batch in KINDS["families"](count)])
    work = Work("families", count, list(sample[:: max(len(sample) // QUERIES, 1)][:QUERIES]))
    yield from _run(folder, "families", names, work)


def random(folder: Path, names: Sequence[str], size: int, corpus: str = "random") -> Iterator[tuple[str, Figure]]:
    """Measure the engines for large work on random postings, and compare the load of fpdb with that of DuckDB."""
    count = size // next(KINDS[corpus](1)).hashes.size
    sample = np.concatenate([batch.hashes[::KEPT].copy() for batch in KINDS[corpus](count)])
    rng = np.random.default_rng(4)
    queries = []
    for _ in range(QUERIES):
        batch = sample[rng.integers(0, len(sample), ASKED // 2 // FROM_EACH), :FROM_EACH]
        queries.append(
            np.concatenate([np.unique(batch), rng.integers(0, 2**64, ASKED - np.unique(batch).size, np.uint64)])
        )
    speeds = {}
    large = [name for name in LARGE if name in names]
    for name, figure in _run(folder, corpus, large, Work(corpus, count, queries)):
        if figure.what == f"{corpus}: load":
            speeds[name] = figure.value
        yield name, figure
    if FPDB in speeds and DUCKDB in speeds:
        ratio = speeds[FPDB] / speeds[DUCKDB]
        yield FPDB, Figure(f"{corpus}: load, of DuckDB's speed", ratio, "", target=1, better="more")


def _run(folder: Path, what: str, names: Sequence[str], work: Work) -> Iterator[tuple[str, Figure]]:
    truth = Truth(KINDS[work.corpus], work.documents, work.queries)
    size = work.documents * next(KINDS[work.corpus](1)).hashes.size
    for number, name in enumerate(names):
        path = folder / f"{what}-{number}"
        outcome, peak = in_child(measure, ENGINES[name].maker, path, work, CHANGES)
        yield name, Figure(f"{what}: load", size / 1e6 / outcome.loading, "M/s")
        yield name, median(f"{what}: query", [1e3 * value for value in outcome.asking], "ms")
        yield name, Figure(f"{what}: bytes a posting", outcome.bytes / size, "bytes")
        for call, elapsed in outcome.changes.items():
            yield name, median(f"{what}: {call} one", [1e3 * value for value in elapsed], "ms")
        yield name, Figure(f"{what}: answers right", 100 * truth.share_right(outcome.answers), "%")
        yield name, Figure(f"{what}: peak memory, the input included", peak / 1e9, "GB")


def programs(folder: Path, names: Sequence[str], quick: bool) -> Iterator[tuple[str, Figure]]:
    """Compare fpdb and copydetect on source files."""
    source_folder = folder / "programs"
    size, copies = program_pairs.write_programs(source_folder, PROGRAMS // 10 if quick else PROGRAMS)
    for name in names:
        compare = PROGRAM_ENGINES[name]
        (elapsed, pairs), _ = in_child(_timed, compare, source_folder)
        yield name, Figure("files: all against all", elapsed, "s")
        yield name, Figure("files: input", size / 1e3, "kB")
        yield name, Figure("files: copies found", 100 * len(copies & pairs) / len(copies), "%")
        yield name, Figure("files: other pairs found", len(pairs - copies), "")


def _timed(compare: Callable[[Path], program_pairs.Pairs], folder: Path) -> tuple[float, program_pairs.Pairs]:
    started = time.perf_counter()
    pairs = compare(folder)
    return time.perf_counter() - started, pairs


def main() -> None:
    """Run the comparison, print its figures and write them. Exit with status 1 if an engine failed."""
    options = _parse()
    engines = _installed(options.engines, {name: peer.package for name, peer in ENGINES.items()})
    programmed = _installed(options.engines, PROGRAM_PACKAGES)
    recorded = _installed(options.engines, RECORD_PACKAGES)
    report = Report(options.size, quick=options.quick, name="compare")
    packages = {ENGINES[name].package for name in engines} | {PROGRAM_PACKAGES[name] for name in programmed}
    packages |= {RECORD_PACKAGES[name] for name in recorded}
    versions = {package: version(package) for package in sorted(packages - {"fpdb", "lmdb"})}
    report.machine = {**report.machine, **versions}
    print(report.machine_text(), end="\n\n")
    print(line(*HEADINGS))
    size = options.size // 20 if options.quick else options.size
    works = {
        "families": partial(families, names=engines, quick=options.quick),
        "random": partial(random, names=engines, size=size),
        "long": partial(random, names=engines, size=size, corpus="long"),
        "columns": partial(column_loads, engines=engines, size=size, quick=options.quick),
        "files": partial(programs, names=programmed, quick=options.quick),
        "records": partial(record_duplicates, names=recorded, quick=options.quick),
    }
    with workplace() as folder:
        for work in options.work or works:
            for name, figure in works[work](folder):
                print(report.add(name, figure), flush=True)
    results = options.results or (None if options.quick else RESULTS)
    if results is not None:
        print("\nwritten:", *(path.name for path in report.write(results)))


def _installed(names: Sequence[str], packages: Mapping[str, str]) -> list[str]:
    """Return the engines whose packages are installed, and print the others."""
    installed = []
    for name in names:
        package = packages.get(name)
        if package is None:
            continue
        if find_spec(package) is None:
            print(f"left out: {name}, as {package} is not installed; pip install 'fpdb[peers]'")
        else:
            installed.append(name)
    return installed


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.compare",
        description=cleandoc(__doc__ or ""),
        epilog=f"engines: {', '.join(NAMES)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help="which, see below; all by default")
    parser.add_argument(
        "--work",
        action="append",
        choices=("families", "random", "long", "columns", "files", "records"),
        help="only this; repeatable",
    )
    parser.add_argument("--size", type=postings, default=SIZE, metavar="N", help="random postings (%(default)s)")
    common_options(parser)
    options = parser.parse_args()
    options.engines = options.engines or list(NAMES)
    for name in options.engines:
        if name not in NAMES:
            parser.error(f"there is no engine {name!r}; choose from {', '.join(NAMES)}")
    return options


if __name__ == "__main__":
    main()
