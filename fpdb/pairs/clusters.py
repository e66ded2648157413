"""Clusters: documents connected by pairs that pass the thresholds, directly or through others.

The pairs are joined as they are counted, and none is kept in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fpdb.arrays import I64, U32
from fpdb.errors import BadQuery
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.keep_policy import KeepRule, keep_order
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.results import Comparison
from fpdb.pairs.union_find import connect
from fpdb.regions.sources import Contents
from fpdb.storage.index_reader import IndexReader


@dataclass(frozen=True, slots=True)
class Cluster:
    """Two or more connected documents, or owners.

    Attributes:
        name: The first member.
        members: In order of their names' bytes.
        pairs: The number of pairs that pass and connect the members.
        kept: The member that a rule keeps, if one was given.
    """

    name: str
    members: tuple[str, ...]
    pairs: int
    kept: str | None = None

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.members)

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb pairs --clusters --format json` prints it."""
        values = {"cluster": self.name, "size": len(self), "pairs": self.pairs, "members": self.members}
        return values if self.kept is None else values | {"kept": self.kept}


class ClusterIndex(NamedTuple):
    """The cluster of each rank; arrays of shape (n,).

    heads: the rank whose name is the smallest of the cluster. sizes: the members of the cluster. pairs: so many are
    counted for the rank; each is counted for one rank of its cluster.
    """

    heads: U32
    sizes: I64
    pairs: I64


def find_clusters(
    reader: IndexReader,
    options: PairOptions,
    keep: str | None = None,
    watch: Watch | None = None,
    contents: Contents | None = None,
) -> Comparison[Cluster]:
    """Return the clusters, the largest first, then by name; `top` of them at most. Raises BadQuery, Corrupt.

    Each tells which member is kept if the rule `keep` is given, see `KeepRule`.
    """
    if keep is not None and options.by_owner:
        raise BadQuery("what is kept is a document, not an owner: leave keep or by_owner out")
    rule = None if keep is None else KeepRule.parse(keep)
    counter = PairCounter(reader, replace(options, top=None), watch, contents=contents)
    compared_set = counter.compared_set
    index = connect_pairs(counter)
    places = None if rule is None else keep_order(reader, compared_set, rule)
    return counter.compared(_describe(compared_set, index, places, options.top))


def _describe(compared_set: ComparedSet, index: ClusterIndex, places: I64 | None, top: int | None) -> Iterator[Cluster]:
    """Yield the first clusters; places: the order in which ranks are kept, or None."""
    head_order = compared_set.name_order[index.heads]
    members = np.lexsort((compared_set.name_order, head_order))
    _, starts, sizes = np.unique(head_order[members], return_index=True, return_counts=True)
    ranking = np.argsort(-sizes, kind="stable")[: int((sizes > 1).sum())]
    for cluster in ranking[:top].tolist():
        ranks = members[starts[cluster] : starts[cluster] + sizes[cluster]]
        names = tuple(map(compared_set.name, ranks.tolist()))
        kept = None if places is None else names[int(places[ranks].argmin())]
        yield Cluster(names[0], names, int(index.pairs[ranks].sum()), kept)


def connect_pairs(counter: PairCounter, pairs: list[U32] | None = None) -> ClusterIndex:
    """Connect the pairs as they are counted. Raises Corrupt.

    pairs: a list to which the ranks of all but duplicates are appended; shape (2, n).
    """
    order = counter.compared_set.name_order
    count = len(counter.compared_set)
    roots = np.arange(count, dtype=np.uint32)  # by place in the order of names
    pair_counts = np.zeros(count, np.int64)
    duplicates = counter.scorer.passing_duplicates()
    first, second = duplicates.edges()
    connect(roots, order[first], order[second])
    np.add.at(pair_counts, *duplicates.pair_counts())
    for batch in counter.batches_without_duplicates():
        connect(roots, order[batch.a], order[batch.b])
        pair_counts += np.bincount(batch.a, minlength=count)
        if pairs is not None:
            pairs.append(np.stack((batch.a, batch.b)))
    heads = np.argsort(order).astype(np.uint32)[roots[order]]
    return ClusterIndex(heads, np.bincount(heads, minlength=count)[heads], pair_counts)
