"""Rows 1 and 3: after kill -9, every acknowledged commit is there, and nothing of a commit that was not begun."""

import pytest

from tests.stress.shim import run_program


@pytest.mark.parametrize("half", [1, 2])
def test_killed_at_any_moment(half, amount, figure):
    kills = amount(12, 700)
    (outcome,) = run_program("killed_changes", half, kills)
    assert "bad" not in outcome, outcome
    assert outcome["killed"] == kills
    assert amount({"batch"}, {"batch", "compact", "merge"}) <= set(outcome["inside"])  # twelve may miss the others
    inside = ", ".join(f"{count} in a {what}" for what, count in sorted(outcome["inside"].items()) if what != "nothing")
    figure(1, "kills", f"{kills} ({inside}), no acknowledged commit lost, every file sound")


def test_killed_at_every_call_inside_backup_and_compact(amount, figure):
    (outcome,) = run_program("killed_copies", 1, amount(40, 1))
    assert "bad" not in outcome, outcome
    backups, compactions = outcome["backup"], outcome["compact"]
    assert backups > 0
    assert compactions > 0
    figure(3, "kills", f"{backups} in backup (absent or whole), {compactions} in compact (old or new), 0 damaged")
