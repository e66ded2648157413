"""Options that several commands share."""

import io
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import click

from fpdb.cli.arguments import argument, argument_group, option
from fpdb.cli.output import replace_file
from fpdb.cli.parameters import LazyChoice
from fpdb.cli.table import DEFAULT_TOP
from fpdb.cli.target import output_path

FORMATS = ("table", "json", "csv", "parquet")


def paths_argument() -> Any:
    """Declare PATH..., at least one."""
    return argument(metavar="PATH...", required=True, type=click.Path())


def top_option() -> Any:
    """Declare --top."""
    text = f"Only the first N results.  [default: {DEFAULT_TOP} in a table, else all]"
    return option(text, minimum=1, metavar="N")


def kind_option(text: str = "Kind of document; auto tells it from the file name, then from the content.") -> Any:
    """Declare --kind."""
    return option(text, type=LazyChoice("fpdb.fingerprint", "KINDS", "auto"), default="auto")


def jobs_option() -> Any:
    """Declare --jobs."""
    return option("Number of worker processes.  [default: one a processor]", minimum=1, metavar="N")


def format_option() -> Any:
    """Declare --format without Parquet."""
    text = "Output format: a table for people, one JSON object a line, or CSV."
    return option(text, choices=FORMATS[:3], default="table")


def read_list(path: str, *, null: bool) -> list[str]:
    """Return the names or paths that are listed in a file, one a line, or each before a NUL.

    A byte order mark, and a carriage return at the end of a line, are left out. The path "-" is
    standard input. Raises click.UsageError for another separator, and for UTF-16.
    """
    with click.open_file(path, "rb") as file:
        content = file.read()
    name = "standard input" if path == "-" else path
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise click.UsageError(f"the list in {name} is UTF-16: write it as UTF-8 (Out-File -Encoding utf8)")
    if not null and b"\0" in content:
        raise click.UsageError(f"the list in {name} has NULs: give -0 if entries end with NUL, else write it as UTF-8")
    entries = content.split(b"\0") if null else _lines(content)
    return [entry.decode("utf-8", "surrogateescape") for entry in entries if entry]


def _lines(content: bytes) -> list[bytes]:
    return [line.removesuffix(b"\r") for line in content.removeprefix(BOM_UTF8).split(b"\n")]


@argument_group
class OutputFile:
    """Options for the output file and its format, without Parquet."""

    format: str = format_option()
    path: str = option(
        "Write to FILE, which appears only when it is complete.  [default: standard output]",
        "--output",
        type=click.Path(),
        default="-",
        show_default=False,
        callback=output_path,
        metavar="FILE",
    )

    @contextmanager
    def redirect(self) -> Iterator[None]:
        """Write what the block prints to the file."""
        if self.path == "-":
            yield
            return
        with replace_file(self.path) as file:
            text = io.TextIOWrapper(file, "utf-8", write_through=True)
            with redirect_stdout(text):
                yield
            text.detach()


@argument_group
class Output(OutputFile):
    """Options for the output file and its format."""

    format: str = option(
        "Output format: a table for people, one JSON object a line, CSV, or Parquet (needs fpdb[parquet]).",
        choices=FORMATS,
        default="table",
    )

    @contextmanager
    def redirect(self) -> Iterator[None]:
        """Write what the block prints to the file.

        Raises:
            click.UsageError: Parquet would go to a terminal.
            MissingPackage: Parquet needs a package that is not installed.
        """
        if self.format == "parquet":
            from fpdb.cli.parquet import check_packages

            if self.path == "-" and sys.stdout.isatty():
                raise click.UsageError("Parquet is not for a terminal: give --output FILE")
            check_packages()
        with super().redirect():
            yield


@argument_group
class RegionOutput(Output):
    """Options for the output file and its format, with regions or without."""

    format: str = option(
        "Output format: a table for people, one JSON object a line, CSV, Parquet (needs fpdb[parquet]), or regions as "
        "SARIF, for editors and code hosts.",
        choices=(*FORMATS, "sarif"),
        default="table",
    )
    regions: bool = option("Also show where the texts agree: lines and columns, and characters in JSON.")
    both: bool = option("With --regions, in a table: show the text of the other document, too.")
    gap: int | None = option(
        "With --regions: join regions at most N symbols apart; by default the larger of 150 and five times k "
        "in texts, and 0 in programs.",
        minimum=0,
        metavar="N",
    )
    shortest: int | None = option(
        "With --regions: leave out regions of fewer than N characters, in either document; by default those shorter "
        "than the default of --gap, in texts, if others are as long.",
        minimum=1,
        metavar="N",
    )

    def __post_init__(self) -> None:
        """SARIF consists of regions."""
        if self.format == "sarif":
            object.__setattr__(self, "regions", True)
        if not self.regions and (self.gap is not None or self.shortest is not None):
            raise click.UsageError("--gap and --shortest are about regions: give --regions too")
        if self.both and not (self.regions and self.format == "table"):
            raise click.UsageError("--both shows the texts of regions in a table: give --regions, and no --format")

    def region_options(self) -> dict[str, Any]:
        """Return the options of `Database.pairs` that concern regions."""
        return {"regions": self.regions, "gap": self.gap, "shortest": self.shortest}


@argument_group
class NamesOutput:
    """Options to print only names."""

    names: bool = option("Print only the names, one a line.")
    null: bool = option("With --names: end each name with NUL instead of a newline.", "-0", "--null")

    def separator(self, format: str) -> str | None:
        """Return what ends each name; None if more than names is asked for. Raises click.UsageError."""
        if self.names and format != "table":
            raise click.UsageError("--names prints no table: leave --format out")
        if self.null and not self.names:
            raise click.UsageError("-0 ends names: give --names too")
        return None if not self.names else "\0" if self.null else "\n"
