"""Row 13: damaged inputs of every decoder and reader raise documented errors only.

`tools/fuzz` tries more inputs, guided by coverage.
"""

import pytest

from tests.fuzz.run import fuzz_at_random
from tests.fuzz.targets import TARGETS

SECONDS, INPUTS = 10, 60
"""Of each target: in full, and in short."""


@pytest.mark.parametrize("name", TARGETS)
def test_only_errors_that_are_named(name, amount, figure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = fuzz_at_random(name, amount(60, SECONDS), most=amount(INPUTS, None))
    assert tried.inputs > 0
    figure(13, name, f"{tried.inputs:,} inputs, at most {tried.slowest:.1f} s for one")
