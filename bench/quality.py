"""Measure how well each measure of pairs tells copies from other documents, on up to three labelled sets.

- ConPlag (Slobodkin and Sadovnikov): submissions to programming contests in Java. FOLDER/PROBLEM/*.java are the files,
  FOLDER/pairs.tsv has the columns problem, a, b and copied (1 or 0).
- IR-Plag (see `bench.irplag`, which asks queries, and tells levels apart): each original with the programs of its task,
  and all pairs of the set, where an original and its copies are copies of each other.
- The short answers of Clough and Stevenson: FOLDER/*.txt are the texts, FOLDER/pairs.tsv has the columns answer, source
  and copied.

Only labelled pairs count; those that share no hash score 0. AP is the average precision of the pairs by falling score,
F1 the best of all thresholds, AUC the probability that a copied pair scores higher than another one. Ties are one step
of AP and F1, and count half in AUC. Figures are means and standard deviations over hash keys. For programs there is a
line of copydetect, the peer that compares files of one's own choice in this environment (`pip install fpdb[peers]`),
which has no key.

    python -m bench.quality --conplag conplag --irplag IR-Plag-Dataset.zip --answers short-answers
"""

import argparse
import csv
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from bench import irplag
from bench.evaluation import INDEPENDENT, auc, average_precision, best_f1, temporary_database
from bench.peers.program_pairs import scores_of_copydetect
from fpdb import Recipe

MEASURES = (
    *("similarity", "mean_containment", "containment", "weighted_containment"),
    *("resemblance", "weighted_resemblance"),
)
"""The measures of `PairOptions` that are shares of hashes."""

STATISTICS = {"AP": average_precision, "F1": best_f1, "AUC": auc}
Figures = dict[str, dict[str, float]]


class LabelledSet(NamedTuple):
    """Documents that are compared within each database, and labelled pairs of them.

    preset: the name of the recipe.
    databases: the documents of each database, by name.
    copied: True for each pair of which one document was copied from the other, False for the other pairs.
    """

    title: str
    preset: str
    databases: Sequence[Mapping[str, bytes]]
    copied: Mapping[frozenset[str], bool]


def read_conplag(folder: Path) -> list[LabelledSet]:
    """Return the set twice: all files in one database, and a database for each problem."""
    copied = {
        frozenset(f"{row['problem']}/{row[side]}" for side in "ab"): row["copied"] == "1" for row in _rows(folder)
    }
    problems = [
        {f"{problem.name}/{file.name}": file.read_bytes() for file in sorted(problem.iterdir())}
        for problem in sorted(folder.iterdir())
        if problem.is_dir()
    ]
    together = {name: content for problem in problems for name, content in problem.items()}
    return [
        LabelledSet("ConPlag, one database", "code", [together], copied),
        LabelledSet("ConPlag, a database for each problem", "code", problems, copied),
    ]


def read_irplag(path: Path) -> list[LabelledSet]:
    """Return all programs in one database twice: pairs with an original of one task, and all pairs."""
    programs, comparisons = irplag.read(str(path))
    copied = {frozenset((query, other)): label != INDEPENDENT for query, other, label in comparisons}
    originals = {name: query for query, other, label in comparisons if label != INDEPENDENT for name in (query, other)}
    all_pairs = {
        frozenset((a, b)): a in originals and originals[a] == originals.get(b) for a, b in combinations(programs, 2)
    }
    return [
        LabelledSet("IR-Plag, pairs with an original", "code", [programs], copied),
        LabelledSet("IR-Plag, all pairs", "code", [programs], all_pairs),
    ]


def read_answers(folder: Path) -> list[LabelledSet]:
    """Return the set twice: with the preset `text`, and with `answers`."""
    texts = {file.name: file.read_bytes() for file in sorted(folder.glob("*.txt"))}
    copied = {frozenset((row["answer"], row["source"])): row["copied"] == "1" for row in _rows(folder)}
    return [LabelledSet(f"Short answers, preset `{preset}`", preset, [texts], copied) for preset in ("text", "answers")]


