"""Ranks of documents: new ones first, and no space for ids no longer used."""

from datetime import UTC, datetime, timedelta

import numpy as np

from fpdb.pairs import _counting, compared_set


def test_since(db):
    db.add_fingerprints("a", [1])
    db.add_fingerprints("b", [1])
    assert len(list(db.pairs(since=datetime.now(UTC) - timedelta(hours=1)))) == 1
    assert list(db.pairs(since=datetime.now(UTC) + timedelta(hours=1))) == []


def test_ids_long_gone_take_no_space():
    """The table of ranks has pages only where documents are."""
    documents = np.array([5, 4_096 * 9 + 1, 4_096 * 9 + 3], np.uint32)
    made = compared_set.RankTable.build(documents, np.arange(3, dtype=np.uint32))
    assert len(made.table) == 3 * _counting.PAGE
    asked = np.array([0, 5, 6, 4_095, 4_096 * 9, 4_096 * 9 + 1, 4_096 * 9 + 3, 4_096 * 10, 2**32 - 1], np.uint32)
    ranks = made.look_up(asked)
    gone = compared_set.NONE
    assert ranks.tolist() == [gone, 0, gone, gone, gone, 1, 2, gone, gone]
