"""Limits hold for a document and for all that fail in a run, in this process and in its workers."""

import time
from multiprocessing import get_context

import pytest

import fpdb
from fpdb import limits
from fpdb.errors import Error, Unreadable
from fpdb.limits import timed_reading


def fail(seconds):
    """Read a document that fails when so much time has passed; return the reason."""
    try:
        with timed_reading():
            ended = time.monotonic() + seconds
            while time.monotonic() < ended:
                time.sleep(0.001)
            raise Unreadable("it fails")
    except Unreadable as error:
        return str(error)


def test_documents_that_fail_share_an_amount_of_time(limited):
    limited(seconds=0.01)
    passed_over = "passed over: documents that failed took more than 0.1 s already (see --max-seconds)"
    with limits.one_run():
        reasons = [fail(0.02) for _ in range(7)]
        assert reasons == ["it fails"] * 5 + [passed_over] * 2
        with limits.one_run():  # the same run
            assert fail(0) == passed_over
    assert [fail(0.02) for _ in range(7)] == ["it fails"] * 7
    with limits.one_run():
        assert fail(0) == "it fails"


def test_documents_that_are_read_give_time_to_those_that_fail(limited):
    """So a long run in which a few fail goes on; no more than a run begins with."""
    limited(seconds=0.01)
    with limits.one_run():
        for _ in range(4):
            assert fail(0.05) == "it fails"
            with timed_reading():
                assert fail(0) == "it fails"
                time.sleep(0.06)
        assert [fail(0.06) for _ in range(3)][1:] == ["it fails", fail(0)]


def _in_worker(shared):
    limits.adopt(shared)
    assert limits.current().memory == 77
    fail(0.02)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_share_the_limits_and_the_run(method, limited):
    limited(seconds=0.001, memory=77)
    with limits.one_run():
        process = get_context(method).Process(target=_in_worker, args=(limits.share(),))
        process.start()
        process.join()
        assert process.exitcode == 0
        assert fail(0).startswith("passed over: ")


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": -1.0}, {"memory": 0}, {"seconds": float("nan")}])
def test_limits_are_more_than_zero(wrong, limited):
    before = limits.current()
    with pytest.raises(Error, match="limits are more than zero"):
        limited(**wrong)
    assert limits.current() == before


@pytest.mark.usefixtures("limited")
def test_limits_are_public_and_have_defaults():
    fpdb.set_limits(memory=5)
    assert limits.current() == (30, 5)
    fpdb.set_limits(seconds=2)
    assert limits.current() == (2, 5)
