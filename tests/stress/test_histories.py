"""Row 11: after any history, a database answers as a dict does; see `tests.stress.state_machine`."""

import pytest

from tests.stress.shim import run_program


@pytest.mark.parametrize("part", range(1, 5))
def test_a_database_is_a_dict(part, amount, figure):
    """Each part tries other histories."""
    (outcome,) = run_program("state_machine", amount(4, 620), amount(40, 50))
    assert outcome["steps"] >= amount(40, 25_000)
    merges, killed = outcome.get("merges", 0), outcome.get("killed", 0)  # a short run may have none
    counts = f"{outcome['steps']:,} steps, {merges:,} merges, {killed:,} killed in a step"
    assert merges >= amount(0, 2_000)
    assert killed >= amount(0, 400)
    figure(
        11,
        f"{outcome['histories']:,} histories, part {part}",
        f"{counts}; after each step, all said is what the dict says",
    )
