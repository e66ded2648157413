"""Shows how a load gets on: a bar on a terminal, and what is skipped. All on standard error."""

import math
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from fpdb.cli.output import printable, say, size_text, time_text
from fpdb.load import Skipped

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5
"""Seconds before a bar appears: short work shows none."""

INTERVAL = 0.1
"""Seconds between its moves."""


class TerminalWatcher:
    """Says what is skipped, at once; draws a bar on a terminal if the work takes its time."""

    def __init__(self, total: Callable[[], int | None]) -> None:
        """total: the bytes in all, counted only if a bar is drawn; None if that cannot be known."""
        self._total = total
        self._since = time.monotonic()
        self._next = self._since + PATIENCE if sys.stderr.isatty() else math.inf
        self._size = 0
        self._bar: tuple[Progress, TaskID] | None = None

    def done(self, size: int) -> None:
        """Moves the bar on, a few times a second."""
        self._size += size
        if time.monotonic() < self._next:
            return
        if self._bar is None:
            self._bar = self._drawn()
        progress, task = self._bar
        progress.update(task, completed=self._size, figures=self._figures(progress.tasks[0].total))
        self._next = time.monotonic() + INTERVAL

    def _figures(self, total: float | None) -> str:
        rate = self._size / (time.monotonic() - self._since)
        figures = f"{size_text(self._size)}, {size_text(rate)}/s"
        if total is None or not rate:
            return figures
        return f"{figures}, {time_text(max(total - self._size, 0) / rate)} left of {size_text(total)}"

    def skipped(self, skipped: Skipped) -> None:
        """Says it above the bar."""
        message = f"skipped {skipped.name}: {skipped.reason}"
        if self._bar is None:
            say(message)
        else:
            self._bar[0].console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> "TerminalWatcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def _drawn(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (TextColumn("adding"), BarColumn(), TextColumn("{task.fields[figures]}", markup=False))
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task("", total=self._total(), figures="")
