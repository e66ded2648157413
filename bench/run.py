#!/usr/bin/env python3
"""Run named workloads, print each figure beside its target, and keep the figures in bench/results/.

Run from a checkout where fpdb can be imported: `python -m bench`, or this file. Speeds depend on the machine and on
its other work. To compare machines, compare the ratios, whose two sides are measured in turns. Targets hold for two
cores, and for 100 million postings where a workload names that size: `--size 1e8`.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for this file run by its path

from bench.measuring import Figure
from bench.report import HEADINGS, Report, line
from bench.workloads.adding import add_python, ingest_text, keep_text
from bench.workloads.changing import add_one, remove, replace
from bench.workloads.comparing import pairs
from bench.workloads.fingerprinting import BUILD, kernel
from bench.workloads.listing import listing
from bench.workloads.loading import ingest_postings, many_commits, merge, one_percent
from bench.workloads.programs import code_pairs
from bench.workloads.querying import cli_query, common, open_, query
from bench.workloads.records import records
from bench.workloads.storage import koala, memory, storage
from bench.workspace import SIZE, Workspace

Workload = Callable[[Workspace], Iterator[Figure]]

MENU: Mapping[str, Workload] = {
    "kernel": kernel,
    "ingest-text": ingest_text,
    "add-python": add_python,
    "keep-text": keep_text,
    "records": records,
    "code-pairs": code_pairs,
    "ingest-postings": ingest_postings,
    "many-commits": many_commits,
    "one-percent": one_percent,
    "merge": merge,
    "storage": storage,
    "memory": memory,
    "list": listing,
    "query": query,
    "common": common,
    "open": open_,
    "cli-query": cli_query,
    "add-one": add_one,
    "remove": remove,
    "replace": replace,
    "pairs": pairs,
    "koala": koala,
}

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
LEAST, MOST = 1e5, 1e9  # postings


def main() -> None:
    """Run the workloads. Exit with status 1 if a workload failed; a missed target is no failure."""
    options = _parse()
    if options.list:
        print(menu_text())
        return
    report = Report(options.size, quick=options.quick)
    print(report.machine_text(), end="\n\n")
    print(line(*HEADINGS))
    with workplace() as folder:
        workspace = Workspace(folder, options.quick, options.size)
        for name in options.workloads or MENU:
            for figure in MENU[name](workspace):
                print(report.add(name, figure), flush=True)
    results = options.results or (None if options.quick else RESULTS)
    if results is not None:
        print("\nwritten:", *(path.name for path in report.write(results)))


@contextmanager
def workplace() -> Iterator[Path]:
    """Make a folder for the time of the run; new processes import this fpdb, compiled as an installed one is."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=BUILD) as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the round that does not count compiles the modules
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        yield Path(folder)


def common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `python -m bench.compare` has, too."""
    parser.add_argument("--quick", action="store_true", help="sizes of a twentieth: shows that it works, not how fast")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="where the dated JSON and Markdown go (default: bench/results; nowhere with --quick)",
    )


def postings(text: str) -> int:
    """Parse a size such as 1e7."""
    number = float(text)
    if not LEAST <= number <= MOST:
        raise argparse.ArgumentTypeError(f"a size from {LEAST:g} to {MOST:g}, not {text}")
    return int(number)


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
    parser.add_argument(
        "--size",
        type=postings,
        default=SIZE,
        metavar="N",
        help=f"postings in a database, {LEAST:g} to {MOST:g} (%(default)s)",
    )
    parser.add_argument("--list", action="store_true", help="print the menu and do nothing")
    common_options(parser)
    options = parser.parse_args()
    for name in options.workloads:
        if name not in MENU:
            parser.error(f"there is no workload {name!r}; choose from {', '.join(MENU)}")
    return options


def menu_text() -> str:
    """Describe every workload: what it measures, its target, its limit."""
    parts = ["workloads:"]
    for name, workload in MENU.items():
        text = cleandoc(workload.__doc__ or "").replace("\n\n", "\n").replace("\n", "\n      ")
        parts.append(f"  {name}\n      {text}")
    return "\n".join(parts)


if __name__ == "__main__":
    main()
