"""Every field of a result is a column, or it is known why it is none."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import fpdb
from fpdb import columns
from fpdb.columns import ResultColumn
from fpdb.pairs.explanation import ExplainedDocument

NOT_COLUMNS = {
    fpdb.Match: {"part"},
    fpdb.Pair: {"document_pairs"},
    fpdb.Cluster: {"members"},
    fpdb.CommonPassage: {"hashes"},
    ExplainedDocument: {"name", "in_database", "boilerplate"},
}
"""Fields that do not fit in a cell, or that only JSON and tables have."""

RESULTS = {
    fpdb.Match: columns.MATCH,
    fpdb.Pair: columns.PAIR,
    fpdb.Drop: columns.DROP,
    fpdb.Span: columns.SPAN,
    fpdb.CommonPassage: columns.COMMON_PASSAGE,
    fpdb.Document: columns.DOCUMENT,
    ExplainedDocument: columns.EXPLAINED_DOCUMENT,
}


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_every_field_is_a_column(result: Any) -> None:
    names = [field.name for field in fields(result)] if is_dataclass(result) else list(result._fields)
    described = {column.name for column in RESULTS[result]}
    assert described == {name.rstrip("_") for name in names} - NOT_COLUMNS.get(result, set())


def test_a_cell_has_the_format_of_its_type() -> None:
    assert ResultColumn("x", int).text(1234) == "1,234"
    assert ResultColumn("x", float).text(0.5) == "0.500"
    assert ResultColumn("x", float, "x", ".1%").text(0.5) == "50.0%"
    assert (ResultColumn("x").text(None), ResultColumn("x", missing="-").text(None)) == ("", "-")


@pytest.mark.parametrize(
    ("measure", "regions", "groups"),
    [
        ("containment", False, set()),
        ("shared", True, {"coverage", "regions"}),
        ("weighted_resemblance", False, {"weighted", "pair_weights"}),
        ("weighted_containment", True, {"weighted", "pair_weights", "coverage", "regions"}),
        ("query_coverage", False, {"coverage"}),
        ("similarity", True, {"coverage", "similarity", "pair_weights", "regions"}),
    ],
)
def test_groups_follow_from_the_measure(measure: str, regions: bool, groups: set[str]) -> None:
    assert columns.measure_groups(measure, regions=regions) == groups
