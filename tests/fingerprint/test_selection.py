"""Parameters of schemes are checked."""

import pytest

from fpdb.errors import BadRecipe
from fpdb.fingerprint import SCHEMES


@pytest.mark.parametrize("value", [0, -1, 2**20 + 1, 2.5, "21", True, None])
def test_a_bad_window_is_refused(value):
    with pytest.raises(BadRecipe, match=r"^w (is|must be) "):
        SCHEMES["winnow"].check("winnow", {"w": value})
