"""Regions are joined and measured as their definitions say."""

from hypothesis import given
from hypothesis import strategies as st

from fpdb.regions.region import coverage


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted), max_size=9), st.integers(60, 80))
def test_coverage_counts_symbols_once(spans, symbols):
    inside = {at for start, end in spans for at in range(start, end)}
    assert coverage(spans, symbols) == len(inside) / symbols
    assert coverage(spans, 0) == 0


def test_coverage_is_a_share() -> None:
    assert coverage([(0, 1)], 1) == 1
    assert coverage([(3, 9)], 5) == 1  # positions that go beyond the symbols
