"""Every error that is raised on purpose is a public `Error` that says what it means."""

import inspect

import pytest

import fpdb
from fpdb import errors

ERRORS = dict(inspect.getmembers(errors, inspect.isclass))


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_public_and_described(name):
    error = ERRORS[name]
    assert issubclass(error, fpdb.Error)
    assert name in fpdb.__all__
    assert getattr(fpdb, name) is error
    assert error.__doc__
    assert str(error("what is wrong")) == "what is wrong"
