#!/usr/bin/env python3
"""Runs named workloads, prints each figure beside its target, and keeps them in bench/results/.

Run from a checkout where fpdb can be imported: `python -m bench`, or this file. Speeds depend on the machine and on
what else it does: ratios, whose two sides are measured in turns, are what to compare between machines.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for this file run by its path

from bench.measuring import Figure
from bench.report import HEADINGS, Report, line
from bench.room import Room
from bench.workloads.fingerprinting import BUILD, kernel
from bench.workloads.loading import add_one, add_python, ingest, keep_text
from bench.workloads.programs import code_pairs
from bench.workloads.querying import cli_query, query
from bench.workloads.storing import storage

Workload = Callable[[Room], Iterator[Figure]]

MENU: Mapping[str, Workload] = {
    "kernel": kernel,
    "add-python": add_python,
    "keep-text": keep_text,
    "code-pairs": code_pairs,
    "ingest": ingest,
    "storage": storage,
    "query": query,
    "add-one": add_one,
    "cli-query": cli_query,
}

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"


def main() -> None:
    """Parses, runs, prints, writes. Exit status 1 where a workload failed; a missed target is no failure."""
    options = _parse()
    report = Report(quick=options.quick)
    print(report.machine_text(), end="\n\n")
    print(line(*HEADINGS))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=BUILD) as folder:
        # New processes find compiled modules, as an installed fpdb's do; the round that does not count compiles them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        room = Room(Path(folder), options.quick)
        for name in options.workloads or MENU:
            for figure in MENU[name](room):
                print(report.add(name, figure), flush=True)
    results = options.results or (None if options.quick else RESULTS)
    if results is not None:
        print("\nwritten:", *(path.name for path in report.write(results)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=cleandoc(__doc__ or ""),
        epilog=menu_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help="what to run, see the menu below; everything by default"
    )
    parser.add_argument("--quick", action="store_true", help="sizes of a twentieth: shows that it works, not how fast")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="where the dated JSON and Markdown go (default: bench/results; nowhere with --quick)",
    )
    options = parser.parse_args()
    for name in options.workloads:
        if name not in MENU:
            parser.error(f"there is no workload {name!r}; choose from {', '.join(MENU)}")
    return options


def menu_text() -> str:
    """Every workload: what it measures, its target, its limit."""
    parts = ["workloads:"]
    for name, workload in MENU.items():
        text = cleandoc(workload.__doc__ or "").replace("\n\n", "\n").replace("\n", "\n      ")
        parts.append(f"  {name}\n      {text}")
    return "\n".join(parts)


if __name__ == "__main__":
    main()
