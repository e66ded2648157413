"""Shows how long work gets on: a bar on a terminal, and what is skipped. All on standard error."""

import math
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from fpdb.cli.output import count_text, printable, say, size_text, time_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from fpdb.ingest.files import Skipped

PATIENCE = 0.5
"""Seconds before a bar appears: short work shows none."""

MOST_SAID = 1000
"""Lines about what was skipped: a field with another name than expected is missing in a million records."""

INTERVAL = 0.1
"""Seconds between its moves."""


class TerminalWatcher:
    """Says what is skipped, at once; draws a bar on a terminal if the work takes its time."""

    def __init__(self, verb: str = "", total: Callable[[], int | None] = lambda: None, *, shown: bool = True) -> None:
        """verb: what is done. total: to how many bytes, counted only if a bar is drawn; None if that cannot be known.
        Work that calls `stage` names its own. shown: whether a bar may be drawn at all."""
        self._shown = shown and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None
        self._said = 0
        self._begin(verb, total, size_text)

    def _begin(self, verb: str, total: Callable[[], int | None], amount: Callable[[float], str]) -> None:
        self._verb, self._total, self._amount = verb, total, amount
        self._since = time.monotonic()
        self._next = self._since + PATIENCE if self._shown else math.inf
        self._done = 0

    def done(self, size: int) -> None:
        """Moves the bar on, a few times a second."""
        self._done += size
        if time.monotonic() < self._next:
            return
        if self._bar is None:
            self._bar = self._drawn()
        progress, task = self._bar
        progress.update(task, completed=self._done, figures=self._figures(progress.tasks[0].total))
        self._next = time.monotonic() + INTERVAL

    def stage(self, verb: str, noun: str, done: int, total: int) -> None:
        """Moves on in work of several stages, each with a bar of its own: so many of all, in all."""
        if verb != self._verb:
            self.stop()
            self._begin(verb, lambda: total, lambda count: count_text(round(count), noun))
        self.done(done - self._done)

    def _figures(self, total: float | None) -> str:
        rate = self._done / (time.monotonic() - self._since)
        figures = f"{self._amount(self._done)}, {self._amount(rate)}/s"
        if total is None or not rate:
            return figures
        return f"{figures}, {time_text(max(total - self._done, 0) / rate)} left of {self._amount(total)}"

    def skipped(self, skipped: "Skipped") -> None:
        """Says it above the bar."""
        self._say(f"skipped {skipped.name}: {skipped.reason}")

    def noticed(self, place: str, what: str) -> None:
        """Says it above the bar, too."""
        self._say(f"{place}: {what}")

    def _say(self, message: str) -> None:
        self._said += 1
        if self._said > MOST_SAID:
            return
        if self._bar is None:
            say(message)
        else:
            self._bar[0].console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def __enter__(self) -> "TerminalWatcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._said > MOST_SAID:
            say(f"... and {self._said - MOST_SAID:,} more of these")

    def _drawn(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (TextColumn(self._verb), BarColumn(), TextColumn("{task.fields[figures]}", markup=False))
        progress = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        progress.start()
        return progress, progress.add_task("", total=self._total(), figures="")
