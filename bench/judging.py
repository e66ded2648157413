"""How well the measures of a query tell copies of programs from independent ones: all by `Database.query`.

Measures: containment is that of the smaller in the larger, the larger of both directions; weighted: hashes count the
more the rarer they are, among all programs of the set. Coverage: the share of the symbols that lie in regions, of the
program that has more of them there, or of the one asked with. AUC: how often a copy scores higher than an independent
program, ties half. Rarity, and weighted coverage: see `Match`.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import fpdb
from fpdb import Match, Recipe

INDEPENDENT = "independent"


class Comparison(NamedTuple):
    """Two programs by name, the first one asked with, and what the other is to it: a level, or INDEPENDENT."""

    asked: str
    other: str
    relation: str


def _larger(*names: str) -> Callable[[Match], float]:
    return lambda match: max(getattr(match, name) for name in names)


MEASURES: Mapping[str, Mapping[str, Callable[[Match], float]]] = {
    "weighted_resemblance": {
        "containment": _larger("containment", "reverse_containment"),
        "weighted containment": _larger("weighted_containment", "weighted_reverse_containment"),
        "resemblance": _larger("resemblance"),
        "weighted resemblance": _larger("weighted_resemblance"),
    },
    "weighted_query_coverage": {
        "coverage": _larger("query_coverage", "document_coverage"),
        "weighted coverage": _larger("weighted_query_coverage", "weighted_document_coverage"),
        "coverage of the asked": _larger("query_coverage"),
        "weighted, of the asked": _larger("weighted_query_coverage"),
        "containment x rarity": lambda match: max(match.containment, match.reverse_containment) * (match.rarity or 0),
    },
}
"""By what is asked by, the measures of a match that are had with it."""

Scores = dict[str, list[float]]


def score(
    programs: Mapping[str, str | bytes], comparisons: Iterable[Comparison], recipe: Recipe, *, texts: bool = True
) -> dict[str, Scores]:
    """By measure and relation, the scores; 0 where two programs have nothing in common. programs: contents by names,
    which tell their languages. texts: whether those of the others can be had, so that regions are extended."""
    by_asked: dict[str, list[Comparison]] = defaultdict(list)
    for comparison in comparisons:
        by_asked[comparison.asked].append(comparison)
    scores: dict[str, Scores] = defaultdict(lambda: defaultdict(list))
    with TemporaryDirectory() as folder, fpdb.open(Path(folder, "programs.fpdb"), recipe=recipe) as db:
        with db.batch() as batch:
            for name, content in programs.items():
                batch.add(name, content, kind="code")
        for asked, some in by_asked.items():
            for by, measures in MEASURES.items():
                answer = db.query(
                    programs[asked],
                    name=asked,
                    kind="code",
                    by=by,
                    texts=lambda document: programs[document.name] if texts else None,
                )
                found = {match.name: match for match in answer.matches}
                for name, of_match in measures.items():
                    for one in some:
                        value = of_match(found[one.other]) if one.other in found else 0.0
                        scores[name][one.relation].append(value)
    return scores


def auc(copies: Sequence[float], others: Sequence[float]) -> float:
    """The chance that a copy scores higher than another; ties count half."""
    ordered = np.sort(others)
    below, behind = (np.searchsorted(ordered, copies, side=side) for side in ("left", "right"))
    return float(np.mean(below + behind)) / 2 / len(ordered)


def table(rounds: Sequence[Mapping[str, Scores]], levels: Sequence[str]) -> Iterable[str]:
    """A line a measure: AUC over all levels and how it varies, and the mean score of each level and of the independent
    programs. rounds: scores by different hash keys."""
    yield f"{'measure':24}{'AUC':>7}{'+-':>7}" + "".join(f"{head:>7}" for head in (*levels, "indep."))
    for name in rounds[0]:
        each = [one[name] for one in rounds]
        values = [auc([score for level in levels for score in one[level]], one[INDEPENDENT]) for one in each]
        means = [
            statistics.mean(score for one in each for score in one[relation]) for relation in (*levels, INDEPENDENT)
        ]
        yield (
            f"{name:24}{statistics.mean(values):7.3f}{statistics.pstdev(values):7.3f}"
            + "".join(f"{mean:7.2f}" for mean in means)
        )
