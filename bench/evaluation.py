"""Measure how well `Database.query` tells copies of programs from independent ones, by each measure.

Containment is that of the smaller program in the larger one: the larger of both directions. Weighted measures count
rare hashes more; rare means rare among all programs of the set. Coverage is the share of symbols that lie in regions,
either of the program with the larger share, or of the query. AUC is the probability that a copy scores higher than an
independent program; ties count half. For the measures see `QueryOptions`.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import fpdb
from fpdb import Match, Recipe
from fpdb.arrays import I64

INDEPENDENT = "independent"


class LabelledPair(NamedTuple):
    """Two programs by name, the query first, and the label of the other one: a level, or INDEPENDENT."""

    query: str
    other: str
    label: str


def _larger(*names: str) -> Callable[[Match], float]:
    return lambda match: max(getattr(match, name) for name in names)


MEASURES: Mapping[str, Mapping[str, Callable[[Match], float]]] = {
    "containment": {
        "containment": _larger("containment", "reverse_containment"),
        "resemblance": _larger("resemblance"),
    },
    "weighted_containment": {"weighted containment of the asked": _larger("weighted_containment")},
    "similarity": {"similarity": _larger("similarity")},
    "query_coverage": {
        "coverage": _larger("query_coverage", "document_coverage"),
        "coverage of the asked": _larger("query_coverage"),
    },
}
"""The measures of a match, by the measure that the query ranks by."""

Scores = dict[str, list[float]]


@contextmanager
def temporary_database(documents: Mapping[str, str | bytes], recipe: Recipe, kind: str) -> Iterator[fpdb.Database]:
    """Yield a database of the documents, which is deleted afterwards; their names tell the languages of programs."""
    with TemporaryDirectory() as folder, fpdb.open(Path(folder, "documents.fpdb"), recipe=recipe) as db:
        with db.batch() as batch:
            for name, content in documents.items():
                batch.add(name, content, kind=kind)
        yield db


def score(
    programs: Mapping[str, str | bytes], comparisons: Iterable[LabelledPair], recipe: Recipe, *, texts: bool = True
) -> dict[str, Scores]:
    """Return the scores by measure and label; 0 if two programs have nothing in common.

    Args:
        programs: contents by name; the name tells the language.
        comparisons: the pairs to score.
        recipe: recipe of the database.
        texts: True if the other programs' texts are available, so that regions are extended.
    """
    by_query: dict[str, list[LabelledPair]] = defaultdict(list)
    for comparison in comparisons:
        by_query[comparison.query].append(comparison)
    scores: dict[str, Scores] = defaultdict(lambda: defaultdict(list))
    with temporary_database(programs, recipe, "code") as db:
        for query, pairs in by_query.items():
            for by, measures in MEASURES.items():
                answer = db.query(
                    programs[query],
                    name=query,
                    kind="code",
                    by=by,
                    texts=lambda document: programs[document.name] if texts else None,
                )
                matches = {match.name: match for match in answer.matches}
                for name, of_match in measures.items():
                    for pair in pairs:
                        value = of_match(matches[pair.other]) if pair.other in matches else 0.0
                        scores[name][pair.label].append(value)
    return scores


def auc(copies: Sequence[float], others: Sequence[float]) -> float:
    """Return the probability that a copy scores higher than another program; ties count half."""
    ordered = np.sort(others)
    below, behind = (np.searchsorted(ordered, copies, side=side) for side in ("left", "right"))
    return float(np.mean(below + behind)) / 2 / len(ordered)


def average_precision(copies: Sequence[float], others: Sequence[float]) -> float:
    """Return the mean precision at the score of each copy; equal scores are one step."""
    retrieved, hits = _count_by_threshold(copies, others)
    return float(np.sum(hits / retrieved * np.diff(hits, prepend=0))) / len(copies)


def best_f1(copies: Sequence[float], others: Sequence[float]) -> float:
    """Return the largest F1 of all thresholds."""
    retrieved, hits = _count_by_threshold(copies, others)
    return float(np.max(2 * hits / (retrieved + len(copies))))


def _count_by_threshold(copies: Sequence[float], others: Sequence[float]) -> tuple[I64, I64]:
    """Return the number of all, and of copies, with at least each of the scores, the largest first; shape (n,)."""
    thresholds = np.unique([*copies, *others])[::-1]
    counts = [len(scores) - np.searchsorted(np.sort(scores), thresholds) for scores in (copies, others)]
    return counts[0] + counts[1], counts[0]


def table(rounds: Sequence[Mapping[str, Scores]], levels: Sequence[str]) -> Iterable[str]:
    """Yield a line for each measure: the AUC over all levels, its deviation, and the mean score of each label.

    Args:
        rounds: scores by different hash keys.
        levels: labels of copies.
    """
    yield f"{'measure':24}{'AUC':>7}{'+-':>7}" + "".join(f"{head:>7}" for head in (*levels, "indep."))
    for name in rounds[0]:
        all_scores = [scores[name] for scores in rounds]
        values = [
            auc([score for level in levels for score in scores[level]], scores[INDEPENDENT]) for scores in all_scores
        ]
        means = [
            statistics.mean(score for scores in all_scores for score in scores[relation])
            for relation in (*levels, INDEPENDENT)
        ]
        yield (
            f"{name:24}{statistics.mean(values):7.3f}{statistics.pstdev(values):7.3f}"
            + "".join(f"{mean:7.2f}" for mean in means)
        )
