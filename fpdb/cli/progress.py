"""Progress on standard error: a bar on a terminal, and what is skipped."""

import math
import re
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from fpdb.cli.terminal import count_text, printable, say, size_text, time_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from fpdb.ingest.files import Skipped

PATIENCE = 0.5
"""Seconds before a bar appears."""

INTERVAL = 0.1
"""Seconds between updates of the bar."""

_DETAILS = re.compile(r"\([^()]*\)|\"[^\"]*\"|'[^']*'|\d[\d,.]*")

EXAMPLES = 3
"""Messages of one kind to print; a wrong field name would make one for each of a million records."""


class ProgressDisplay:
    """Prints messages at once, and draws a bar on a terminal if the work takes long."""

    def __init__(
        self,
        verb: str = "",
        total: Callable[[], int | None] = lambda: None,
        *,
        shown: bool = True,
        verbose: bool = False,
    ) -> None:
        """Begin to watch.

        Args:
            verb: What is done; work that calls `stage` names its own stages.
            total: Counts the bytes of the work, when a bar is drawn; None if they are unknown.
            shown: Whether a bar may be drawn.
            verbose: Print every message, not three of each kind.
        """
        self._shown = shown and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None
        self._limit = math.inf if verbose else EXAMPLES
        self._messages: dict[str, tuple[int, str]] = {}
        """For each kind, how many came, and what the first said."""
        self._begin(verb, total, size_text)

    def _begin(self, verb: str, total: Callable[[], int | None], amount: Callable[[float], str]) -> None:
        self._verb, self._total, self._amount = verb, total, amount
        self._since = time.monotonic()
        self._next = self._since + PATIENCE if self._shown else math.inf
        self._done = 0

    def done(self, size: int) -> None:
        """Count bytes as done; update the bar a few times a second."""
        self._done += size
        if time.monotonic() < self._next:
            return
        if self._bar is None:
            self._bar = self._draw()
        progress, task = self._bar
        progress.update(task, completed=self._done, figures=self._figures(progress.tasks[0].total))
        self._next = time.monotonic() + INTERVAL

    def stage(self, verb: str, noun: str, done: int, total: int) -> None:
        """Set how many of all are done in this stage; each stage has a bar of its own."""
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
        """Print what is skipped, above the bar; what was named itself in any case."""
        kind = None if skipped.requested else without_details(skipped.reason)
        self._say(kind, f"skipped {skipped.name}: ", skipped.reason)

    def noticed(self, place: str, what: str) -> None:
        """Print a notice, above the bar."""
        self._say(without_details(what), f"{place}: ", what)

    def _say(self, kind: str | None, place: str, what: str) -> None:
        """Print a message, unless there were enough of its kind."""
        if kind is not None:
            count, first = self._messages.get(kind, (0, what))
            self._messages[kind] = count + 1, first
            if count >= self._limit:
                return
        message = place + what
        if self._bar is None:
            say(message)
        else:
            self._bar[0].console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def __enter__(self) -> "ProgressDisplay":
        """Return the watcher."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar, and tell how many messages of each kind were not printed."""
        self.stop()
        for count, first in self._messages.values():
            if count > self._limit:
                say(f"... and {count - EXAMPLES:,} more like this: {first} (--verbose lists all)")

    def _draw(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (TextColumn(self._verb), BarColumn(), TextColumn("{task.fields[figures]}", markup=False))
        progress = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        progress.start()
        return progress, progress.add_task("", total=self._total(), figures="")


def without_details(reason: str) -> str:
    """Return a reason without what differs between documents: numbers, and what is in quotes or brackets."""
    return _DETAILS.sub("", reason)
