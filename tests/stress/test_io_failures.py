"""Row 4: full disks and failing calls give an error with advice and lose nothing.

Once there is room again, the database works.
"""

import pytest

from tests.stress.shim import run_program

ADVICE = ("make room and try again", "raise the limit (ulimit -f) and try again", "and run 'fpdb check'")


def advises(messages, beginning):
    """Return True if each message is of that error, and ends with what to do."""
    return messages and all(message.startswith(beginning) and message.endswith(ADVICE) for message in messages)


def faults(outcomes):
    return [outcome["bad"] for outcome in outcomes if "bad" in outcome]


@pytest.mark.parametrize("half", [0, 1])
def test_every_call_of_every_change_may_fail(half, amount, figure):
    *bad, total = run_program("failing_calls", "library", half, amount(720, 2))
    assert faults(bad) == []
    assert advises(total["messages"], "StorageFailure: "), total
    assert 0 < total["raised"] < total["failures"]  # of the others, merges are done by a later commit
    figure(4, "failing calls", f"{total['failures']}, {total['raised']} of them an error, 0 documents lost")


def test_commands_end_with_one_line_when_calls_fail(amount, figure):
    *bad, total = run_program("failing_calls", "commands", 1, amount(500, 1))
    assert faults(bad) == []
    assert advises(total["messages"], "fpdb: "), total
    figure(4, "commands with a failing call", f"{total['commands']}, {total['status 1']} of them ended with status 1")


def test_disks_may_be_full_and_files_may_not_grow(amount, figure):
    *bad, disk, ext4, limited = run_program("full_disks", 0, amount(40, 1))
    assert faults(bad) == []
    assert advises(limited["messages"], "StorageFailure: "), limited
    figure(4, "RLIMIT_FSIZE", f"{limited['attempts']} changes, {limited['raised']} of them an error, no signal")
    for full in (disk, ext4):
        if "impossible" in full:
            figure(4, f"full {full['where']}", f"not tried: {full['impossible']}")
            continue
        assert advises(full["messages"], "StorageFailure: "), full
        figure(4, f"full {full['where']}", f"{full['attempts']} changes, {full['raised']} of them an error, no signal")
