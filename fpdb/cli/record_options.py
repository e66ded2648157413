"""Options for files that hold many documents: JSON Lines or Parquet."""

import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from fpdb.cli.options import Command, combine
from fpdb.cli.target import Target

if TYPE_CHECKING:
    from fpdb.ingest.chunks import Chunk
    from fpdb.ingest.files import InputDocument, Skipped
    from fpdb.ingest.input_files import RecordFormat
    from fpdb.ingest.record_fields import Fields


@dataclass(frozen=True)
class Records:
    """The format of files of records, and the names of their fields."""

    format: "RecordFormat"
    fields: "Fields"


@dataclass(frozen=True)
class InputPaths:
    """The documents that a command reads.

    Attributes:
        paths: Files, folders, archives or "-".
        kind: Their kind, or "auto".
        name: The name of the only document, if given.
        records: How to read the files if they hold records.
    """

    paths: tuple[str, ...]
    kind: str
    name: str | None
    records: Records | None

    def open(self, target: Target) -> "Iterator[InputDocument | Skipped | Chunk]":
        """Iterate over the documents, and over what is skipped."""
        if self.records is not None:
            from fpdb.ingest.records import record_chunks

            records = self.records
            return record_chunks(
                self.paths, records.format, fields=records.fields, kind=self.kind, exclude=target.database_files()
            )
        from fpdb.ingest.discover import discover

        return discover(self.paths, name=self.name, kind=self.kind, exclude=target.database_files())

    def check_name(self, noun: str) -> None:
        """Raise click.UsageError if --name cannot name the documents, each a `noun`."""
        if self.name is None:
            return
        if self.records is not None:
            raise click.UsageError(f"--name names one {noun}; records name their own, see --name-field")
        if len(self.paths) > 1 or os.path.isdir(self.paths[0]):
            raise click.UsageError(f"--name names one {noun}; give one file, or -")

    def size(self, target: Target) -> int | None:
        """Return the number of bytes to read; None if it cannot be known."""
        if self.records is not None:
            from fpdb.ingest.input_files import input_files_size

            return input_files_size(self.paths, self.records.format, target.database_files())
        from fpdb.ingest.discover import total_size

        return total_size(self.paths, target.database_files())


def records_options(command: Command) -> Command:
    """Add --jsonl, --parquet and the names of fields; pass `Records`, or None, as `records`."""

    @combine(
        click.option("--jsonl", is_flag=True, help="Read each PATH as JSON Lines: one document a line."),
        click.option("--parquet", is_flag=True, help="Read each PATH as Parquet: one document a row."),
        click.option("--text-field", metavar="F", help="Field with the text of a record.  [default: text]"),
        click.option(
            "--name-field",
            metavar="F",
            help="Field with its name; - to name it FILE:LINE.  [default: name, else id, else FILE:LINE]",
        ),
        click.option(
            "--label-field",
            "label_fields",
            multiple=True,
            metavar="F",
            help="Field to store as a label; repeatable. A field inside a field is written META.URL.",
        ),
    )
    @functools.wraps(command)
    def with_records(
        *positional: Any, jsonl: bool, parquet: bool, text_field: str | None, name_field: str | None, **values: Any
    ) -> Any:
        label_fields: tuple[str, ...] = values.pop("label_fields")
        if jsonl and parquet:
            raise click.UsageError("--jsonl and --parquet are two forms of input; give one")
        records = None
        if jsonl or parquet:
            from fpdb.ingest.record_fields import Fields

            records = Records("jsonl" if jsonl else "parquet", Fields(name_field, text_field, label_fields))
            if parquet and "-" in values["paths"]:
                raise click.UsageError("Parquet cannot be read from standard input; give a file")
        elif text_field or name_field or label_fields:
            raise click.UsageError("fields are those of records: give --jsonl or --parquet too")
        return command(*positional, records=records, **values)

    return cast(Command, with_records)
