"""Options are checked, and completed by the recipe."""

import math

import numpy as np
import pytest

import fpdb
from fpdb.search.options import QueryOptions


def only(answer):
    (match,) = answer.matches
    return match


@pytest.mark.parametrize(
    "options",
    [
        {"by": "size"},
        {"by": None},
        {"by": ["shared"]},
        *(
            {name: value}
            for name in ("smallest", "top")
            for value in (0, -1, 1.5, 3.0, "3", True, math.nan, math.inf, [])
        ),
        *({"max_df": value} for value in (0, -1, 1.5, "a", math.nan)),
        {"max_ignored": 3},
        {"max_df": 3, "max_ignored": -1},
        *({"min": value} for value in (-0.1, 1.5, math.nan, math.inf, "a", [], 1j)),
        {"by": "shared", "min": -1},
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(fpdb.BadQuery):
        QueryOptions(**options)


def test_numpy_numbers_are_options(db):
    db.add_fingerprints("a", [1, 2, 3])
    options = {"smallest": np.int64(2), "max_df": np.uint8(9), "top": np.int32(1), "min": np.float32(0.5)}
    assert only(db.query_fingerprints([1, 2, 3], **options)).shared == 2
