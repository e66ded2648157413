"""Row 2: after a loss of power, acknowledged commits are there and sound, whatever the disk kept of unsynced data.

The controls leave syncs out; the same simulation must find what that breaks.
"""

import pytest

from tests.stress.shim import run_program

AS_THEY_ARE = "as they are"


@pytest.mark.parametrize("half", [1, 2])
def test_power_lost_during_changes(half, amount, figure):
    states = amount(60, 5_200)
    (outcome,) = run_program("power_loss", half, states, "changes", AS_THEY_ARE)
    assert (outcome["good"], outcome["bad"]) == (states, 0), outcome
    figure(2, f"different states, half {half}", f"{states}, 0 bad")


def test_power_lost_during_copies(amount, figure):
    states = amount(40, 1_000)
    (outcome,) = run_program("power_loss", 1, states, "copies", AS_THEY_ARE)
    assert (outcome["good"], outcome["bad"]) == (states, 0), outcome
    figure(
        3, "states after a loss of power", f"{states}, every backup absent or whole, every compacted file old or new"
    )


@pytest.mark.parametrize(("what", "syncs"), [("changes", "data"), ("changes", "meta"), ("copies", "copies")])
def test_the_simulation_finds_what_a_missing_sync_breaks(what, syncs, amount, figure):
    states = amount(40, 500)
    (outcome,) = run_program("power_loss", 3, states, what, syncs)
    assert outcome["bad"] > 0
    missing = {
        "data": "LMDB's syncs",
        "meta": "the sync of LMDB's meta pages",
        "copies": "fpdb's syncs of files and folders",
    }[syncs]
    figure(2 if what == "changes" else 3, f"control without {missing}", f"{outcome['bad']} of {states} bad")
