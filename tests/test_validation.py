"""Integers are checked alike everywhere."""

import numpy as np
import pytest

from fpdb.errors import BadQuery, Error
from fpdb.validation import check_integer


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_become_ints(value):
    checked = check_integer(value, "n", 3, maximum=3)
    assert type(checked) is int
    assert checked == 3


@pytest.mark.parametrize("value", [True, 2, 5, 3.0, "3", None])
def test_what_is_no_whole_number_in_range_is_refused(value):
    with pytest.raises(Error, match=r"^n must be a whole number from 3 to 4, not "):
        check_integer(value, "n", 3, maximum=4)


def test_a_number_that_no_kernel_takes_is_refused():
    with pytest.raises(
        Error, match=r"^n must be a whole number from 1 to 9223372036854775807, not 9223372036854775808$"
    ):
        check_integer(2**63, "n", 1)


def test_messages_are_those_of_the_caller():
    with pytest.raises(BadQuery, match=r"^top must be a whole number, 1 or more, not 0$"):
        check_integer(0, "top", 1, error=BadQuery)
    with pytest.raises(Error, match=r"^jobs come in whole numbers, not 'x'$"):
        check_integer("x", "jobs", 1, message="jobs come in whole numbers")
