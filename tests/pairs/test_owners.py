"""Owners of documents: a label, or the first parts of the name."""

from types import SimpleNamespace

import pytest

from fpdb.errors import BadQuery
from fpdb.pairs.owners import OwnerRule


@pytest.mark.parametrize(
    ("rule", "owner"),
    [("label:owner", b"ann"), ("label:team", None), ("path:1", b"a"), ("path:2", b"a/b"), ("path:9", b"a/b/c")],
)
def test_the_rule_tells_the_owner(rule: str, owner: bytes | None) -> None:
    record = SimpleNamespace(name=b"./a//b/c", labels={"owner": "ann"})
    assert OwnerRule.parse(rule).owner(record) == owner


@pytest.mark.parametrize("rule", ["", "label", "label:", "path:", "path:0", "path:-1", "path:²", "folder:1"])
def test_other_rules_are_refused(rule: str) -> None:
    with pytest.raises(BadQuery, match="path:N or label:KEY"):
        OwnerRule.parse(rule)
