"""Bars hold all scores, and clusters are the connected sources."""

from hypothesis import given
from hypothesis import strategies as st

from fpdb.report.contents import Contents, PageSource, Row
from fpdb.report.drawing import HEIGHT, clusters, histogram


@given(st.lists(st.floats(0, 1), max_size=30))
def test_every_score_is_in_its_bar(scores: list[float]) -> None:
    bars = histogram(scores)
    assert sum(bar.rows for bar in bars) == len(scores)
    assert all(abs(bar.y + bar.height - HEIGHT) < 0.11 for bar in bars)
    if scores:
        assert max(bar.height for bar in bars) == HEIGHT


def test_clusters_are_connected_by_rows_of_enough_score() -> None:
    contents = Contents(
        "Pairs", "pair", ("A", "B"), "shared", "containment", (), [PageSource(name, "same") for name in "dcbae"]
    )
    rows = [(0, 1, 0.9, False), (1, 2, 0.5, False), (2, 3, 0.4, False), (3, 4, 0.9, True), (3, 4, 0.6, False)]
    contents.rows = [Row(a, b, score, [], part=part) for a, b, score, part in rows]
    assert clusters(contents) == []
    contents.connect = 0.5
    first, second = clusters(contents)
    assert (first.members, first.rows, len(first.nodes), len(first.edges)) == ([2, 1, 0], [0, 1], 3, 2)
    assert (second.members, second.rows, second.nodes) == ([3, 4], [4], [])
