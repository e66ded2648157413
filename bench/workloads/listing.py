"""The workload of commands that write something of each document."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial

import fpdb
from bench.corpora import COMMON, name_of
from bench.measuring import Figure, median, program_cost, seconds
from bench.workspace import Workspace

COMMANDS: Mapping[str, tuple[float | None, tuple[str, ...]]] = {
    "list": (5, ("list",)),
    "list --format csv": (None, ("list", "--format", "csv")),
    "list --format json": (None, ("list", "--format", "json")),
    "list --names": (1, ("list", "--names")),
    "list --glob '*42', 1%": (None, ("list", "--glob", "*42")),
    "export": (None, ("export",)),
    "pairs --names, 1%": (None, ("pairs", "--min-shared", str(2 * COMMON), "--format", "json", "--names")),
}
"""By name: the most seconds for a million documents, if there is a target, and the arguments."""


def listing(workspace: Workspace) -> Iterator[Figure]:
    """Run commands that write something of each document of the compacted families: processor time, from start to exit.

    Memory is the process's own, without pages of the mapped file.

    Target: of a million documents, `list` 5 s, its names 1 s. Limit: reading the names alone, in order.
    """
    stored = workspace.stored("families")
    with fpdb.open(stored.path, "r") as db:
        limit = seconds(partial(_read_names, db, workspace.documents))
    digits = len(str(workspace.documents - 1))
    pattern = f"{name_of(0)[:-digits]}{'42'[:digits]}*"
    for name, (target, arguments) in COMMANDS.items():
        pairs = (pattern,) if arguments[-1] == "--names" and arguments[0] == "pairs" else ()
        command = (sys.executable, "-m", "fpdb", "--db", str(stored.path), *arguments, *pairs)
        costs = [program_cost(*command, cwd=workspace.folder) for _ in range(workspace.rounds(3))]
        yield median(name, [cost.processor for cost in costs], "s", target=target)
        yield Figure(f"{name}, memory", max(cost.memory for cost in costs) / 1e6, "MB")
    yield Figure("the names alone, read in order", limit, "s")


def _read_names(db: fpdb.Database, documents: int) -> None:
    with db.snapshot() as snapshot:
        assert sum(1 for _ in snapshot.catalogue.names_after()) == documents
