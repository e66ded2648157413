"""Pairs, ranked by a measure that hashes tell, with names and all measures.

Memory, beside that of `PairCounter`, is 20 bytes a pair that passes and 50 more while they are ranked (28 and 60 with
weights); if only the first `top` are wanted, about POOL pairs more than these are kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from numpy.typing import NDArray

from fpdb.columns import one_line
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.evidence import EVIDENCE, Evidence
from fpdb.pairs.measures import CountedPairs
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.pair_scorer import JudgedPairs
from fpdb.pairs.results import Comparison
from fpdb.regions.places import MatchedRegion
from fpdb.regions.sources import Contents, SourceState
from fpdb.storage.index_reader import IndexReader

POOL: Final = 1 << 18  # pairs kept before those below the first `top` are dropped
BATCH: Final = 1 << 12  # pairs that get their names at once


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents, or owners, in the order of their names' bytes; measures lie in [0, 1].

    Attributes:
        a, b: The names.
        shared: The number of shared hashes.
        containment_a: The share of a's hashes that are in b; containment_b: of b's in a.
        resemblance: The share of the hashes of both together that they share.
        weighted_containment_a: With hashes weighed by their rarity, like the others; only if ranked by one of them.
        similarity: The mean of both weighted containments; only if ranked by it or one of them.
        evidence: What tells the measures, see `pairs.evidence.Evidence`; None if it is not known.
        coverage_a: The share of a's symbols that lie in regions; only if ranked by it, or regions are asked for.
        source_a: See `Match.source`; only if regions are asked for.
        regions: In order of a; only if regions are asked for, and something tells them.
        document_pairs: Of two owners, the pairs of their documents that share most; only if they are asked for.
        labels_a: The labels of a; only if they are asked for.
    """

    a: str
    b: str
    shared: int
    containment_a: float
    containment_b: float
    resemblance: float
    weighted_containment_a: float | None = None
    weighted_containment_b: float | None = None
    weighted_resemblance: float | None = None
    similarity: float | None = None
    evidence: Evidence | None = None
    coverage_a: float | None = None
    coverage_b: float | None = None
    source_a: SourceState | None = None
    source_b: SourceState | None = None
    regions: list[MatchedRegion] | None = None
    document_pairs: "list[Pair] | None" = None
    labels_a: dict[str, str] | None = None
    labels_b: dict[str, str] | None = None

    def __repr__(self) -> str:
        """Return the names and the values that are given, the regions counted, on one line."""
        values = {name: value for name in self.__slots__[2:] if (value := getattr(self, name)) is not None}
        return one_line("Pair", [self.a, self.b], values)

    def swapped(self) -> "Pair":
        """Return a pair without regions with a and b exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            containment_a=self.containment_b,
            containment_b=self.containment_a,
            weighted_containment_a=self.weighted_containment_b,
            weighted_containment_b=self.weighted_containment_a,
            labels_a=self.labels_b,
            labels_b=self.labels_a,
        )

    def score(self, by: str) -> float:
        """Return a measure of `PairOptions`; 0 if it is not known."""
        if by == "mean_containment":
            return (self.containment_a + self.containment_b) / 2
        if by == "shared":
            return float(self.shared)
        values = (getattr(self, name, None) for name in (by, f"{by}_a", f"{by}_b"))
        return max(value or 0.0 for value in values)

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict without None, as `fpdb pairs --format json` prints it."""
        values = {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}
        for name in ("regions", "document_pairs"):
            if name in values:
                values[name] = [part.to_dict() for part in values[name]]
        return values


def rank_pairs(
    reader: IndexReader, options: PairOptions, watch: Watch | None = None, contents: Contents | None = None
) -> Comparison[Pair]:
    """Return the pairs that pass, by the measure, then shared, both descending, then by name. Raises Corrupt.

    contents: see `EvidenceCheck`.
    """
    return rank_counted(PairCounter(reader, options, watch, contents=contents))


def rank_counted(counter: PairCounter) -> Comparison[Pair]:
    """Return the pairs of a counter as `rank_pairs` does. Raises Corrupt."""
    options = counter.options
    parts: list[CountedPairs] = []
    count = 0
    for batch in counter.estimates():
        parts.append(batch)
        count += len(batch.a)
        if options.top is not None and count > POOL + options.top:
            first = counter.scorer.ranked(CountedPairs.concatenate(parts))
            parts, count = [first], len(first.a)
            if count == options.top:
                counter.floor = float(first.score[-1])
    ranked = counter.scorer.ranked(CountedPairs.concatenate(parts))
    return counter.compared(describe_pairs(counter, ranked, weighted=options.weighted))


def describe_pairs(counter: PairCounter, pairs: CountedPairs, *, weighted: bool) -> Iterator[Pair]:
    """Return an iterator over pairs with their names and all measures, which reads nothing. Raises Corrupt.

    weighted: also with weights, if the options ask for them.
    """
    batches = [pairs.take(slice(start, start + BATCH)) for start in range(0, len(pairs.a), BATCH)]
    texts = [counter.scorer.compare_texts(batch) for batch in batches]
    judged = map(counter.scorer.judge, batches, texts)
    return chain.from_iterable(_describe(counter.compared_set, batch, weighted=weighted) for batch in judged)


def _describe(compared_set: ComparedSet, judged: JudgedPairs, *, weighted: bool) -> Iterator[Pair]:
    pairs = judged.pairs
    columns: list[NDArray[Any]] = [pairs.shared, *judged.plain]
    if weighted and judged.weighted is not None:
        columns += [*judged.weighted, judged.weighted.mean]
    ranks = pairs.a.tolist(), pairs.b.tolist(), judged.evidence.tolist()
    for a, b, evidence, *values in zip(*ranks, *(column.tolist() for column in columns), strict=True):
        yield replace(Pair(compared_set.name(a), compared_set.name(b), *values), evidence=EVIDENCE[evidence])
