"""Options of pairs are checked."""

import pytest

from fpdb.errors import BadQuery


@pytest.mark.parametrize(
    "options",
    [
        {"by": "reverse_containment"},
        {"min": 1.1},
        {"min": float("nan")},
        {"min_shared": 0},
        {"min_shared": None},
        {"top": 0},
        {"max_df": -1},
        {"owners": "path:0"},
        {"owners": "folder"},
        {"owners": "label:"},
    ],
)
def test_options_that_make_no_sense(db, options):
    with pytest.raises(BadQuery):
        db.pairs(**options)
