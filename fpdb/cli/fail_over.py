"""--fail-over: the exit status tells whether something is too much alike, for scripts and continuous integration."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import click

from fpdb.cli.arguments import option

REACHED: Final = 3
"""The exit status if a result reaches the value of --fail-over."""

T = TypeVar("T")


def fail_over_option() -> Any:
    """Declare --fail-over."""
    return option("Exit with status 3 if the measure of any result is at least X.", metavar="X")


class FailOver:
    """Notes whether a result reaches a value; None if none is asked for."""

    def __init__(self, value: float | None, by: str | None) -> None:
        """Take the value; nothing has reached it. by: the measure, if one is asked for. Raises UsageError."""
        if value is not None and by != "shared" and not 0 <= value <= 1:
            percent = f": {value:g}% is {value / 100:g}" if 1 < value <= 100 else ""
            raise click.UsageError(f"--fail-over is from 0 to 1, not {value:g}{percent}")
        self.value, self._is_reached = value, False

    def watched(self, results: Iterable[T], score: Callable[[T], float]) -> Iterator[T]:
        """Yield the results, and note whether the score of one reaches the value."""
        for result in results:
            self.note([score(result)])
            yield result

    def note(self, scores: Iterable[float]) -> None:
        """Note whether one of the scores reaches the value."""
        if self.value is not None and any(score >= self.value for score in scores):
            self._is_reached = True

    def exit(self) -> None:
        """Exit with REACHED if a result has reached the value."""
        if self._is_reached:
            sys.exit(REACHED)
