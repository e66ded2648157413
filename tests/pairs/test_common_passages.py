"""Common passages: what many documents hold is found, and can be discarded."""

import numpy as np
import pytest

from fpdb.errors import BadQuery
from tests.pairs.made_up_words import words


def test_common_passages_are_found_and_can_be_discarded(db):
    header, footer = words(1, 40), words(2, 60)
    for number in range(6):
        own = words(10 + number, 60)
        db.add(f"{number}", f"{header}. {own}." if number == 5 else f"{header}. {own}. {footer}", keep_text=True)
    db.add("gone", f"{footer} {words(20, 30)}", keep_text=True)
    db.remove("gone")
    first, second = db.common(min_df=4)
    assert [(one.documents, one.name, one.source) for one in (first, second)] == [(6, "0", "same"), (5, "0", "same")]
    assert first.text in header
    assert len(first.text) > len(header) - 60
    assert second.text in f"{words(10, 60)}. {footer}"
    assert db.original("0")[second.start : second.end] == second.text
    assert [one.documents for one in db.common(min_df=4, top=1)] == [6]
    assert list(db.common(min_df=7)) == []
    assert len(list(db.pairs(min_shared=3))) == 15
    db.add_fingerprints("frame", np.concatenate([first.hashes, second.hashes]), boilerplate=True)
    assert list(db.pairs(min_shared=3)) == []
    assert list(db.common(min_df=4)) == []


def test_common_hashes_without_a_text(db):
    for number in range(3):
        db.add_fingerprints(f"{number}", [1, 2, 2, 10 + number])
    (passage,) = db.common(min_df=3)
    assert (passage.documents, passage.fingerprints, passage.name, passage.text) == (3, 2, "0", None)
    assert passage.hashes.tolist() == [1, 2]
    with pytest.raises(BadQuery):
        list(db.common(min_df=1))
