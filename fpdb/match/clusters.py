"""Clusters: documents connected by pairs that pass the thresholds, directly or through others.

The pairs are joined as they are counted, and none is kept. Knows nothing of how pairs are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fpdb.match.comparison import Comparison, PairOptions, Watch
from fpdb.store.snapshot import Snapshot

U32 = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Two or more connected documents, or owners. members: in order of their names' bytes; the first names the
    cluster. pairs: how many pairs that pass connect them."""

    name: str
    members: tuple[str, ...]
    pairs: int

    def __len__(self) -> int:
        return len(self.members)


def clusters(view: Snapshot, options: PairOptions, watch: Watch | None = None) -> Iterator[Cluster]:
    """The clusters, the largest first, then by name; `top` of them at most. Raises Corrupt."""
    comparison = Comparison(view, replace(options, top=None), watch)
    documents = comparison.documents
    order = documents.order
    roots = np.arange(len(documents), dtype=np.uint32)  # by place in the order of names
    links = np.zeros(len(documents), np.int64)
    for found in comparison.batches():
        join(roots, order[found.a], order[found.b])
        links += np.bincount(order[found.a], minlength=len(links))
    by_name = np.argsort(order)
    members = np.argsort(roots, kind="stable")
    heads, starts, sizes = np.unique(roots[members], return_index=True, return_counts=True)
    ranking = np.lexsort((heads, -sizes))[: int((sizes > 1).sum())]
    for index in ranking[: options.top].tolist():
        inside = members[starts[index] : starts[index] + sizes[index]]
        names = tuple(documents.names[rank].decode("utf-8", "surrogateescape") for rank in by_name[inside].tolist())
        yield Cluster(names[0], names, int(links[inside].sum()))


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
