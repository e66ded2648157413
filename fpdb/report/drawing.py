"""What is drawn on the page: where the bars of the histogram and the nodes of the clusters stand. Knows no HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import cos, pi, sin
from typing import Final, NamedTuple

from fpdb.report.contents import Contents

BINS: Final = 20
WIDTH, HEIGHT = 640, 160
DRAWN: Final = 40
"""Members that a cluster is drawn up to."""


class Bar(NamedTuple):
    """Scores in [low, high): so many, and the rectangle that stands for them."""

    low: str
    high: str
    rows: int
    x: float
    y: float
    width: float
    height: float


def histogram(scores: Sequence[float]) -> list[Bar]:
    """Bars of equal width from 0 to 1; the last one includes 1. The highest fills the height."""
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
    """A member where it stands in the drawing: its source, and the centre of its dot and of its number."""

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


class Group(NamedTuple):
    """A cluster: sources, by index, and rows that connect them. nodes, edges: none where there are too many."""

    members: list[int]
    rows: list[int]
    nodes: list[Node]
    edges: list[Edge]


def clusters(contents: Contents) -> list[Group]:
    """Sources connected by rows of enough score, directly or through others; the largest first, then by rank."""
    if contents.connect is None:
        return []
    roots = list(range(len(contents.sources)))

    def root(index: int) -> int:
        while roots[index] != index:
            roots[index] = index = roots[roots[index]]
        return index

    connecting = [index for index, row in enumerate(contents.rows) if not row.part and row.score >= contents.connect]
    for index in connecting:
        a, b = root(contents.rows[index].a), root(contents.rows[index].b)
        roots[max(a, b)] = min(a, b)
    members, rows = defaultdict(list), defaultdict(list)
    for index in range(len(roots)):
        members[root(index)].append(index)
    for index in connecting:
        rows[root(contents.rows[index].a)].append(index)
    order = sorted(rows, key=lambda head: (-len(members[head]), rows[head][0]))
    names = [source.name for source in contents.sources]
    return [_group(contents, sorted(members[head], key=names.__getitem__), rows[head]) for head in order]


def _group(contents: Contents, members: list[int], rows: list[int]) -> Group:
    if not 3 <= len(members) <= DRAWN:
        return Group(members, rows, [], [])
    nodes = {}
    for place, source in enumerate(members):
        angle = 2 * pi * place / len(members) - pi / 2
        x, y = cos(angle), sin(angle)
        nodes[source] = Node(source, *(round(value, 1) for value in (x * 80, y * 80, x * 96, y * 96)))
    edges = []
    for index in rows:
        row = contents.rows[index]
        one, other = nodes[row.a], nodes[row.b]
        edges.append(Edge(index, one.x, one.y, other.x, other.y, min(int(row.score * 4) + 1, 4)))
    return Group(members, rows, list(nodes.values()), edges)
