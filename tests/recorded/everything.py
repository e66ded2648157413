"""All that is recorded: groups of cases, and what returns the outcome of each."""

from collections.abc import Callable, Mapping
from typing import Any

from . import library
from .command_lines import GROUPS
from .recorder import Group, Recorder

Cases = Mapping[str, Callable[[Recorder], Any]]


def groups() -> dict[str, Cases]:
    """Return all cases by group and name; calling one runs it."""
    return {**{name: _of_lines(group) for name, group in GROUPS.items()}, **library.cases()}


def _of_lines(group: Group) -> Cases:
    return {case: _bound(group, case) for case in group.cases}


def _bound(group: Group, case: str) -> Callable[[Recorder], Any]:
    return lambda recorder: recorder.run(group, case)
