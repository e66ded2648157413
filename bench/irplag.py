"""How well copies of programs are told from independent ones: the IR-Plag dataset.

Karnalim, Budi, Toba, Joy, "Source code plagiarism detection in academia with information retrieval: dataset and the
observation" (Informatics in Education, 2019): seven tasks in Java, of each an original, copies of it at levels L1
(comments, layout) to L6 (logic), and independent solutions. Each is compared with its task's original.

Scores: containment is that of the pair's smaller one in the larger, as of a pair without a direction. Weighted: each
hash counts log(N / df), over all N programs. AUC: how often a copy scores higher than an independent one, ties half.
The preset's k and w rest on another ground (see `fingerprint.recipe`), but were settled when these figures were known.
The programs are short, about a hundred tokens, so that it matters which k-grams are selected: --keys says how much.

    python -m bench.irplag --data IR-Plag-Dataset.zip
"""

from __future__ import annotations

import argparse
import math
import statistics
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fpdb import Recipe

ORIGINAL, INDEPENDENT = "original", "independent"
LEVELS = ("L1", "L2", "L3", "L4", "L5", "L6")


class Program(NamedTuple):
    """A program: its task, what it is to the original, and its hashes."""

    task: str
    relation: str
    hashes: frozenset[int]


def read(path: str, recipe: Recipe) -> Iterator[Program]:
    """All programs of the archive."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".java"):
                continue
            _, task, sort, *rest = name.split("/")
            relation = {"original": ORIGINAL, "non-plagiarized": INDEPENDENT}.get(sort, rest[0])
            found = recipe.fingerprint(archive.read(name), "code", name=name)
            yield Program(task, relation, frozenset(found.hashes.tolist()))


def score(one: Program, two: Program, weigh: Callable[[frozenset[int]], float], measure: str) -> float:
    """Containment or resemblance of two programs; 0 where one of them is too short to have a fingerprint."""
    shared, first, second = weigh(one.hashes & two.hashes), weigh(one.hashes), weigh(two.hashes)
    whole = min(first, second) if measure == "containment" else first + second - shared
    return shared / whole if whole else 0.0


def auc(copies: list[float], others: list[float]) -> float:
    """The chance that a copy scores higher than another; ties count half."""
    ordered = np.sort(others)
    below, behind = (np.searchsorted(ordered, copies, side=side) for side in ("left", "right"))
    return float(np.mean(below + behind)) / 2 / len(ordered)


def compare(programs: list[Program], weigh: Callable[[frozenset[int]], float], measure: str) -> list[float]:
    """A row of the table: AUC, and the mean score of each level and of the independent programs."""
    originals = {program.task: program for program in programs if program.relation == ORIGINAL}
    scores: dict[str, list[float]] = defaultdict(list)
    for program in programs:
        if program.relation != ORIGINAL:
            scores[program.relation].append(score(program, originals[program.task], weigh, measure))
    copies = [value for level in LEVELS for value in scores[level]]
    return [auc(copies, scores[INDEPENDENT]), *(statistics.mean(scores[one]) for one in (*LEVELS, INDEPENDENT))]


def measure_all(programs: list[Program]) -> dict[str, list[float]]:
    """The rows, by measure."""
    frequencies = Counter(one for program in programs for one in program.hashes)
    weights = {one: math.log(len(programs) / df) for one, df in frequencies.items()}
    weighings: dict[str, Callable[[frozenset[int]], float]] = {
        "": len,
        "weighted ": lambda hashes: sum(weights[one] for one in hashes),
    }
    return {
        name + measure: compare(programs, weigh, measure)
        for measure in ("containment", "resemblance")
        for name, weigh in weighings.items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the dataset's archive: IR-Plag-Dataset.zip")
    parser.add_argument("-k", type=int, help="tokens in a k-gram, instead of the preset's")
    parser.add_argument("-w", type=int, help="the window, instead of the preset's")
    parser.add_argument(
        "--keys", type=int, default=0, help="the mean over so many other hash keys, not the preset's key"
    )
    options = parser.parse_args()
    recipe = Recipe.preset("code").with_(k=options.k, w=options.w)
    keys = list(range(1, options.keys + 1)) or [recipe.key]
    rounds = [measure_all(list(read(options.data, recipe.with_(key=key)))) for key in keys]
    rule = recipe.rules["tokens"]
    print(f"k={rule.k}, w={rule.parameters['w']}; hash keys: {options.keys or 'that of the preset'}")
    print(f"{'measure':24}{'AUC':>7}{'+-':>7}" + "".join(f"{head:>7}" for head in (*LEVELS, "indep.")))
    for name in rounds[0]:
        spread = statistics.pstdev(one[name][0] for one in rounds)
        means = [statistics.mean(column) for column in zip(*(one[name] for one in rounds), strict=True)]
        print(f"{name:24}{means[0]:7.3f}{spread:7.3f}" + "".join(f"{mean:7.2f}" for mean in means[1:]))


if __name__ == "__main__":
    main()
