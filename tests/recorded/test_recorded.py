"""Nothing that users get is another than it was when it was recorded: see `tests/recorded/__init__.py`."""

from collections.abc import Iterator

import pytest

from .everything import groups
from .recorder import Recorder, differences, load

EVERY = groups()
SHOWN = 300
"""Lines of differences that a failure shows."""


@pytest.fixture(scope="session")
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.close()


@pytest.mark.parametrize("name", EVERY)
def test_all_is_as_recorded(recorder: Recorder, name: str) -> None:
    found = {case: run(recorder) for case, run in EVERY[name].items()}
    told = differences(load(name), found)
    if told:
        more = [] if len(told) <= SHOWN else [f"... and {len(told) - SHOWN} lines more"]
        record = [f"if this is meant: python -m tests.recorded {name}", ""]
        message = "\n".join(["not as recorded", *told[:SHOWN], *more, "", *record])
        pytest.fail(message.encode("utf-8", "backslashreplace").decode(), pytrace=False)  # as pytest-xdist can send it
