"""Options that several commands share."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar, cast

import click

from fpdb.cli.output import Output
from fpdb.cli.parameters import LazyChoice
from fpdb.cli.table import DEFAULT_TOP
from fpdb.cli.target import output_path

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def combine(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return one decorator that adds these options, in this order."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


def collect(dataclass: type, parameter: str = "arguments") -> Callable[[Command], Command]:
    """Pass all values that are fields of a dataclass to the command as one parameter."""
    names = [field.name for field in fields(dataclass)]

    def with_dataclass(command: Command) -> Command:
        @functools.wraps(command)
        def collected(*positional: Any, **values: Any) -> Any:
            instance = dataclass(**{name: values.pop(name) for name in names})
            return command(*positional, **values, **{parameter: instance})

        return cast(Command, collected)

    return with_dataclass


def paths_argument(**settings: Any) -> Callable[[Command], Command]:
    """Add PATH..., at least one."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=True, **settings)


def format_option(command: Command) -> Command:
    """Add --format."""
    return click.option(
        "--format",
        type=click.Choice(["table", "json", "csv"]),
        default="table",
        show_default=True,
        help="Output format: a table for people, one JSON object a line, or CSV.",
    )(command)


def output_options(formats: Iterable[str] = (), note: str = "") -> Callable[[Command], Command]:
    """Add --format with Parquet and further formats, and --output; pass an `Output` as `output`."""

    def with_options(command: Command) -> Command:
        @click.option(
            "--format",
            type=click.Choice(["table", "json", "csv", "parquet", *formats]),
            default="table",
            show_default=True,
            help="Output format: a table for people, one JSON object a line, CSV, or Parquet (needs fpdb[parquet])"
            f"{note}.",
        )
        @click.option(
            "--output",
            type=click.Path(),
            default="-",
            callback=output_path,
            metavar="FILE",
            help="Write to FILE, which appears only when it is complete.  [default: standard output]",
        )
        @functools.wraps(command)
        def with_output(*positional: Any, format: str, output: str, **values: Any) -> Any:
            return command(*positional, output=Output(format, output), **values)

        return cast(Command, with_output)

    return with_options


def names_options(command: Command) -> Command:
    """Add --names and -0; pass what ends each name as `separator`, or None if no names are asked for."""

    @click.option("--names", is_flag=True, help="Print only the names, one a line.")
    @click.option("-0", "--null", is_flag=True, help="With --names: end each name with NUL instead of a newline.")
    @functools.wraps(command)
    def with_names(*positional: Any, names: bool, null: bool, format: str, **values: Any) -> Any:
        if names and format != "table":
            raise click.UsageError("--names prints no table: leave --format out")
        if null and not names:
            raise click.UsageError("-0 ends names: give --names too")
        separator = None if not names else "\0" if null else "\n"
        return command(*positional, separator=separator, format=format, **values)

    return cast(Command, with_names)


def region_options(noun: str) -> Callable[[Command], Command]:
    """Add --regions and --gap; SARIF implies --regions.

    Args:
        noun: What has regions, for the help text.
    """

    def with_options(command: Command) -> Command:
        @click.option(
            "--regions",
            is_flag=True,
            help=f"Also show where the texts of each {noun} agree: lines, and characters in JSON.",
        )
        @click.option(
            "--gap",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="With --regions: join regions at most N symbols apart.",
        )
        @functools.wraps(command)
        def with_regions(*positional: Any, regions: bool, gap: int, format: str, **values: Any) -> Any:
            regions |= format == "sarif"
            if gap and not regions:
                raise click.UsageError("--gap joins regions: give --regions too")
            return command(*positional, regions=regions, gap=gap, format=format, **values)

        return cast(Command, with_regions)

    return with_options


top_option = click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Only the first N results.  [default: {DEFAULT_TOP} in a table, else all]",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of worker processes.  [default: one a processor]",
)
report_option = click.option(
    "--report",
    type=click.Path(),
    callback=output_path,
    metavar="FILE.html",
    help="Also write an HTML page that shows the matching texts side by side.",
)
kind_option = click.option(
    "--kind",
    type=LazyChoice("KINDS", "auto"),
    default="auto",
    show_default=True,
    help="Kind of document; auto tells it from the file name, then from the content.",
)
strict_option = click.option("--strict", is_flag=True, help="Stop at the first document that cannot be read.")
output_argument = click.argument("file", type=click.Path(), default="-", callback=output_path)
