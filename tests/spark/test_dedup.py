"""A drop list is that of a database."""

from fpdb.spark import drop_list
from tests.spark.rows import rows


def test_drop_list(found, local):
    options = {"max_df": 30, "by": "similarity", "min": 0.12, "new": ("lang", "en"), "top": 19}
    keep = "label:lang=fr,en"
    expected = [tuple(drop.to_dict().values()) for drop in local.drop_list(keep=keep, **options)]
    assert {row[-2] for row in expected} == {"similar", "connected"}
    assert len(expected) == 19
    assert rows(drop_list(found, keep=keep, **options)) == expected
