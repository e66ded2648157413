#!/usr/bin/env python3
"""Write the tables and plots of docs/design/performance.md from the runs in bench/results/; needs matplotlib.

For each workload and size, the latest run counts that was not quick and whose size is a power of ten; for each figure
of other engines, the latest one. Text outside the markers is written by hand.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from pathlib import Path
from typing import Any

from bench.papers import page
from bench.report import number_text
from bench.run import MENU, RESULTS

PAGE = page.DOCS / "performance.md"
NOTHING = "–"
DRAWN = "growth.svg"

Measured = dict[str, dict[str, dict[int, Mapping[str, Any]]]]
"""By workload, figure and size: a figure of a run."""

PLOTS: Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]] = {
    "loading": (
        "M postings/s",
        {
            "batches of 3 million": ("ingest-postings", "speed"),
            "commits of 100,000": ("many-commits", "speed"),
            "np.sort and a write": ("ingest-postings", "np.sort and a sequential write"),
        },
    ),
    "a query, warm": (
        "ms",
        {
            "1,000 hashes": ("query", "1,000 hashes"),
            "after 1,000 commits": ("query", "1,000 hashes, after 1,000 commits"),
            "1,000 pages fetched": ("query", "1,000 pages fetched"),
            "100 hashes": ("query", "100 hashes"),
            "100 smallest of 1,000": ("query", "the 100 smallest of 1,000"),
        },
    ),
    "one document added": (
        "ms",
        {
            "median": ("add-one", "median"),
            "mean": ("add-one", "mean"),
            "99th percentile": ("add-one", "99th percentile"),
            "LMDB commit": ("add-one", "LMDB commit of 4072 bytes"),
        },
    ),
    "bytes a posting": (
        "bytes",
        {
            "random": ("storage", "random"),
            "random, entropy": ("storage", "random, entropy"),
            "families": ("storage", "families"),
            "families, entropy": ("storage", "families, entropy"),
        },
    ),
}


@dataclass
class Runs:
    """The latest figures of the benchmark and of comparisons, and the machines that measured them."""

    figures: Measured = field(default_factory=dict)
    peers: Measured = field(default_factory=dict)
    machines: dict[str, str] = field(default_factory=dict)

    @property
    def peer_sizes(self) -> list[int]:
        """Return the sizes of all comparisons, in order."""
        return sorted({size for figures in self.peers.values() for sizes in figures.values() for size in sizes})

    @property
    def sizes(self) -> list[int]:
        """Return all sizes that were run, in order."""
        return sorted({size for figures in self.figures.values() for sizes in figures.values() for size in sizes})


def read(folder: Path) -> Runs:
    """Read all runs, later ones over earlier ones; skip quick runs, and sizes that are no power of ten."""
    runs = Runs()
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["quick"] or str(record.get("size", "")).strip("0") != "1":
            continue
        into = runs.peers if record["name"] == "compare" else runs.figures
        for workload in {figure["workload"] for figure in record["figures"]} if into is runs.figures else ():
            for by_size in into.get(workload, {}).values():
                by_size.pop(record["size"], None)  # a figure may have gone, or changed its name
        for figure in record["figures"]:
            into.setdefault(figure["workload"], {}).setdefault(figure["figure"], {})[record["size"]] = {
                **figure,
                "run": path.stem,
            }
        runs.machines[path.stem] = ", ".join(f"{name} {value}" for name, value in record["machine"].items())
    for workload, figures in runs.figures.items():
        runs.figures[workload] = {name: by_size for name, by_size in figures.items() if by_size}
    used = {figure["run"] for measured in (runs.figures, runs.peers) for figure in _each(measured)}
    runs.machines = {stem: machine for stem, machine in runs.machines.items() if stem in used}
    return runs


def _each(measured: Measured) -> Iterator[Mapping[str, Any]]:
    for figures in measured.values():
        for by_size in figures.values():
            yield from by_size.values()


def tables(runs: Runs) -> str:
    """Return a table for each workload: its figures by size, and whether the largest size meets the target."""
    if not runs.figures:
        return "No runs yet: `python -m bench`."
    sizes = runs.sizes
    parts = []
    for name in MENU:
        if name not in runs.figures:
            continue
        heads = [name, "unit", *(f"{size:.0e}".replace("+0", "") for size in sizes), "target", "verdict"]
        parts += [page.table(heads, _rows(runs.figures[name], sizes))]
    return "\n".join(parts)


def _rows(figures: Mapping[str, Mapping[int, Mapping[str, Any]]], sizes: Sequence[int]) -> Iterator[list[str]]:
    for what, by_size in figures.items():
        last = by_size[max(by_size)]
        sign = "≥" if last["better"] == "more" else "≤"
        target = "" if last["target"] is None else f"{sign} {last['target']:g}"
        verdict = {None: "", True: "met", False: "missed"}[last["met"]]
        values = [number_text(by_size[size]["value"]) if size in by_size else NOTHING for size in sizes]
        yield [what, last["unit"], *values, target, verdict]


def peers(runs: Runs) -> str:
    """Return a table for each work: a row for each engine, with its latest figures at the largest size.

    Of columns there is a table for each size.
    """
    if not runs.peers:
        return "No runs yet: `python -m bench.compare`."
    parts = [_peer_table(runs.peers, work, None) for work in ("families", "random", "long")]
    parts += [_peer_table(runs.peers, "columns", size) for size in runs.peer_sizes]
    parts += [_peer_table(runs.peers, work, None) for work in ("files", "records")]
    return "\n".join(filter(None, parts))


def _peer_table(measured: Measured, work: str, only: int | None) -> str:
    """Return the table of a work, of one size or of the largest; "" if there are no figures."""
    columns: dict[str, str] = {}
    rows: dict[str, dict[str, str]] = {}
    size = 0
    for engine, figures in measured.items():
        for what, by_size in figures.items():
            mine, _, column = what.partition(": ")
            if mine == work and (only is None or only in by_size):
                size = only or max(by_size)
                unit = by_size[size]["unit"]
                columns[column] = column if not unit or unit in column else f"{column}, {unit}"
                rows.setdefault(engine, {})[column] = number_text(by_size[size]["value"])
    about = f"{work}: {size:,} postings" if work in ("random", "long", "columns") else work
    return page.table([about, *columns.values()], _peer_rows(rows, columns)) if rows else ""


def _peer_rows(rows: Mapping[str, Mapping[str, str]], columns: Iterable[str]) -> Iterator[list[str]]:
    for engine, values in rows.items():
        yield [engine, *(values.get(column, NOTHING) for column in columns)]


def draw(runs: Runs, path: Path) -> bool:
    """Draw growth with size, a panel for each of PLOTS. Return False without drawing if there is only one size."""
    if len(runs.sizes) < 2:
        return False
    import matplotlib
    from matplotlib.figure import Figure as Chart

    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "fpdb", "font.size": 8}
    chart = Chart(figsize=(8, 6), layout="constrained")
    for axes, (title, (unit, lines)) in zip(chart.subplots(2, 2).flat, PLOTS.items(), strict=True):
        axes.set(title=title, xscale="log", xlabel="postings", ylabel=unit)
        for label, (workload, figure) in lines.items():
            by_size = runs.figures.get(workload, {}).get(figure, {})
            sizes = sorted(by_size)
            style = "--" if any(word in label for word in ("entropy", "LMDB", "pages", "np.sort")) else "-"
            axes.plot(sizes, [by_size[size]["value"] for size in sizes], style, marker=".", label=label)
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, linewidth=0.3)
        axes.legend(fontsize=7)
    path.parent.mkdir(exist_ok=True)
    chart.savefig(path, metadata={"Date": None})
    return True


def prune(folder: Path, pages: Iterable[Path]) -> list[Path]:
    """Delete the runs in the folder that none of the pages names, and return their paths."""
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    unnamed = [path for path in sorted(folder.iterdir()) if path.stem not in text]
    for path in unnamed:
        path.unlink()
    return unnamed


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.performance", description=cleandoc(__doc__ or ""))
    parser.add_argument(
        "--results", type=Path, default=RESULTS, metavar="DIR", help="the runs (default: bench/results)"
    )
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/design/performance.md")
    parser.add_argument("--prune", action="store_true", help="then delete the runs that no page of docs/ names")
    options = parser.parse_args()
    runs = read(options.results)
    plot = options.page.with_suffix("") / DRAWN
    growth = f"![How it grows]({plot.parent.name}/{plot.name})" if draw(runs, plot) else ""
    machines = "\n".join(f"- {stem}: {machine}" for stem, machine in runs.machines.items())
    page.write("figures", f"{machines}\n\n{growth}\n\n{tables(runs)}".strip(), options.page)
    page.write("peers", peers(runs), options.page)
    if options.prune:
        for path in prune(options.results, page.DOCS.parent.rglob("*.md")):
            print(f"deleted {path.name}: no page names it")


if __name__ == "__main__":
    main()
