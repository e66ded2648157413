"""Drawings on the page: where the bars of the histogram and the nodes of clusters stand. Knows no HTML."""

from collections import defaultdict
from collections.abc import Sequence
from math import cos, pi, sin
from typing import Final, NamedTuple

import numpy as np

from fpdb.pairs.union_find import connect
from fpdb.report.contents import Contents

BINS: Final = 20
WIDTH, HEIGHT = 640, 160
DRAWN: Final = 40
"""Members up to which a cluster is drawn."""


class Bar(NamedTuple):
    """The number of rows with scores in [low, high), and the rectangle that stands for them."""

    low: str
    high: str
    rows: int
    x: float
    y: float
    width: float
    height: float


def histogram(scores: Sequence[float]) -> list[Bar]:
    """Return bars of equal width from 0 to 1; the last one includes 1, and the highest fills the height."""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS + 1e-9), BINS - 1)] += 1
    highest, step = max(*counts, 1), WIDTH / BINS
    bars = []
    for index, count in enumerate(counts):
        height = round(max(count / highest * HEIGHT, 2 if count else 0), 1)
        low, high = f"{index / BINS:.2f}", f"{(index + 1) / BINS:.2f}"
        bars.append(Bar(low, high, count, index * step + 1, round(HEIGHT - height, 1), step - 2, height))
    return bars


class Node(NamedTuple):
    """A member in the drawing: its source, and the centres of its dot and of its number."""

    source: int
    x: float
    y: float
    text_x: float
    text_y: float


class Edge(NamedTuple):
    """A row that connects two members. strength: 1 to 4, by its score."""

    row: int
    x1: float
    y1: float
    x2: float
    y2: float
    strength: int


class ClusterDrawing(NamedTuple):
    """A cluster: sources and the rows that connect them, by index; without nodes and edges if there are too many."""

    members: list[int]
    rows: list[int]
    nodes: list[Node]
    edges: list[Edge]


def clusters(contents: Contents) -> list[ClusterDrawing]:
    """Return sources connected by rows of enough score, the largest clusters first, then by rank."""
    if contents.connect is None:
        return []
    connecting = [index for index, row in enumerate(contents.rows) if not row.part and row.score >= contents.connect]
    roots = np.arange(len(contents.sources), dtype=np.uint32)
    a, b = (np.array([getattr(contents.rows[index], side) for index in connecting], np.uint32) for side in "ab")
    connect(roots, a, b)
    members, rows = defaultdict(list), defaultdict(list)
    for index, root in enumerate(roots.tolist()):
        members[root].append(index)
    for index in connecting:
        rows[int(roots[contents.rows[index].a])].append(index)
    order = sorted(rows, key=lambda root: (-len(members[root]), rows[root][0]))
    names = [source.name for source in contents.sources]
    return [_drawing(contents, sorted(members[root], key=names.__getitem__), rows[root]) for root in order]


def _drawing(contents: Contents, members: list[int], rows: list[int]) -> ClusterDrawing:
    if not 3 <= len(members) <= DRAWN:
        return ClusterDrawing(members, rows, [], [])
    nodes = {}
    for place, source in enumerate(members):
        angle = 2 * pi * place / len(members) - pi / 2
        x, y = cos(angle), sin(angle)
        nodes[source] = Node(source, *(round(value, 1) for value in (x * 80, y * 80, x * 96, y * 96)))
    edges = []
    for index in rows:
        row = contents.rows[index]
        a, b = nodes[row.a], nodes[row.b]
        edges.append(Edge(index, a.x, a.y, b.x, b.y, min(int(row.score * 4) + 1, 4)))
    return ClusterDrawing(members, rows, list(nodes.values()), edges)
