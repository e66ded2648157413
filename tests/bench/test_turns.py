"""Figures of two versions are compared by their medians."""

from bench.turns import Ratio, compare


def test_ratios_are_those_of_the_medians_of_what_both_versions_have() -> None:
    old = {("query", "time", "ms"): [2.0, 9.0, 4.0], ("query", "gone", "ms"): [1.0], ("query", "zero", "ms"): [0.0]}
    new = {("query", "zero", "ms"): [1.0], ("query", "time", "ms"): [1.0, 3.0, 2.0], ("query", "new", "ms"): [1.0]}
    assert compare(old, new) == [Ratio("query", "time", "ms", 4.0, 2.0, 0.5)]
