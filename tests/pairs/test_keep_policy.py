"""The rule for the document that is kept: the first, the longest, or the one with the earliest value of a label."""

import numpy as np
import pytest

from fpdb.errors import BadQuery
from fpdb.pairs.keep_policy import KeepRule
from fpdb.storage.document_table import DocumentTable

NAMES = ["first", "long", "old"]
COUNTS = np.array([[5, 0, 0, 0, 0], [9, 0, 0, 0, 0], [7, 0, 0, 0, 0]])
LABELS = {"term": [None, "2", "1"], "x": [None, None, None]}
DOCUMENTS = DocumentTable(np.arange(3, dtype=np.uint32), [], [], np.empty((3, 0), np.uint8), COUNTS, LABELS)


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("longest", "long"),
        ("label:term=1,2", "old"),
        ("label:term=2", "long"),
        ("label:term=3,2,2,1", "long"),
        ("label:term=", "first"),
        ("label:x=1", "first"),
    ],
)
def test_the_kept_document_has_the_least_preference(rule: str, kept: str) -> None:
    assert NAMES[KeepRule.parse(rule).preferences(DOCUMENTS).argmin()] == kept


@pytest.mark.parametrize("rule", ["", "last", "label:", "label:term", "label:=1", "longest:"])
def test_other_rules_are_refused(rule: str) -> None:
    with pytest.raises(BadQuery, match="first, longest or label:KEY=VALUE"):
        KeepRule.parse(rule)
