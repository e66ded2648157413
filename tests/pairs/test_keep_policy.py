"""The rule for the document that is kept: the first, the longest, or the one with the earliest value of a label."""

from types import SimpleNamespace

import pytest

from fpdb.errors import BadQuery
from fpdb.pairs.keep_policy import KeepRule

DOCUMENTS = {
    "first": SimpleNamespace(symbols=5, labels={}),
    "long": SimpleNamespace(symbols=9, labels={"term": "2"}),
    "old": SimpleNamespace(symbols=7, labels={"term": "1"}),
}


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("first", "first"),
        ("longest", "long"),
        ("label:term=1,2", "old"),
        ("label:term=2", "long"),
        ("label:x=1", "first"),
    ],
)
def test_the_kept_document_has_the_least_preference(rule: str, kept: str) -> None:
    preference = KeepRule.parse(rule).preference
    assert min(DOCUMENTS, key=lambda name: preference(DOCUMENTS[name])) == kept


@pytest.mark.parametrize("rule", ["", "last", "label:", "label:term", "label:=1", "longest:"])
def test_other_rules_are_refused(rule: str) -> None:
    with pytest.raises(BadQuery, match="first, longest or label:KEY=VALUE"):
        KeepRule.parse(rule)
