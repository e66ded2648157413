"""Complete answers to queries of hashes with the offsets at which most hits agree, or rank them by these."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from fpdb.arrays import contains
from fpdb.regions.line_index import locate_regions
from fpdb.regions.offsets import PositionedHashes, best_offsets, find_hits, regions_of
from fpdb.search.options import HashQueryOptions
from fpdb.search.ranking import RankedMatches
from fpdb.search.results import Match
from fpdb.storage.index_reader import IndexReader

DOCUMENTS_TOGETHER: Final = 1 << 12


def add_offsets(reader: IndexReader, ranked: RankedMatches, options: HashQueryOptions) -> RankedMatches:
    """Tell the offset of each match of a query that has positions, rank by it if asked, and tell regions.

    Hashes of boilerplate and those that are ignored as common do not count. Raises Corrupt.
    """
    query = ranked.query
    if query.positions is None:
        raise ValueError("the query came without positions")
    hashes = PositionedHashes.of(query.hashes, query.positions)
    ignored = contains(reader.boilerplate(), hashes.hashes) | contains(np.sort(ranked.ignored), hashes.hashes)
    hashes = hashes.take(~ignored)
    matches: list[tuple[Match, int]] = []
    rows = list(zip(ranked.answer.matches, ranked.document_ids, strict=True))
    for start in range(0, len(rows), DOCUMENTS_TOGETHER):
        matches += _aligned(reader, hashes, rows[start : start + DOCUMENTS_TOGETHER])
    ranking = options.ranking
    if ranking.positional:
        matches = [row for row in matches if (row[0].aligned or 0) >= (ranking.min or 0)]
        matches = sorted(matches, key=_order)[: ranking.top]
    if options.regions:
        matches = _with_regions(reader, hashes, matches, options.gap)
    answer = replace(ranked.answer, matches=[match for match, _ in matches])
    return ranked._replace(answer=answer, document_ids=[document_id for _, document_id in matches])


def _aligned(reader: IndexReader, hashes: PositionedHashes, rows: list[tuple[Match, int]]) -> list[tuple[Match, int]]:
    best = best_offsets(find_hits(reader, hashes, np.array(sorted(row[1] for row in rows), np.uint32)))
    columns = zip(best.document_ids.tolist(), best.offsets.tolist(), best.aligned.tolist(), strict=True)
    by_id = {document_id: (offset, aligned) for document_id, offset, aligned in columns}
    aligned = []
    for match, document_id in rows:
        offset, count = by_id.get(document_id, (None, 0))
        aligned.append((match._replace(offset=offset, aligned=count), document_id))
    return aligned


def _order(row: tuple[Match, int]) -> tuple[int, int, bytes]:
    match, _ = row
    return -(match.aligned or 0), -match.shared, match.name.encode("utf-8", "surrogateescape")


def _with_regions(
    reader: IndexReader, hashes: PositionedHashes, rows: list[tuple[Match, int]], gap: int | None
) -> list[tuple[Match, int]]:
    hits = find_hits(reader, hashes, np.array(sorted(row[1] for row in rows), np.uint32))
    regions = regions_of(hits.at_best(best_offsets(hits)), gap)
    return [
        (match._replace(regions=locate_regions(regions.get(document_id, []), None, None)), document_id)
        for match, document_id in rows
    ]
