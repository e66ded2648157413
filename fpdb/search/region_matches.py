"""Complete an answer with the regions of its matches, or rank it by what these cover."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from fpdb.regions.region_finder import Alike, Evidence
from fpdb.regions.sources import Sources
from fpdb.search.ranking import Ranked
from fpdb.search.results import COVERED, Answer, Match, Options


def attach_regions(ranked: Ranked, evidence: Evidence, sources: Sources) -> Answer:
    """Return the answer, each match with its regions and what they cover. Raises Corrupt, MissingPackage."""
    matches = [
        _covered(match, alike)._replace(regions=evidence.locate(alike))
        for match, alike in zip(ranked.answer.matches, evidence.align(ranked.documents, sources), strict=True)
    ]
    return replace(ranked.answer, matches=matches)


def rank_by_coverage(ranked: Ranked, evidence: Evidence, sources: Sources, options: Options) -> Ranked:
    """Rank all candidates by a measure that regions tell; keep those that pass. Raises Corrupt, MissingPackage."""
    score = attrgetter(options.by)
    passing: list[tuple[Match, int]] = []
    alignments = evidence.align(ranked.documents, sources)
    rows = zip(ranked.answer.matches, ranked.documents, ranked.rarities, alignments, strict=True)
    for match, document_id, rarity, alike in rows:
        match = _covered(match, alike)
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


def _covered(match: Match, alike: Alike) -> Match:
    return match._replace(
        query_coverage=alike.query_coverage, document_coverage=alike.document_coverage, source=alike.read.state
    )
