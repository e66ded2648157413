"""Complete an answer with the regions of its matches, or rank it by what these cover."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

from fpdb.regions.pair_aligner import PairAlignment
from fpdb.search.ranking import Ranked
from fpdb.search.results import COVERED, Answer, Match, Options


def attach_regions(ranked: Ranked, alignments: Iterable[PairAlignment]) -> Answer:
    """Return the answer, each match with its regions and what they cover, from its alignment with the query."""
    matches = [
        _covered(match, alignment)._replace(regions=alignment.located())
        for match, alignment in zip(ranked.answer.matches, alignments, strict=True)
    ]
    return replace(ranked.answer, matches=matches)


def rank_by_coverage(ranked: Ranked, alignments: Iterable[PairAlignment], options: Options) -> Ranked:
    """Rank all candidates by what their alignments with the query cover; keep those that pass."""
    score = attrgetter(options.by)
    passing: list[tuple[Match, int]] = []
    rows = zip(ranked.answer.matches, ranked.documents, ranked.rarities, alignments, strict=True)
    for match, document_id, rarity, alignment in rows:
        match = _covered(match, alignment)
        if rarity is not None:
            weighted = {f"weighted_{name}": getattr(match, name) * rarity for name in COVERED}
            match = match._replace(weighted_containment=None, rarity=rarity, **weighted)
        if score(match) >= (options.min or 0):
            passing.append((match, document_id))

    def order(row: tuple[Match, int]) -> tuple[float, int, bytes]:
        match, _ = row
        return -score(match), -match.shared, match.name.encode("utf-8", "surrogateescape")

    passing = sorted(passing, key=order)[: options.top]
    answer = replace(ranked.answer, matches=[match for match, _ in passing])
    return ranked._replace(answer=answer, documents=[document_id for _, document_id in passing])


def _covered(match: Match, alignment: PairAlignment) -> Match:
    return match._replace(
        query_coverage=alignment.coverage_a, document_coverage=alignment.coverage_b, source=alignment.b.state
    )
