"""Bars hold all scores; what stands out lies above the quartiles' fence."""

from statistics import median

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.report.drawing import HEIGHT, distribution


@given(st.lists(st.floats(0, 1), max_size=30))
def test_every_score_is_in_its_bar(scores: list[float]) -> None:
    drawn = distribution(scores)
    assert sum(bar.rows for bar in drawn.bars) == len(scores)
    assert all(abs(bar.y + bar.height - HEIGHT) < 0.11 for bar in drawn.bars)
    if scores:
        assert max(bar.height for bar in drawn.bars) == HEIGHT
        assert np.isclose(drawn.median, median(scores))
    assert drawn.outliers == sum(score > drawn.fence for score in scores)


def test_what_stands_out() -> None:
    drawn = distribution([0.1, 0.1, 0.12, 0.14, 0.15, 0.16, 0.9])
    assert drawn.outliers == 1
    assert [bar.low for bar in drawn.bars if bar.stands_out and bar.rows] == ["0.90"]
