"""Parameters of schemes are checked."""

import pytest

from fpdb.errors import BadRecipe
from fpdb.fingerprint import SCHEMES
from fpdb.fingerprint.selection import NO_POSITION, WHOLE
from fpdb.storage import file_format


@pytest.mark.parametrize("value", [0, -1, 2**20 + 1, 2.5, "21", True, None])
def test_a_bad_window_is_refused(value):
    with pytest.raises(BadRecipe, match=r"^w (is|must be) "):
        SCHEMES["winnow"].check("winnow", {"w": value})


LIMITS = {
    "winnow": {"w": (1, 2**20, 21)},
    "robust-winnow": {"w": (1, 2**20, 21)},
    "mod-winnow": {"w": (1, 2**20, 21), "r": (1, 500, 4), "s": (0, 500, 0)},
    "mod": {"p": (1, 2**31, 11)},
    "safe-mod": {"w": (1, 2**20, 21), "p": (0, 2**31, 0)},
    "smallest": {"n": (1, 2**31, 400)},
    "koala": {"search": (1, 2**31, 1000), "stored": (1, 2**31, 100), "skip": (0, 2**31, 1000)},
    "distinct": {
        "guarantee": (1, 2**20, 1000),
        "s": (0, 2**31, 0),
        "delta": (1e-9, 0.5, 0.01),
        "total": (0, 2**31, 0),
        "sparse": (0, 1, 0),
    },
    "full": {},
    "random": {"search": (1, 2**31, 1000), "stored": (1, 2**31, 100)},
}
"""The least, the most and the default of each parameter: databases that were created with it must stay readable."""


def test_the_limits_of_parameters_are_both_included():
    assert {
        scheme: {
            name: (parameter.minimum, parameter.maximum, parameter.default)
            for name, parameter in row.parameters.items()
        }
        for scheme, row in SCHEMES.items()
    } == LIMITS
    for scheme, row in SCHEMES.items():
        for name, parameter in row.parameters.items():
            for value in LIMITS[scheme][name]:
                assert parameter.check(name, value) == value
            for value in (parameter.minimum - 1, parameter.maximum + 1):
                with pytest.raises(BadRecipe, match=f"^{name} is "):
                    parameter.check(name, value)


def test_what_is_no_position_or_no_sample_is_the_same_to_the_store():
    assert NO_POSITION == file_format.LARGEST_POSITION + 1 == 2**32 - 1
    assert WHOLE == file_format.WHOLE == 2**32 - 1
