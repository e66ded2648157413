"""Row 13: damaged inputs of everything that reads bytes of others. tools/fuzz does it for longer, and with coverage."""

import pytest

from tests.fuzz.run import plain
from tests.fuzz.targets import TARGETS

SECONDS, INPUTS = 10, 60
"""Of each target: in full, and in short."""


@pytest.mark.parametrize("name", TARGETS)
def test_only_errors_that_are_named(name, amount, figure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = plain(name, amount(60, SECONDS), most=amount(INPUTS, None))
    assert tried.inputs > 0
    figure(13, name, f"{tried.inputs:,} inputs, at most {tried.slowest:.1f} s for one")