def _rows(folder: Path) -> list[dict[str, str]]:
    with Path(folder, "pairs.tsv").open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def judge(labelled: LabelledSet, recipe: Recipe) -> Figures:
    """Return each statistic of each measure."""
    scores: dict[str, dict[frozenset[str], float]] = {measure: {} for measure in MEASURES}
    for documents in labelled.databases:
        kind = "code" if labelled.preset == "code" else "text"
        with temporary_database(documents, recipe, kind) as db:
            for pair in db.pairs(by="similarity", texts=lambda document, contents=documents: contents[document.name]):
                for measure in MEASURES:
                    scores[measure][frozenset((pair.a, pair.b))] = pair.score(measure)
    return {measure: evaluate(labelled, by_pair) for measure, by_pair in scores.items()}


def judge_peers(labelled: LabelledSet) -> Figures:
    """Return each statistic of the peers that are installed, if the documents are programs."""
    if labelled.preset != "code" or find_spec("copydetect") is None:
        return {}
    scores: dict[frozenset[str], float] = {}
    for programs in labelled.databases:
        scores |= scores_of_copydetect(programs, labelled.copied)
    return {"copydetect": evaluate(labelled, scores)}


def evaluate(labelled: LabelledSet, scores: Mapping[frozenset[str], float]) -> dict[str, float]:
    """Return each statistic of the scores of pairs; those that have none score 0."""
    copies, others = (
        [scores.get(pair, 0.0) for pair, label in labelled.copied.items() if label == wanted]
        for wanted in (True, False)
    )
    return {name: statistic(copies, others) for name, statistic in STATISTICS.items()}


def table(rounds: Sequence[Figures], peers: Figures) -> Iterator[str]:
    """Yield the lines of a table in Markdown: mean and deviation over rounds of each measure, then each peer."""
    yield f"| measure | {' | '.join(STATISTICS)} |"
    yield "|---" * (1 + len(STATISTICS)) + "|"
    for measure in MEASURES:
        values = [[figures[measure][name] for figures in rounds] for name in STATISTICS]
        cells = [f"{statistics.mean(value):.3f} ± {statistics.pstdev(value):.3f}" for value in values]
        yield f"| {measure} | {' | '.join(cells)} |"
    for name, figures in peers.items():
        yield f"| {name} | {' | '.join(f'{figures[statistic]:.3f}' for statistic in STATISTICS)} |"


def report(sets: Iterable[LabelledSet], keys: int, k: int | None = None, w: int | None = None) -> Iterator[str]:
    """Yield the lines of a heading and a table for each set, with the hash keys 1 to `keys`."""
    for labelled in sets:
        recipe = Recipe.preset(labelled.preset).with_(k=k, w=w)
        pairs = len(labelled.copied)
        yield f"**{labelled.title}** ({pairs} pairs, {sum(labelled.copied.values())} copied)\n"
        rounds = [judge(labelled, recipe.with_(key=key)) for key in range(1, keys + 1)]
        yield from table(rounds, judge_peers(labelled))
        yield ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conplag", type=Path, metavar="FOLDER", help="ConPlag's problems and pairs.tsv")
    parser.add_argument("--irplag", type=Path, metavar="ZIP", help="IR-Plag-Dataset.zip")
    parser.add_argument("--answers", type=Path, metavar="FOLDER", help="the short answers and pairs.tsv")
    parser.add_argument("--keys", type=int, default=5, help="over how many hash keys a mean is taken (default: 5)")
    parser.add_argument("-k", type=int, help="symbols in a k-gram, instead of the preset's")
    parser.add_argument("-w", type=int, help="the window, instead of the preset's")
    options = parser.parse_args()
    if options.keys < 1:
        parser.error("--keys must be at least 1")
    sources = ((options.conplag, read_conplag), (options.irplag, read_irplag), (options.answers, read_answers))
    sets = [labelled for path, read in sources if path is not None for labelled in read(path)]
    if not sets:
        parser.error("give a set: --conplag, --irplag or --answers")
    for line in report(sets, options.keys, options.k, options.w):
        print(line, flush=True)


if __name__ == "__main__":
    main()
