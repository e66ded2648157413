"""Rank pairs by how much of their documents lies in regions, and give pairs their regions.

A pair of programs takes some 0.03 ms. Memory, beside that of `PairCounter`: the documents that `PairAligner` keeps, 2
MB of pairs that are aligned together, and half a kilobyte a pair that passes, or is among the first `top`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from heapq import heappush, heappushpop, nsmallest
from itertools import islice
from typing import Any, Final

import numpy as np

from fpdb.arrays import F64
from fpdb.errors import UnknownKind
from fpdb.fingerprint import Recipe
from fpdb.pairs.compared_set import NONE
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.measures import CountedPairs
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.ranking import Pair, describe_pairs, rank_counted
from fpdb.pairs.results import Comparison
from fpdb.regions.alignment import PairAlignment
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.places import MatchedRegion
from fpdb.regions.region import RegionOptions
from fpdb.regions.sources import Contents
from fpdb.spool import spool
from fpdb.storage import file_format
from fpdb.storage.index_reader import IndexReader, find_listed
from fpdb.storage.records import Record

BATCH: Final = 1 << 11  # pairs that are aligned together
WATCHED: Final = 64  # pairs after which progress is told


def _rank_by_coverage(
    reader: IndexReader, counter: PairCounter, aligner: PairAligner, options: PairOptions, watch: Watch | None
) -> Comparison[Pair]:
    """Return the pairs that pass, by a measure that regions tell, then shared, both descending, then the names' bytes.

    Aligns the documents of pairs that share enough hashes, those first that may have the largest coverage, until no
    other pair can pass. Raises Corrupt, MissingPackage.
    """

    def order(pair: Pair) -> tuple[float, int, bytes, bytes]:
        return -pair.score(options.by), -pair.shared, file_format.name_bytes(pair.a), file_format.name_bytes(pair.b)

    def passing() -> Iterator[Pair]:
        floor = options.min or 0.0
        highest: list[float] = []  # a heap of the `top` highest scores
        for bound, pair in _covered_pairs(reader, counter, aligner, watch):
            if bound < floor:
                return
            score = pair.score(options.by)
            if score >= floor:
                if options.top is not None:
                    (heappushpop if len(highest) == options.top else heappush)(highest, score)
                    floor = max(floor, highest[0]) if len(highest) == options.top else floor
                yield pair

    pairs = sorted(passing(), key=order) if options.top is None else nsmallest(options.top, passing(), key=order)
    return counter.compared(iter(pairs))


def _covered_pairs(
    reader: IndexReader, counter: PairCounter, aligner: PairAligner, watch: Watch | None
) -> Iterator[tuple[float, Pair]]:
    """Yield all pairs with their coverages, and a bound that no score from the pair on exceeds."""
    counted = CountedPairs.concatenate(list(counter.estimates()))
    bounds = _bounds(reader, counter, aligner, counted)
    order = np.argsort(-bounds, kind="stable")
    counted, bounds = counted.take(order), bounds[order]
    for start in range(0, len(bounds), BATCH):
        batch = np.arange(start, min(start + BATCH, len(bounds)))
        pairs = list(describe_pairs(counter, counted.take(batch), weighted=False))
        for done, (index, alignment) in enumerate(_align(reader, aligner, pairs), start):
            pair = replace(pairs[index], coverage_a=alignment.coverage_a, coverage_b=alignment.coverage_b)
            yield float(bounds[start]), pair
            if watch is not None and done % WATCHED == 0:
                watch("looking closer", "pair", done, len(bounds))


def _bounds(reader: IndexReader, counter: PairCounter, aligner: PairAligner, pairs: CountedPairs) -> F64:
    """Return the most that the coverage of each pair can be; shape (n,).

    Each region begins with a shared fingerprint, and has so many more symbols only if it has another one, since each
    window of equal k-grams selects equal ones. Where some hashes do not count, no bound is known.
    """
    if not len(pairs.a) or counter.max_df or len(reader.boilerplate()):
        return np.ones(len(pairs.a))
    rows = [
        (document_id, record.fingerprints - record.hashes, _share_per_fingerprint(aligner.recipe, record))
        for document_id, record in reader.catalogue.records()
    ]
    document_ids, repeated, shares = map(np.array, zip(*rows, strict=True))
    ranks = counter.compared_set.ranks.look_up(document_ids.astype(np.uint32))
    compared = ranks != NONE
    repeats, share = np.zeros(len(counter.compared_set)), np.zeros(len(counter.compared_set))  # by rank
    repeats[ranks[compared]], share[ranks[compared]] = repeated[compared], shares[compared]
    covered = [(pairs.shared + repeats[side]) * share[side] for side in (pairs.a, pairs.b)]
    bounds: F64 = np.minimum(np.maximum(*covered), 1.0)
    return bounds


def _share_per_fingerprint(recipe: Recipe, record: Record) -> float:
    """Return the most of a document that a region can cover for each fingerprint in it; infinite if that is unknown."""
    try:
        symbols = recipe.rule_for(record.kind)[1].symbols_per_fingerprint
    except UnknownKind:
        symbols = None
    return symbols / record.symbols if symbols is not None and record.symbols else np.inf


def pairs_by_content(
    reader: IndexReader,
    contents: Contents,
    options: PairOptions,
    region_options: RegionOptions,
    watch: Watch | None = None,
    *,
    regions: bool,
) -> Comparison[Pair]:
    """Return the pairs that pass, ranked, with their regions if these are asked for. Raises Corrupt, MissingPackage."""
    by_hashes = options.of_all() if options.regional else options
    counter = PairCounter(reader, by_hashes, watch, contents=contents)
    find_common = counter.common_hashes().among
    aligner = PairAligner(reader, *contents, find_common=find_common, region_options=region_options)
    if options.regional:
        comparison = _rank_by_coverage(reader, counter, aligner, options, watch)
    else:
        comparison = rank_counted(counter)
    if not regions:
        return comparison
    pairs = attach_regions(reader, aligner, comparison.results)
    return comparison._replace(results=spool(pairs, astuple, unpack_pair))


def attach_regions(reader: IndexReader, aligner: PairAligner, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the pairs with their regions, and what these cover. Raises Corrupt, MissingPackage."""
    remaining = iter(pairs)
    while batch := list(islice(remaining, BATCH)):
        for index, alignment in _align(reader, aligner, batch):
            batch[index] = replace(
                batch[index],
                coverage_a=alignment.coverage_a,
                coverage_b=alignment.coverage_b,
                source_a=alignment.a.state,
                source_b=alignment.b.state,
                regions=alignment.located(),
            )
        yield from batch


def unpack_pair(values: Sequence[Any]) -> Pair:
    """Return the pair of what `astuple` made of it."""
    pair = Pair(*values)
    regions: Any = pair.regions  # as `astuple` made them
    return pair if regions is None else replace(pair, regions=[MatchedRegion.of(*region) for region in regions])


def _align(reader: IndexReader, aligner: PairAligner, pairs: Sequence[Pair]) -> Iterator[tuple[int, PairAlignment]]:
    names = [(file_format.name_bytes(pair.a), file_format.name_bytes(pair.b)) for pair in pairs]
    ids = find_listed(reader, {name for pair in names for name in pair})
    return aligner.align_pairs([(ids[a], ids[b]) for a, b in names])
