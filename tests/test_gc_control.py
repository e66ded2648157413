"""The collector of cycles is as it was after a commit, whatever came of it."""

import gc

import pytest

import fpdb
from fpdb.gc_control import gc_paused


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_is_as_it_was(collecting):
    before = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        with gc_paused():
            during = gc.isenabled()
        assert not during
        with pytest.raises(KeyError), gc_paused():
            raise KeyError
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()


def test_a_commit_that_fails_leaves_it_running(db):
    with pytest.raises(fpdb.NoSuchDocument):
        db.remove("nobody")
    db.add("somebody", "something that is long enough to be fingerprinted, or so one should think")
    assert gc.isenabled()
