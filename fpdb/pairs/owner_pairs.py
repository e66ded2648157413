"""List the pairs of documents behind pairs of owners, those that share most first.

All pairs of documents are counted again, by the hashes that counted between owners. Memory, beside that of
`PairCounter`: the pairs of owners, and 30 bytes a pair of documents that is listed.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from fpdb.arrays import I64
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.measures import CountedPairs
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.ranking import POOL, Pair, describe_pairs, rank_pairs
from fpdb.pairs.results import Comparison
from fpdb.regions.sources import Contents
from fpdb.storage.index_reader import IndexReader


def rank_owners(
    reader: IndexReader,
    options: PairOptions,
    document_pairs: int,
    watch: Watch | None = None,
    contents: Contents | None = None,
) -> Comparison[Pair]:
    """Return pairs of owners as `rank_pairs` does, each with its first pairs of documents. Raises Corrupt."""
    comparison = rank_pairs(reader, options, watch, contents)
    listed = list(comparison.results)
    groups = find_document_pairs(reader, listed, options, document_pairs, watch, contents)
    pairs = (replace(pair, document_pairs=group) for pair, group in zip(listed, groups, strict=True))
    return comparison._replace(results=pairs)


def find_document_pairs(
    reader: IndexReader,
    listed: Sequence[Pair],
    options: PairOptions,
    limit: int,
    watch: Watch | None = None,
    contents: Contents | None = None,
) -> Iterator[list[Pair]]:
    """Yield the pairs of documents of each pair of owners, a of the first owner: `limit` at most. Raises Corrupt.

    Those that share most hashes come first, then by the measure, then by name.
    """
    asked = replace(options, by_owner=False, min=None, min_shared=1, top=None, new=None, since=None)
    counter = PairCounter(reader, asked, watch, contents=contents, cap_owners=True)
    found = _Found(np.empty(0, np.int64), CountedPairs.concatenate([]))
    if listed:
        owner_pairs = _OwnerPairs.of(counter.compared_set, listed)
        parts, count = [found], 0
        for batch in counter.estimates():
            parts.append(owner_pairs.select(counter.compared_set, batch))
            count += len(parts[-1].groups)
            if count > POOL:
                parts, count = [_first_of_each(counter, parts, limit)], 0
        found = _first_of_each(counter, parts, limit)
    pairs = describe_pairs(counter, found.pairs, weighted=options.weighted)
    numbers = np.bincount(found.groups, minlength=len(listed)).tolist()
    names = counter.compared_set.owner_names
    first_owners = counter.compared_set.owner_of(found.pairs.a).tolist()
    oriented = (
        pair if names[owner] == _encode(listed[at].a) else pair.swapped()
        for pair, owner, at in zip(pairs, first_owners, found.groups.tolist(), strict=True)
    )
    return (list(islice(oriented, number)) for number in numbers)


class _Found(NamedTuple):
    """Pairs of documents, and the index of the pair of owners of each; shape (n,)."""

    groups: I64
    pairs: CountedPairs


class _OwnerPairs(NamedTuple):
    """Pairs of owners by their numbers: keys, ascending, and the index of each pair; shape (n,)."""

    keys: I64
    indices: I64
    owners: int

    @classmethod
    def of(cls, compared_set: ComparedSet, listed: Sequence[Pair]) -> "_OwnerPairs":
        """Return the pairs of these names; a document without an owner may be called like an owner."""
        wanted = {_encode(name) for pair in listed for name in (pair.a, pair.b)}
        numbers = defaultdict(list)
        for number, name in enumerate(compared_set.owner_names):
            if name in wanted:
                numbers[name].append(number)
        owners = len(compared_set.owner_names)
        keys = {
            min(a, b) * owners + max(a, b): index
            for index, pair in enumerate(listed)
            for a, b in product(numbers[_encode(pair.a)], numbers[_encode(pair.b)])
        }
        order = sorted(keys)
        return cls(np.array(order, np.int64), np.array([keys[key] for key in order], np.int64), owners)

    def select(self, compared_set: ComparedSet, pairs: CountedPairs) -> _Found:
        """Return the pairs of documents of these owners."""
        a, b = (compared_set.owner_of(ranks).astype(np.int64) for ranks in (pairs.a, pairs.b))
        keys = np.minimum(a, b) * self.owners + np.maximum(a, b)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        return _Found(self.indices[places[known]], pairs.take(known))


def _encode(owner: str) -> bytes:
    return owner.encode("utf-8", "surrogateescape")


def _first_of_each(counter: PairCounter, parts: Sequence[_Found], limit: int) -> _Found:
    """Return the first pairs of documents of each pair of owners, in their order."""
    groups = np.concatenate([part.groups for part in parts])
    pairs = CountedPairs.concatenate([part.pairs for part in parts])
    order = counter.compared_set.name_order
    ranking = np.lexsort((order[pairs.b], order[pairs.a], -pairs.score, -pairs.shared.astype(np.int64), groups))
    starts = np.r_[0, np.cumsum(np.bincount(groups))]
    place = np.arange(len(groups)) - starts[groups[ranking]]
    first = ranking[place < limit]
    return _Found(groups[first], pairs.take(first))
