"""Rank pairs by how much of their documents lies in regions, and give pairs their regions.

A pair takes some 0.15 ms. Memory, beside that of `PairCounter`: the documents that `PairAligner` keeps, 16 MB of pairs
that are aligned together, and half a kilobyte a pair that passes, or is among the first `top`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from heapq import nsmallest
from itertools import islice
from typing import Any, Final

import numpy as np

from fpdb.pairs.counting import CountedPairs, PairCounter
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.ranking import Pair, describe_pairs, rank_pairs
from fpdb.pairs.results import Comparison
from fpdb.regions.pair_aligner import PairAligner, PairAlignment
from fpdb.regions.places import MatchedRegion
from fpdb.spool import spool
from fpdb.storage import file_format
from fpdb.storage.reader import Reader, find_listed

BATCH: Final = 1 << 14  # pairs that are aligned together
WATCHED: Final = 64  # pairs after which progress is told


def rank_by_coverage(
    reader: Reader, aligner: PairAligner, options: PairOptions, watch: Watch | None = None
) -> Comparison[Pair]:
    """Return the pairs that pass, by a measure that regions tell, then shared, both descending, then the names' bytes.

    Aligns the documents of all pairs that share enough hashes. Raises Corrupt, MissingPackage.
    """

    def order(pair: Pair) -> tuple[float, int, bytes, bytes]:
        return -pair.score(options.by), -pair.shared, file_format.name_bytes(pair.a), file_format.name_bytes(pair.b)

    counter = PairCounter(reader, options.of_all(), watch)
    least = options.min or 0.0
    passing = (pair for pair in _covered_pairs(reader, counter, aligner, watch) if pair.score(options.by) >= least)
    pairs = sorted(passing, key=order) if options.top is None else nsmallest(options.top, passing, key=order)
    return Comparison(iter(pairs), counter.ignored)


def _covered_pairs(reader: Reader, counter: PairCounter, aligner: PairAligner, watch: Watch | None) -> Iterator[Pair]:
    """Yield all pairs with their coverages."""
    counted = CountedPairs.concatenate(list(counter.batches()))
    for start in range(0, len(counted.a), BATCH):
        batch = np.arange(start, min(start + BATCH, len(counted.a)))
        pairs = list(describe_pairs(counter, counted.take(batch), weighted=False))
        for done, (index, alignment) in enumerate(_align(reader, aligner, pairs), start):
            yield replace(pairs[index], coverage_a=alignment.coverage_a, coverage_b=alignment.coverage_b)
            if watch is not None and done % WATCHED == 0:
                watch("looking closer", "pair", done, len(counted.a))


def pairs_by_content(
    reader: Reader, aligner: PairAligner, options: PairOptions, watch: Watch | None = None, *, regions: bool
) -> Comparison[Pair]:
    """Return the pairs that pass, ranked, with their regions if these are asked for. Raises Corrupt, MissingPackage."""
    if options.regional:
        comparison = rank_by_coverage(reader, aligner, options, watch)
    else:
        comparison = rank_pairs(reader, options, watch)
    if not regions:
        return comparison
    pairs = attach_regions(reader, aligner, comparison.results)
    return comparison._replace(results=spool(pairs, astuple, _unpack))


def attach_regions(reader: Reader, aligner: PairAligner, pairs: Iterable[Pair]) -> Iterator[Pair]:
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


def _unpack(values: Sequence[Any]) -> Pair:
    regions = None if values[-1] is None else [MatchedRegion.of(*region) for region in values[-1]]
    return replace(Pair(*values), regions=regions)


def _align(reader: Reader, aligner: PairAligner, pairs: Sequence[Pair]) -> Iterator[tuple[int, PairAlignment]]:
    names = [(file_format.name_bytes(pair.a), file_format.name_bytes(pair.b)) for pair in pairs]
    ids = find_listed(reader, {name for pair in names for name in pair})
    return aligner.align_pairs([(ids[a], ids[b]) for a, b in names])
