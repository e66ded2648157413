"""Complete answers with what the records of the matched documents say: labels, and whether a content is the query's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fpdb.search.ranking import RankedMatches
from fpdb.search.results import Match
from fpdb.storage.index_reader import IndexReader


def add_records(reader: IndexReader, answers: Iterable[RankedMatches], *, labels: bool) -> Iterator[RankedMatches]:
    """Yield the answers, with labels if they are asked for; tell which documents have the query's content.

    Raises Corrupt.
    """
    for ranked in answers:
        digest = ranked.query.digest if any(map(may_be_identical, ranked.answer.matches)) else None
        if not labels and digest is None:
            yield ranked
            continue
        matches = []
        for match, document_id in zip(ranked.answer.matches, ranked.document_ids, strict=True):
            if labels or may_be_identical(match):
                record = reader.catalogue.record(document_id)
                identical = True if digest == record.digest else None
                match = match._replace(identical=identical, labels=dict(record.labels) if labels else None)
            matches.append(match)
        yield ranked._replace(answer=replace(ranked.answer, matches=matches))


def may_be_identical(match: Match) -> bool:
    """Return True if a document may have the query's content."""
    return match.containment == 1 == match.reverse_containment
