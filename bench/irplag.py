"""How well copies of programs are told from independent ones: the IR-Plag dataset.

Karnalim, Budi, Toba, Joy, "Source code plagiarism detection in academia with information retrieval: dataset and the
observation" (Informatics in Education, 2019): seven tasks in Java, of each an original, copies of it at levels L1
(comments, layout) to L6 (logic), and independent solutions. Each is compared with its task's original.

Scores: containment is that of the pair's smaller one in the larger, as of a pair without a direction. Weighted: each
hash counts log(N / df), over all N programs. AUC: how often a copy scores higher than an independent one, ties half.

    python -m bench.irplag --data IR-Plag-Dataset.zip
"""

from __future__ import annotations

import argparse
import math
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

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
    wins = sum((copy > other) + (copy == other) / 2 for copy, other in product(copies, others))
    return wins / (len(copies) * len(others))


def compare(programs: list[Program], weigh: Callable[[frozenset[int]], float], measure: str) -> list[str]:
    """A row of the table: AUC, and the mean score of each level and of the independent programs."""
    originals = {program.task: program for program in programs if program.relation == ORIGINAL}
    scores: dict[str, list[float]] = defaultdict(list)
    for program in programs:
        if program.relation != ORIGINAL:
            scores[program.relation].append(score(program, originals[program.task], weigh, measure))
    copies = [value for level in LEVELS for value in scores[level]]
    means = [sum(scores[relation]) / len(scores[relation]) for relation in (*LEVELS, INDEPENDENT)]
    return [f"{auc(copies, scores[INDEPENDENT]):.3f}", *(f"{mean:.2f}" for mean in means)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the dataset's archive: IR-Plag-Dataset.zip")
    parser.add_argument("-k", type=int, help="tokens in a k-gram, instead of the preset's")
    parser.add_argument("-w", type=int, help="the window, instead of the preset's")
    options = parser.parse_args()
    recipe = Recipe.preset("code").with_(k=options.k, w=options.w)
    programs = list(read(options.data, recipe))
    frequencies = Counter(one for program in programs for one in program.hashes)
    weights = {one: math.log(len(programs) / df) for one, df in frequencies.items()}
    rule = recipe.rules["tokens"]
    print(f"{len(programs)} programs; k={rule.k}, w={rule.parameters['w']}")
    print(f"{'measure':24}{'AUC':>7}" + "".join(f"{head:>7}" for head in (*LEVELS, "indep.")))
    for measure in ("containment", "resemblance"):
        for name, weigh in (("", len), ("weighted ", lambda hashes: sum(weights[one] for one in hashes))):
            cells = compare(programs, weigh, measure)
            print(f"{name + measure:24}" + "".join(f"{cell:>7}" for cell in cells))


if __name__ == "__main__":
    main()
