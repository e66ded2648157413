"""Compare HEAD with an earlier commit: run the same workloads in turns, and print the ratios of their figures.

Both versions are built with this interpreter, in folders of their own, and each runs the benchmark of its own commit.
A ratio is that of the medians over all rounds, new over old: less is better of seconds and bytes, more of speeds.

`python -m bench.turns COMMIT [WORKLOAD ...] [--size N] [--rounds N]`
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from bench.report import number_text
from bench.run import ROOT, SIZE, postings

Figures = dict[tuple[str, str, str], list[float]]
"""The values of each figure, round by round, by workload, figure and unit."""


class Ratio(NamedTuple):
    """A figure that both versions have: the medians of its values, and the new one over the old one."""

    workload: str
    figure: str
    unit: str
    old: float
    new: float
    ratio: float


def build(commit: str, folder: Path, stack: ExitStack) -> Path:
    """Check a commit out below the folder and compile it; return where. It is removed when the stack is left.

    Raises subprocess.CalledProcessError if there is no such commit, or it cannot be compiled.
    """
    tree, wheels = folder / "tree", folder / "wheels"
    git = shutil.which("git") or "git"
    subprocess.run([git, "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
    stack.callback(subprocess.run, [git, "-C", ROOT, "worktree", "remove", "--force", tree], check=False)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", wheels, tree], check=True)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, tree], check=True)
    return tree


def measure(tree: Path, workloads: Sequence[str], size: int, results: Path, figures: Figures) -> None:
    """Run the benchmark of a checkout once, and add its figures. Raises subprocess.CalledProcessError."""
    command = [sys.executable, "-m", "bench", *workloads, "--size", str(size), "--results", results]
    subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL)
    (written,) = results.glob("*.json")
    for figure in json.loads(written.read_text())["figures"]:
        key = figure["workload"], figure["figure"], figure["unit"]
        figures.setdefault(key, []).append(figure["value"])


def compare(old: Figures, new: Figures) -> list[Ratio]:
    """Return the ratios of the figures that both have, in the order of the new ones; those that were 0 are left out."""
    found = []
    for key, values in new.items():
        before, after = statistics.median(old.get(key, [0.0])), statistics.median(values)
        if before:
            found.append(Ratio(*key, before, after, after / before))
    return found


def main() -> None:
    """Measure both versions and print a line for each figure."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.turns",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("commit", metavar="COMMIT", help="the earlier version, as git names it")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="as for python -m bench; all by default")
    parser.add_argument("--size", type=postings, default=SIZE, metavar="N", help="as for python -m bench")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds of each version (%(default)s)")
    given = parser.parse_args()
    old: Figures = {}
    new: Figures = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        trees = [build(commit, folder / side, stack) for side, commit in (("old", given.commit), ("new", "HEAD"))]
        for number in range(given.rounds):
            for side, tree, figures in zip(("old", "new"), trees, (old, new), strict=True):
                measure(tree, given.workloads, given.size, folder / f"{side}-{number}", figures)
    for row in compare(old, new):
        values = f"{number_text(row.old):>10} {number_text(row.new):>10} {row.unit:6} {row.ratio:6.3f}"
        print(f"{row.workload:16} {row.figure:56} {values}")


if __name__ == "__main__":
    main()
