"""Clusters: documents connected by pairs that pass the thresholds, directly or through others.

The pairs are joined as they are counted, and none is held in memory. Knows nothing of how pairs are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fpdb.arrays import I64, U32
from fpdb.errors import BadQuery
from fpdb.pairs.counting import Comparison, PairOptions, Watch
from fpdb.pairs.keep_policy import keep_order, keep_rule
from fpdb.storage.reader import Reader


@dataclass(frozen=True, slots=True)
class Cluster:
    """Two or more connected documents, or owners. members: in order of their names' bytes; the first names the
    cluster. pairs: how many pairs that pass connect them. kept: the one that a rule keeps, where one was given."""

    name: str
    members: tuple[str, ...]
    pairs: int
    kept: str | None = None

    def __len__(self) -> int:
        return len(self.members)

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb pairs --clusters --format json` prints it."""
        values = {"cluster": self.name, "size": len(self), "pairs": self.pairs, "members": self.members}
        return values if self.kept is None else values | {"kept": self.kept}


class Clustered(NamedTuple):
    """By rank, shape (n,) each. heads: the rank whose name is the smallest of the cluster, itself for one alone. sizes:
    of the cluster. links: pairs of which the rank is the first by name. order: see `Collection`."""

    heads: U32
    sizes: I64
    links: I64
    order: U32


def clusters(
    view: Reader, options: PairOptions, keep: str | None = None, watch: Watch | None = None
) -> Iterator[Cluster]:
    """The clusters, the largest first, then by name; `top` of them at most. keep: see `keeping.keep_rule`. Raises
    BadQuery, Corrupt."""
    if keep is not None:
        if options.by_owner:
            raise BadQuery("what is kept is a document, not an owner: leave keep or by_owner out")
        keep_rule(keep)
    comparison = Comparison(view, replace(options, top=None), watch)
    documents = comparison.documents
    clustered = connect(comparison)
    places = None if keep is None else keep_order(view, documents, keep)
    members = np.lexsort((clustered.order, clustered.order[clustered.heads]))
    _, starts, sizes = np.unique(clustered.order[clustered.heads[members]], return_index=True, return_counts=True)
    ranking = np.argsort(-sizes, kind="stable")[: int((sizes > 1).sum())]
    for index in ranking[: options.top].tolist():
        inside = members[starts[index] : starts[index] + sizes[index]]
        names = tuple(documents.name(rank) for rank in inside.tolist())
        kept = None if places is None else names[int(places[inside].argmin())]
        yield Cluster(names[0], names, int(clustered.links[inside].sum()), kept)


def connect(comparison: Comparison, pairs: list[U32] | None = None) -> Clustered:
    """Joins the pairs as they are found. pairs: takes their ranks, shape (2, n) a batch. Raises Corrupt."""
    order = comparison.documents.order
    count = len(comparison.documents)
    roots = np.arange(count, dtype=np.uint32)  # by place in the order of names
    links = np.zeros(count, np.int64)
    for found in comparison.batches():
        join(roots, order[found.a], order[found.b])
        links += np.bincount(found.a, minlength=count)
        if pairs is not None:
            pairs.append(np.stack((found.a, found.b)))
    heads = np.argsort(order).astype(np.uint32)[roots[order]]
    return Clustered(heads, np.bincount(heads, minlength=count)[heads], links, order)


def join(roots: U32, a: U32, b: U32) -> None:
    """Connects a[i] with b[i], shape (n,), for all i: roots, in place, holds the least number connected with each."""
    while True:
        root_a, root_b = roots[a], roots[b]
        apart = root_a != root_b
        if not apart.any():
            return
        a, b, root_a, root_b = a[apart], b[apart], root_a[apart], root_b[apart]
        np.minimum.at(roots, np.maximum(root_a, root_b), np.minimum(root_a, root_b))
        while not np.array_equal(further := roots[roots], roots):
            roots[:] = further
