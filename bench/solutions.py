"""Measure which scores tell copies of small programs from independent solutions of a task: a development set.

Independent solutions: Python functions of one name, of unrelated packages, 40 to 250 tokens each; such as
`bubble_sort` of ten packages. If two share more than four words in five, one was copied from the other, and is left
out. Copies: each solution disguised at six levels, as by `bench.disguise`. Each function is a query against its own
copies and the other solutions of its task; see `bench.evaluation`.

`bench.irplag` and `bench.quality` judge measures with other people's copies in another language. The packages come from
the Python Package Index, in these versions, and are read, not run.

    python -m bench.solutions --packages FOLDER
"""

import argparse
import ast
import random
import re
import subprocess
import sys
import tarfile
import textwrap
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.disguise import LEVELS, disguise, tokens
from bench.evaluation import INDEPENDENT, LabelledPair, score, table
from fpdb import Recipe

PACKAGES = (
    "ac-library-python==0.1.0",
    "algo==1.3.1",
    "algods==0.2.0",
    "algorithms==1.0.1",
    "basic-algorithms==0.1.2",
    "bubbleSort==0.1.0",
    "cs-algorithms==0.0.9",
    "DSAlgos==0.1",
    "eulerlib==0.2",
    "networkx==3.6.1",
    "numthy==0.2.1",
    "py-algorithms==0.26.1",
    "pydatastructs==1.2.3",
    "pyds==0.2.0",
    "pygorithm==1.0.4",
    "pyprimes==0.1",
    "pysort==1.0.0",
    "pysorting==0.1.0",
    "python-algorithms==0.2.2",
    "sort-algorithms==1.0.2",
    "sort-visualizer==1.0.6",
    "sortify==1.2.1",
    "sorting-algorithms==0.1",
    "sortkit==0.1.2",
    "sortpy==1.1.0",
    "sympy==1.14.0",
)
TASKS = (
    *("addedge", "binarysearch", "bubblesort", "bucketsort", "countingsort", "dequeue", "divisors", "flatten", "gcd"),
    *("gnomesort", "heapsort", "insert", "insertionsort", "interpolationsearch", "isprime", "issorted", "jumpsearch"),
    *("merge", "mergesort", "partition", "push", "quicksort", "search", "selectionsort", "shellsort", "sort", "union"),
)
"""Names of functions, as they are without underscores and capitals, that three packages have at least."""

FEWEST, MOST = 40, 250
LONGEST = 6_000  # characters of a function that is looked at
ALIKE = 0.8  # share of words from which on one of two was copied from the other
WORD = re.compile(r"\w+")


def download(folder: Path) -> None:
    """Download the packages that are missing, as archives. Raise CalledProcessError if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    downloaded = {_named(path) for path in folder.iterdir()}
    for package in PACKAGES:
        if _plain(package.split("==")[0]) not in downloaded:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package]
            subprocess.run(command, check=True)


def solutions(folder: Path) -> dict[str, list[ast.FunctionDef]]:
    """Return the functions that solve each task, without docstrings and decorators: one of each package."""
    found: dict[str, dict[str, ast.FunctionDef]] = defaultdict(dict)
    for path in sorted(folder.iterdir(), key=_named):
        for text in _modules(path):
            for node in ast.walk(_parsed(text)):
                if isinstance(node, ast.FunctionDef) and len(node.body) > 1:
                    task = node.name.lower().replace("_", "")
                    source = ast.get_source_segment(text, node) or ""
                    if task in TASKS and _named(path) not in found[task] and _fits(source):
                        found[task][_named(path)] = _bare(source)
    chosen: dict[str, list[ast.FunctionDef]] = {}
    for task in TASKS:
        unlike: list[ast.FunctionDef] = []
        for node in found[task].values():
            if _fits(ast.unparse(node)) and not any(_alike(node, other) for other in unlike):
                unlike.append(node)
        if len(unlike) > 2:
            chosen[task] = unlike
    return chosen


def make(folder: Path) -> tuple[dict[str, str], list[LabelledPair]]:
    """Return programs by name, and the pairs to compare; the same every time for one version of Python."""
    rng = random.Random(1)
    programs: dict[str, str] = {}
    comparisons = []
    for task, nodes in solutions(folder).items():
        names = [f"{task}/{number}.py" for number in range(len(nodes))]
        for name, node in zip(names, nodes, strict=True):
            programs[name] = ast.unparse(node)
            comparisons += [LabelledPair(name, other, INDEPENDENT) for other in names if other != name]
            for level in LEVELS:
                programs[f"{name}/L{level}.py"] = disguise(node, level, rng)
                comparisons.append(LabelledPair(name, f"{name}/L{level}.py", f"L{level}"))
    return programs, comparisons


def _named(path: Path) -> str:
    return _plain(re.split(r"-\d", path.name)[0])


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _modules(path: Path) -> Iterator[str]:
    """Yield the texts of a package's modules."""
    if path.name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".py"):
                    yield archive.read(name).decode("utf-8", "replace")
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(".py") and (opened := archive.extractfile(member)):
                    yield opened.read().decode("utf-8", "replace")


def _parsed(text: str) -> ast.AST:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of strings with unknown escapes
            return ast.parse(text)
    except (SyntaxError, ValueError):  # of Python 2
        return ast.Module([], [])


def _fits(source: str) -> bool:
    return 0 < len(source) <= LONGEST and FEWEST <= len(tokens(source)) <= MOST


def _bare(source: str) -> ast.FunctionDef:
    (node,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        del node.body[0]
    return node


def _alike(first: ast.FunctionDef, second: ast.FunctionDef) -> bool:
    words, other_words = (set(WORD.findall(ast.unparse(node))) for node in (first, second))
    return len(words & other_words) > ALIKE * len(words | other_words)


def main() -> None:
    """Print a table for each k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, required=True, help="folder that the packages are in, or will be")
    parser.add_argument("--keys", type=int, default=5, help="over how many hash keys a mean is taken")
    options = parser.parse_args()
    download(options.packages)
    programs, comparisons = make(options.packages)
    queries = {pair.query for pair in comparisons}
    independent = sum(pair.label == INDEPENDENT for pair in comparisons)
    tasks = {query.split("/")[0] for query in queries}
    print(f"{len(queries)} solutions of {len(tasks)} tasks, {independent} independent pairs")
    preset = Recipe.preset("code")
    for recipe in (preset, preset.with_(k=10, w=5)):
        rule = recipe.rules["tokens"]
        print(f"\nk={rule.k}, w={rule.parameters['w']}; {options.keys} hash keys")
        rounds = [score(programs, comparisons, recipe.with_(key=key)) for key in range(1, options.keys + 1)]
        print(*table(rounds, [f"L{level}" for level in LEVELS]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
