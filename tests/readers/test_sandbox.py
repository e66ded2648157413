"""Calls in the sandbox end in time, and survive a crash."""

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from fpdb.readers import sandbox
from tests.readers import essays

PDF = essays.pdf(essays.essay())


def test_what_takes_too_long_is_given_up(monkeypatch):
    """Such garbage takes the parser time that is quadratic in its length."""
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    with pytest.raises(Unreadable, match="reading it took more than 0 s"):
        KINDS["code"].read("*/ " * 20_000, "tokens", "a.cs")
    assert len(KINDS["code"].read("class A {}\n" * 2_000, "tokens", "a.cs")) == 8_000


def test_a_crash_is_no_crash_of_ours():
    helper = sandbox.Sandbox()
    assert helper.call("pages", PDF, size=len(PDF))
    helper._process.kill()
    helper._process.wait()
    with pytest.raises(Unreadable, match="crashed"):
        helper.call("pages", PDF, size=len(PDF))
    assert helper.call("pages", PDF, size=len(PDF))
    helper.stop()
