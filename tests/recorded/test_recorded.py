"""Nothing that users get is another than it was when it was recorded: see `tests/recorded/__init__.py`."""

from collections.abc import Iterator

import pytest

from .command_lines import GROUPS
from .recorder import Recorder, differences, load

SHOWN = 300
"""Lines of differences that a failure shows."""


@pytest.fixture(scope="session")
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.close()


@pytest.mark.parametrize("name", GROUPS)
def test_command_lines(recorder: Recorder, name: str) -> None:
    group = GROUPS[name]
    found = {case: recorder.run(group, case) for case in group.cases}
    told = differences(load(name), found)
    if told:
        more = [] if len(told) <= SHOWN else [f"... and {len(told) - SHOWN} lines more"]
        record = [f"if this is meant: python -m tests.recorded {name}", ""]
        pytest.fail("\n".join(["not as recorded", *told[:SHOWN], *more, "", *record]), pytrace=False)
