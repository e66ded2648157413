"""Options of commands that also write a report."""

import csv
import io
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fpdb.cli.arguments import argument_group, option
from fpdb.cli.output import harmless_cell, replace_file
from fpdb.cli.target import Target, output_path
from fpdb.cli.terminal import say

if TYPE_CHECKING:
    from fpdb.options import HeadingKeywords
    from fpdb.report.report import Report

NOT_TOLD = frozenset(("report", "title", "note", "anonymous", "format", "path", "jobs", "verbose"))
"""Options that say nothing of what was compared."""


@argument_group
class ReportOutput:
    """Options for a report beside the output."""

    report: str | None = option(
        "Also write an HTML page that shows the matching texts side by side; it needs no network.",
        type=click.Path(),
        callback=output_path,
        metavar="FILE.html",
    )
    title: str | None = option("With --report: the title of the page.", metavar="TEXT")
    note: str | None = option("With --report: what the page says below its title.", metavar="TEXT")
    anonymous: bool = option(
        "With --report: show numbers instead of names of documents and owners, and write whose they are to "
        "FILE.html.names.csv, for you alone."
    )

    def __post_init__(self) -> None:
        """Check that there is a report for what is asked of it."""
        if self.report is None and (self.title or self.note or self.anonymous):
            raise click.UsageError("--title, --note and --anonymous are about a report: give --report FILE.html")
        if self.anonymous and self.report == "-":
            raise click.UsageError("--anonymous writes a second file: give --report the name of a file")

    def heading(self, target: Target) -> "HeadingKeywords":
        """Return what the page says of itself."""
        return {
            "title": self.title or "",
            "note": self.note or "",
            "database": os.path.basename(target.path),
            "options": given_options(click.get_current_context()),
            "made": datetime.now(UTC),
            "anonymous": self.anonymous,
        }

    def write(self, page: "Report | None") -> None:
        """Write the page, if there is one, and whose numbers are on it."""
        if page is None or self.report is None:
            return
        html = page.html()
        with replace_file(self.report) as file:
            file.write(html.encode())
        if self.anonymous:
            names = f"{self.report}.names.csv"
            with replace_file(names) as file:
                file.write(_csv([("number", "name"), *page.names]))
            os.chmod(names, 0o600)
            say(f"whose the numbers are is in {names}")


def given_options(context: click.Context) -> list[str]:
    """Return the options of a command that were given and say what was compared."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and isinstance(parameter, click.Option) and name not in NOT_TOLD:
            value = context.params[name]
            for each in value if parameter.multiple else [value]:
                words += [parameter.opts[0], *([] if parameter.is_flag else [_words(each)])]
    return words


def _words(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "=".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _csv(rows: list[tuple[str, str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([map(harmless_cell, row) for row in rows])
    return text.getvalue().encode("utf-8", "surrogateescape")
