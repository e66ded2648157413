"""Complete answers with the regions of their matches, or rank them by what these cover."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from operator import attrgetter

from fpdb.regions.alignment import PairAlignment
from fpdb.regions.pair_aligner import PairAligner
from fpdb.search.options import ContentOptions, QueryOptions
from fpdb.search.ranking import RankedMatches
from fpdb.search.results import Match


def add_regions(
    ranked: RankedMatches, aligner: PairAligner, options: ContentOptions, ranking: QueryOptions
) -> RankedMatches:
    """Rank an answer by its regions, and add them to its matches, as the options ask for.

    Raises:
        Corrupt: The database is damaged.
        MissingPackage: A kept text cannot be unpacked.
    """
    if ranked.query.document is None:
        raise ValueError("the query came without its symbols")
    align = partial(aligner.align_query, aligner.query(ranked.query.document, ranked.ignored))
    if ranking.regional:
        ranked = _rank_by_coverage(ranked, align(ranked.document_ids), ranking)
    if not options.regions:
        return ranked
    matches = [
        _with_coverage(match, alignment)._replace(regions=alignment.located())
        for match, alignment in zip(ranked.answer.matches, align(ranked.document_ids), strict=True)
    ]
    return ranked._replace(answer=replace(ranked.answer, matches=matches))


def _rank_by_coverage(
    ranked: RankedMatches, alignments: Iterable[PairAlignment], ranking: QueryOptions
) -> RankedMatches:
    """Rank all matches by what their alignments with the query cover; leave out those that do not pass."""
    score = attrgetter(ranking.by)
    passing: list[tuple[Match, int]] = []
    rows = zip(ranked.answer.matches, ranked.document_ids, alignments, strict=True)
    for match, document_id, alignment in rows:
        match = _with_coverage(match, alignment)
        if score(match) >= (ranking.min or 0):
            passing.append((match, document_id))

    def order(row: tuple[Match, int]) -> tuple[float, int, bytes]:
        match, _ = row
        return -score(match), -match.shared, match.name.encode("utf-8", "surrogateescape")

    passing = sorted(passing, key=order)[: ranking.top]
    answer = replace(ranked.answer, matches=[match for match, _ in passing])
    return ranked._replace(answer=answer, document_ids=[document_id for _, document_id in passing])


def _with_coverage(match: Match, alignment: PairAlignment) -> Match:
    return match._replace(
        query_coverage=alignment.coverage_a, document_coverage=alignment.coverage_b, source=alignment.b.state
    )
