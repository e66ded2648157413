"""Calls in the sandbox end in time and in memory, and survive a crash."""

import os
import signal

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from fpdb.limits import timed_reading
from fpdb.readers import sandbox
from tests import crafted_documents as crafted
from tests.readers import essays

PDF = essays.pdf(essays.essay())
SLOW = "*/ " * 20_000
"""Such garbage takes the parser of C# time that is quadratic in its length."""


def pages(helper):
    with timed_reading() as reading:
        return helper.call("pages", PDF, 100, 1 << 20, True, reading=reading)[0]


def test_what_takes_too_long_is_given_up(limited):
    limited(seconds=0.3)
    with pytest.raises(Unreadable, match=r"reading it took more than 0.3 s \(see --max-seconds\)"):
        KINDS["code"].read(SLOW, "tokens", "a.cs")
    limited(seconds=30)
    assert len(KINDS["code"].read("class A {}\n" * 2_000, "tokens", "a.cs")) == 8_000


@pytest.mark.parametrize("name", crafted.GREEDY)
def test_what_takes_too_much_memory_is_given_up(name, limited):
    """Then the next document is read by another process."""
    kind, content = crafted.GREEDY[name]()
    limited(memory=60_000_000)
    with pytest.raises(
        Unreadable, match=r"(takes more than 60.0 MB of memory \(see --max-memory\)|at most 7565536 are)"
    ):
        KINDS[kind].read(content, KINDS[kind].alphabets[0], name)
    assert KINDS["pdf"].read(PDF).note.startswith("pdf, ")


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSEGV])
def test_a_crash_is_no_crash_of_ours(ending):
    helper = sandbox.Sandbox()
    assert pages(helper)
    first = helper._process.pid
    os.kill(first, ending)
    helper._process.wait()
    with pytest.raises(Unreadable, match="crashed"):
        pages(helper)
    assert pages(helper)
    assert helper._process.pid != first
    helper.stop()


def test_a_worker_whose_parent_is_gone_ends_by_itself(limited):
    """The system ends it when its processor time is over, whoever waits for it."""
    limited(seconds=0.5)
    helper = sandbox.Sandbox()
    with timed_reading() as reading:
        unhurried = reading._replace(deadline=reading.deadline + 60)
        with pytest.raises(Unreadable, match="crashed"):
            helper.call("leaves", "tree_sitter_c_sharp", "language", [], (SLOW * 3).encode(), reading=unhurried)
