"""Print the figures of one run as a table, and write them as JSON and Markdown, with a description of the machine."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import lmdb
import numpy as np

from bench.measuring import Figure

HEADINGS = ("workload", "figure", "value", "unit", "target", "verdict")
WIDTHS = (15, 56, 9, 6, 9)
VERDICTS = {None: "", True: "met", False: "missed"}


def line(*cells: str) -> str:
    """Return a line of the printed table, with numbers aligned right."""
    name, what, value, unit, target, verdict = cells
    padded = (name.ljust(WIDTHS[0]), what.ljust(WIDTHS[1]), value.rjust(WIDTHS[2]), unit.ljust(WIDTHS[3]))
    return "  ".join((*padded, target.ljust(WIDTHS[4]), verdict)).rstrip()


def cells(name: str, figure: Figure) -> tuple[str, ...]:
    """Return a figure as a row: workload, figure, value, unit, target, verdict."""
    sign = "≥" if figure.better == "more" else "≤"
    target = "" if figure.target is None else f"{sign} {figure.target:g}"
    return name, figure.what, number_text(figure.value), figure.unit, target, VERDICTS[figure.met]


def number_text(value: float) -> str:
    """Format a number with three significant digits and without an exponent."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


@dataclass
class Report:
    """The figures of one run, in the order in which they were measured.

    size: postings, as given on the command line. name: of the program, if it is not the benchmark itself.
    """

    size: int
    quick: bool
    name: str = ""
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    machine: Mapping[str, Any] = field(default_factory=lambda: machine())
    figures: list[tuple[str, Figure]] = field(default_factory=list)

    def add(self, name: str, figure: Figure) -> str:
        """Add a workload's figure and return its line."""
        self.figures.append((name, figure))
        return line(*cells(name, figure))

    def machine_text(self) -> str:
        """Return the description of the machine in a line."""
        return ", ".join(f"{name} {value}" for name, value in self.machine.items())

    def write(self, folder: Path) -> list[Path]:
        """Write DATE.json and DATE.md and return their paths. The name includes the time of day, in UTC."""
        folder.mkdir(parents=True, exist_ok=True)
        labels = (self.begun.strftime("%Y-%m-%d-%H%M%S"), self.name, "quick" if self.quick else "")
        stem = "-".join(filter(None, labels))
        paths = [folder / f"{stem}.json", folder / f"{stem}.md"]
        paths[0].write_text(json.dumps(self._record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        paths[1].write_text(self._markdown(), encoding="utf-8")
        return paths

    def _record(self) -> dict[str, Any]:
        return {
            "begun": self.begun.isoformat(timespec="seconds"),
            "name": self.name,
            "quick": self.quick,
            "size": self.size,
            "machine": dict(self.machine),
            "figures": [_figure(name, figure) for name, figure in self.figures],
        }

    def _markdown(self) -> str:
        rows = [HEADINGS, ("---",) * len(HEADINGS), *(cells(name, figure) for name, figure in self.figures)]
        title = f"# {self.begun:%Y-%m-%d %H:%M} UTC" + (" (quick: no figures to quote)" if self.quick else "")
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return f"{title}\n\n{self.machine_text()}\n\nsize: {self.size:,} postings\n\n{table}\n"


def _figure(name: str, figure: Figure) -> dict[str, Any]:
    rounds = figure.rounds
    return {
        "workload": name,
        "figure": figure.what,
        "value": _rounded(figure.value),
        "unit": figure.unit,
        "target": figure.target,
        "better": figure.better if figure.target is not None else None,
        "met": figure.met,
        "rounds": len(rounds) or None,
        "least": _rounded(min(rounds)) if rounds else None,
        "most": _rounded(max(rounds)) if rounds else None,
    }


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def machine() -> dict[str, Any]:
    """Describe the machine and the software to a reader of the figures, without names and paths."""
    return {
        "CPU": _cpu(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "lmdb": lmdb.__version__,
        "fpdb": _fpdb(),
    }


def _cpu() -> str:
    try:
        for row in Path("/proc/cpuinfo").read_text().splitlines():
            if row.startswith("model name"):
                return row.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _fpdb() -> str:
    try:
        release = version("fpdb")
    except PackageNotFoundError:
        release = "from source"
    git = shutil.which("git")
    if git is None:
        return release
    command = [git, "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{release} {done.stdout.strip()}".strip()
