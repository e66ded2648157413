"""Options for the documents that a command reads: from files, or from files of records."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument, argument_group, option
from fpdb.cli.options import kind_option, paths_argument, read_list
from fpdb.cli.parameters import cell_delimiter, text_encoding
from fpdb.cli.target import Target
from fpdb.cli.terminal import say

if TYPE_CHECKING:
    from fpdb.ingest.chunks import Chunk
    from fpdb.ingest.files import InputDocument, Skipped
    from fpdb.ingest.first_look import FirstLook
    from fpdb.ingest.path_filter import PathFilter
    from fpdb.ingest.record_fields import Fields
    from fpdb.ingest.record_formats import RecordFormat

NO_RECORDS = "fields are those of records: give --jsonl, --csv or --parquet too"
RECORD_FORMATS: "tuple[RecordFormat, ...]" = ("jsonl", "csv", "parquet")


@argument_group
class RecordFiles:
    """Files that hold many documents: JSON Lines, CSV or Parquet."""

    paths: tuple[str, ...] = paths_argument()
    jsonl: bool = option("Read each PATH as JSON Lines: one document a line.")
    csv: bool = option("Read each PATH as CSV: one document a row, below a row that names the fields.")
    parquet: bool = option("Read each PATH as Parquet: one document a row.")
    delimiter: str | None = option(
        "With --csv: what separates cells; tab for a tab.  [default: of comma, semicolon and tab, what the first line "
        "has]",
        type=cell_delimiter,
        metavar="C",
    )
    encoding: str | None = option(
        "Encoding of text, code, HTML, LaTeX, JSON Lines and CSV, such as cp1252; what is not in it is skipped.  "
        "[default: what a document looks like; of JSON Lines UTF-8]",
        type=text_encoding,
        metavar="NAME",
    )
    text_field: str | None = option(
        "Field with the text of a record: a string, or a list of strings; messages.*.content joins those of all "
        "messages by newlines.  [default: text]",
        metavar="F",
    )
    name_field: str | None = option(
        "Field with its name; - to name it FILE:LINE.  [default: name, else id, else FILE:LINE]", metavar="F"
    )

    def __post_init__(self) -> None:
        """Check that the options make sense together."""
        forms = [f"--{form}" for form in RECORD_FORMATS if getattr(self, form)]
        if len(forms) > 1:
            raise click.UsageError(f"{' and '.join(forms[:2])} are two forms of input; give one")
        if self.parquet and "-" in self.paths:
            raise click.UsageError("Parquet cannot be read from standard input; give a file")
        if not self.record_format and (self.text_field or self.name_field):
            raise click.UsageError(NO_RECORDS)
        if self.encoding and self.parquet:
            raise click.UsageError("Parquet is read without --encoding: leave it out")
        if self.delimiter and not self.csv:
            raise click.UsageError("--delimiter is that of CSV: give --csv too")

    @property
    def record_format(self) -> "RecordFormat | None":
        """The format of records; None if each file is a document."""
        return next((form for form in RECORD_FORMATS if getattr(self, form)), None)

    def fields(self) -> "Fields":
        """Return the names of the fields of a record."""
        from fpdb.ingest.record_fields import Fields

        return Fields(self.name_field, self.text_field, (), self.delimiter, self.encoding)


@argument_group
class Records(RecordFiles):
    """Files that hold many documents, some fields of which are labels."""

    label_fields: tuple[str, ...] = option(
        "Field to store as a label; repeatable. A field inside a field is written META.URL.",
        "--label-field",
        metavar="F",
    )

    def __post_init__(self) -> None:
        """Check that the options make sense together."""
        super().__post_init__()
        if not self.record_format and self.label_fields:
            raise click.UsageError(NO_RECORDS)

    def fields(self) -> "Fields":
        """Return the names of the fields of a record."""
        return replace(super().fields(), labels=self.label_fields)


@argument_group
class InputDocuments(Records):
    """Documents in files, folders and archives, on standard input, or in files of records."""

    paths: tuple[str, ...] = argument(metavar="[PATH]...", type=click.Path())
    files_from: str | None = option(
        "Also all paths that are listed in FILE, one a line, which may end with CR LF; - for standard input.",
        type=click.Path(),
        metavar="FILE",
    )
    null: bool = option(
        "With --files-from: paths end with NUL, not a newline, and are taken as they are.", "-0", "--null"
    )
    include: tuple[str, ...] = option(
        "In folders and archives, only files that match a pattern as in .gitignore: '*.py', '/src/**'; repeatable.",
        metavar="PATTERN",
    )
    exclude: tuple[str, ...] = option(
        "In folders and archives, pass over what matches a pattern as in .gitignore; repeatable. .git, node_modules, "
        "__MACOSX, files beside databases and the like are passed over unless you give '!.git' and so on.",
        metavar="PATTERN",
    )
    verbose: bool = option("List everything that is skipped, not three examples of each kind.", "--verbose")
    name: str | None = option("Name of the document, or of the archive, if there is only one.", metavar="NAME")
    kind: str = kind_option()

    def __post_init__(self) -> None:
        """Read the list of paths, and check that the options make sense together."""
        if self.null and self.files_from is None:
            raise click.UsageError("-0 says how paths end in a file: give --files-from FILE too")
        if self.files_from is not None:
            listed = read_list(self.files_from, null=self.null)
            object.__setattr__(self, "paths", (*self.paths, *listed))
        if self.files_from == "-" and "-" in self.paths:
            raise click.UsageError("standard input is the list of paths already; it cannot be a document too")
        super().__post_init__()

    @property
    def are_given(self) -> bool:
        """True if there are paths, or a list of paths, though it may be empty."""
        return bool(self.paths) or self.files_from is not None

    @property
    def document_encoding(self) -> str | None:
        """The encoding of each file that is a document."""
        return None if self.record_format else self.encoding

    @cached_property
    def path_filter(self) -> "PathFilter":
        """The filter of paths that are passed over in folders and archives, with their counts."""
        from fpdb.ingest.path_filter import PathFilter

        return PathFilter(self.include, self.exclude)

    def check_name(self, noun: str) -> None:
        """Raise click.UsageError if --name cannot name the documents, each a `noun`."""
        if self.name is None:
            return
        if self.record_format:
            raise click.UsageError(f"--name names one {noun}; records name their own, see --name-field")
        if len(self.paths) != 1 or os.path.isdir(self.paths[0]):
            raise click.UsageError(f"--name names one {noun}; give one file, or -")

    def look(self, noun: str) -> "FirstLook | None":
        """Look at the first files, see `look_for_records`; None if records or a kind are asked for."""
        if self.record_format or self.kind != "auto":
            return None
        return look_for_records(self.paths, noun, self.include, self.exclude)

    def open(self, target: Target) -> "Iterator[InputDocument | Skipped | Chunk]":
        """Iterate over the documents, and over what is skipped."""
        exclude = target.database_files()
        if self.record_format:
            from fpdb.ingest.records import record_chunks

            return record_chunks(
                self.paths,
                self.record_format,
                fields=self.fields(),
                kind=self.kind,
                exclude=exclude,
                path_filter=self.path_filter,
            )
        from fpdb.ingest.discover import discover

        return discover(self.paths, name=self.name, kind=self.kind, exclude=exclude, path_filter=self.path_filter)

    def size(self, target: Target) -> int | None:
        """Return the number of bytes to read; None if it cannot be known."""
        from fpdb.ingest.path_filter import PathFilter

        path_filter = PathFilter(self.include, self.exclude)  # another one, since that of the documents counts
        if self.record_format:
            from fpdb.ingest.input_files import input_files_size

            return input_files_size(self.paths, self.record_format, target.database_files(), path_filter)
        from fpdb.ingest.discover import total_size

        return total_size(self.paths, target.database_files(), path_filter)


def look_for_records(
    paths: Sequence[str], noun: str, include: Iterable[str] = (), exclude: Iterable[str] = ()
) -> "FirstLook":
    """Look at the first files at `paths`; name the first of records, each a `noun`, and the option that reads it."""
    from fpdb.ingest.first_look import look_at
    from fpdb.ingest.path_filter import PathFilter

    look = look_at(paths, PathFilter(include, exclude))
    if look.records is not None:
        name, form = look.records
        format_name, records = {"jsonl": ("JSON Lines", "lines"), "csv": ("CSV", "rows")}[form]
        say(f"{name} looks like {format_name}: with --{form}, each of its {records} is a {noun} of its own")
    return look
