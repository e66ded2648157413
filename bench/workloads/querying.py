"""Workloads that query a database."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import lmdb
import numpy as np

import fpdb
from bench.corpora import COMMON, FAMILY, essay, kept_by
from bench.measuring import Figure, cached, forget, in_turns, median, percentile, ratios, run, seconds
from bench.workspace import PAGE_VALUE, StoredDatabase, Workspace
from fpdb.arrays import U64
from fpdb.options import Measure

POSTINGS_A_PAGE = 460  # about what a block takes, to make as many pages
OWN = 60  # hashes of a query that are one document's
PART = 5  # that are another's
FEW, MANY = 100, 1000  # hashes of a query
CAP = 100  # max_df, far above chance and far below what every document holds
BY: tuple[Measure, ...] = ("resemblance", "reverse_containment", "weighted_containment", "similarity")
COLD = 1e-3  # share of a file that may still be in memory


def query(workspace: Workspace) -> Iterator[Figure]:
    """Query 100 and 1,000 hashes: 60 of one document; half of the rest is new, half is of others, 5 of each.

    Warm: compacted, full, the smallest 100 of them, and with a cap on document frequency; after 1,000 commits of single
    documents; and a tenth of the size, in turns. Cold: the first query after opening a file that the system has dropped
    from memory. Target: 1,000 hashes 2 ms compacted, 4 ms after the commits, 1.3 times the time at a tenth of the size;
    smallest=100 0.5 ms; all at 100 million. Limit: as many values of a page each as there are hashes, fetched by LMDB's
    getmulti from a file of as many pages, and a byte read of each.
    """
    stored, grown, tenth = workspace.stored(), workspace.grown(), workspace.stored(tenth=True)
    count = workspace.size(1000)
    few, many, small = _queries(stored, FEW, count), _queries(stored, MANY, count), _queries(tenth, MANY, count)
    with (
        fpdb.open(stored.path, "r") as fresh,
        fpdb.open(grown.stored.path, "r") as busy,
        fpdb.open(tenth.path, "r") as other,
        _Pages(workspace, stored) as pages,
    ):
        runs = busy.info()["runs"]
        elapsed = _in_turns(
            count,
            {
                "few": lambda row: _ask(fresh, few[row]),
                "few busy": lambda row: _ask(busy, few[row]),
                "few pages": lambda _: pages.fetch(FEW),
                "many": lambda row: _ask(fresh, many[row]),
                "smallest": lambda row: fresh.query_fingerprints(many[row], smallest=FEW),
                "capped": lambda row: _ask(fresh, many[row], max_df=CAP),
                "busy": lambda row: _ask(busy, many[row]),
                "tenth": lambda row: _ask(other, small[row]),
                "pages": lambda _: pages.fetch(MANY),
            },
        )
    yield median("100 hashes", elapsed["few"], "ms")
    yield median("100 hashes, after 1,000 commits", elapsed["few busy"], "ms")
    yield median("100 pages fetched", elapsed["few pages"], "ms")
    yield median("100 hashes, in such fetches", ratios(elapsed["few"], elapsed["few pages"]), "")
    yield median("1,000 hashes", elapsed["many"], "ms", target=2)
    yield Figure("1,000 hashes, 99th percentile", percentile(elapsed["many"], 99), "ms")
    yield median("1,000 hashes, after 1,000 commits", elapsed["busy"], "ms", target=4)
    yield Figure("runs after them", runs, "")
    yield median(
        "1,000 hashes, in the time at a tenth of the size", ratios(elapsed["many"], elapsed["tenth"]), "", target=1.3
    )
    yield median("the 100 smallest of 1,000", elapsed["smallest"], "ms", target=0.5)
    yield median("1,000 hashes, capped", elapsed["capped"], "ms")
    yield median("1,000 pages fetched", elapsed["pages"], "ms")
    yield median("1,000 hashes, in such fetches", ratios(elapsed["many"], elapsed["pages"]), "")
    yield from _cold(workspace, stored, few, many)


def _cold(workspace: Workspace, stored: StoredDatabase, few: list[U64], many: list[U64]) -> Iterator[Figure]:
    pages = _Pages(workspace, stored)
    least = max(forget(stored.path), forget(pages.path))
    if least > COLD:
        yield Figure("cold: not measured, the system keeps this of the file in memory", least, "")
        return
    for what, queries in (("100", few), ("1,000", many)):
        elapsed, limit = [], []
        for hashes in queries[: workspace.rounds(40)]:
            forget(stored.path)
            with fpdb.open(stored.path, "r") as db:
                db.info()  # what any first question reads
                elapsed.append(1e3 * seconds(partial(_ask, db, hashes)))
            forget(pages.path)
            with pages:
                limit.append(1e3 * seconds(partial(pages.fetch, len(hashes))))
        yield median(f"{what} hashes, cold", elapsed, "ms")
        yield median(f"{what} pages fetched, cold", limit, "ms")
        yield median(f"{what} hashes, cold, in such fetches", ratios(elapsed, limit), "")


class _Pages:
    """A plain LMDB file with as many pages as a database has blocks, under the same keys."""

    def __init__(self, workspace: Workspace, stored: StoredDatabase) -> None:
        self.path = workspace.folder / f"pages-{stored.path.stem}.lmdb"
        self.count = max(stored.postings // POSTINGS_A_PAGE, 1)
        self._open: Callable[[], lmdb.Environment] = partial(workspace.plain_lmdb, self.path.stem)
        self._rng = np.random.default_rng(7)
        if not self.path.exists():
            with self._open() as env, env.begin(write=True) as txn:
                for key in range(self.count):
                    txn.put(key.to_bytes(8, "big"), bytes(PAGE_VALUE), append=True)

    def __enter__(self) -> "_Pages":
        self._env = self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._env.close()

    def fetch(self, count: int) -> int:
        """Read `count` random pages, in order."""
        keys = [int(key).to_bytes(8, "big") for key in np.sort(self._rng.integers(0, self.count, count))]
        with self._env.begin(buffers=True) as txn:
            return sum(value[0] for _, value in txn.cursor().getmulti(keys))


def _queries(stored: StoredDatabase, query_size: int, count: int) -> list[U64]:
    """Return `count` queries of `asked` hashes of a database of random documents."""
    rng = np.random.default_rng(6)
    others = (query_size - OWN) // 2 // PART
    new = query_size - OWN - others * PART
    queries = []
    for _ in range(count):
        own, *rest = rng.choice(len(stored.sample), 1 + others, replace=1 + others > len(stored.sample))
        parts = [stored.sample[own, :OWN], *(stored.sample[other, -PART:] for other in rest)]
        queries.append(np.concatenate([*parts, rng.integers(0, 2**64, new, np.uint64)]))
    return queries


def _ask(db: fpdb.Database, hashes: U64, max_df: int | None = None) -> None:
    assert db.query_fingerprints(hashes, max_df=max_df).matches[0].shared >= OWN


def _in_turns(count: int, works: Mapping[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """Return the milliseconds of each work for each row, after a first round that does not count."""
    elapsed: dict[str, list[float]] = {name: [] for name in works}
    for counts in (False, True):
        for row in range(count):
            for name, work in works.items():
                milliseconds = 1e3 * seconds(partial(work, row))
                if counts:
                    elapsed[name].append(milliseconds)
    return elapsed


def common(workspace: Workspace) -> Iterator[Figure]:
    """Query the families corpus for a document's own 105 hashes, the ten best; every document holds five of them.

    By containment, and by each other measure that needs no scan, in turns; counted: with the number of all matches.
    Target: 1 ms full, 0.5 ms with those capped at 100 documents; each measure at most 3 times the time with a cap.
    Limit: as for the workload query, 105 pages.
    """
    stored = workspace.stored("families")
    queries = stored.sample[: workspace.size(200)]  # each is the first of its family
    with fpdb.open(stored.path, "r") as db, _Pages(workspace, stored) as pages:
        _answers_right(db, queries[0])
        elapsed = _in_turns(
            len(queries),
            {
                "full": lambda row: db.query_fingerprints(queries[row], top=10),
                "capped": lambda row: db.query_fingerprints(queries[row], top=10, max_df=CAP),
                "counted": lambda row: db.query_fingerprints(queries[row], top=10, with_total=True),
                "pages": lambda _: pages.fetch(queries.shape[1]),
            }
            | {by: partial(_ask_by, db, queries, by) for by in BY},
        )
    yield median("full", elapsed["full"], "ms", target=1)
    yield Figure("full, 99th percentile", percentile(elapsed["full"], 99), "ms")
    yield median("capped", elapsed["capped"], "ms", target=0.5)
    yield median("105 pages fetched", elapsed["pages"], "ms")
    yield median("full, in such fetches", ratios(elapsed["full"], elapsed["pages"]), "")
    yield median("capped, in such fetches", ratios(elapsed["capped"], elapsed["pages"]), "")
    yield median("counted", elapsed["counted"], "ms")
    for by in BY:
        words = by.replace("_", " ")
        yield median(words, elapsed[by], "ms")
        yield median(f"{words}, in the time capped", ratios(elapsed[by], elapsed["capped"]), "", target=3)


def _ask_by(db: fpdb.Database, queries: U64, by: Measure, row: int) -> None:
    db.query_fingerprints(queries[row], by=by, top=10)


def _answers_right(db: fpdb.Database, head: U64) -> None:
    """Assert that the family of its first document ranks first."""
    shared = [match.shared for match in db.query_fingerprints(head, top=FAMILY).matches]
    assert shared == [kept_by(member) + COMMON for member in range(FAMILY)]
    if len(db) >= CAP:
        assert db.query_fingerprints(head, max_df=CAP, top=1).query.ignored_common == COMMON


def open_(workspace: Workspace) -> Iterator[Figure]:
    """Open the database to read, ask for its info, and close it: compacted, and after 1,000 commits.

    Target: none of its own; cli-query has one. Limit: opening a plain LMDB file of as many pages, reading a
    value and closing it. Cold: the file dropped from memory before.
    """
    stored, grown = workspace.stored(), workspace.grown()
    pages = _Pages(workspace, stored)

    def fetch() -> None:
        with pages:
            pages.fetch(1)

    elapsed, busy, limit = in_turns(
        workspace.rounds(200), partial(_open, stored.path), partial(_open, grown.stored.path), fetch
    )
    yield median("compacted", [1e3 * value for value in elapsed], "ms")
    yield median("after 1,000 commits", [1e3 * value for value in busy], "ms")
    yield median("plain LMDB", [1e3 * value for value in limit], "ms")
    yield median("in such openings", ratios(elapsed, limit), "")
    if forget(stored.path) <= COLD:
        cold = []
        for _ in range(workspace.rounds(20)):
            forget(stored.path)
            cold.append(1e3 * seconds(partial(_open, stored.path)))
        yield median("compacted, cold", cold, "ms")
        yield Figure(
            "memory that it takes up of the file", cached(stored.path) * stored.path.stat().st_size / 1e6, "MB"
        )


def _open(path: Path) -> None:
    with fpdb.open(path, "r") as db:
        assert db.info()["postings"]


def cli_query(workspace: Workspace) -> Iterator[Figure]:
    """Run `fpdb query` of a 4 KB file in a new process, from start to exit.

    Target: 0.15 s. Limit: a Python that imports numpy and lmdb and does nothing.
    """
    path = workspace.copy(workspace.stored(), "cli-query.fpdb")
    (workspace.folder / "essay.txt").write_text(essay())
    with fpdb.open(path) as db:
        db.add("essay", essay())

    def ask() -> None:
        assert "essay" in run(
            sys.executable, "-m", "fpdb", "--db", str(path), "query", "essay.txt", cwd=workspace.folder
        )

    def start() -> None:
        run(sys.executable, "-c", "import numpy, lmdb", cwd=workspace.folder)

    elapsed, limit = in_turns(workspace.rounds(20), ask, start)
    yield median("median", elapsed, "s", target=0.15)
    yield median("Python, numpy and lmdb alone", limit, "s")
    yield median("in such starts", ratios(elapsed, limit), "")
