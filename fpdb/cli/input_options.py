"""Options for the documents that a command reads: from files, or from files of records."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, option
from fpdb.cli.options import kind_option, paths_argument
from fpdb.cli.target import Target

if TYPE_CHECKING:
    from fpdb.ingest.chunks import Chunk
    from fpdb.ingest.files import InputDocument, Skipped
    from fpdb.ingest.input_files import RecordFormat
    from fpdb.ingest.record_fields import Fields


@argument_group
class Records:
    """Files that hold many documents: JSON Lines or Parquet."""

    paths: tuple[str, ...] = paths_argument()
    jsonl: bool = option("Read each PATH as JSON Lines: one document a line.")
    parquet: bool = option("Read each PATH as Parquet: one document a row.")
    text_field: str | None = option("Field with the text of a record.  [default: text]", metavar="F")
    name_field: str | None = option(
        "Field with its name; - to name it FILE:LINE.  [default: name, else id, else FILE:LINE]", metavar="F"
    )
    label_fields: tuple[str, ...] = option(
        "Field to store as a label; repeatable. A field inside a field is written META.URL.",
        "--label-field",
        metavar="F",
    )

    def __post_init__(self) -> None:
        """Check that the options make sense together."""
        if self.jsonl and self.parquet:
            raise click.UsageError("--jsonl and --parquet are two forms of input; give one")
        if self.parquet and "-" in self.paths:
            raise click.UsageError("Parquet cannot be read from standard input; give a file")
        if not self.record_format and (self.text_field or self.name_field or self.label_fields):
            raise click.UsageError("fields are those of records: give --jsonl or --parquet too")

    @property
    def record_format(self) -> "RecordFormat | None":
        """The format of records; None if each file is a document."""
        return "jsonl" if self.jsonl else "parquet" if self.parquet else None

    def fields(self) -> "Fields":
        """Return the names of the fields of a record."""
        from fpdb.ingest.record_fields import Fields

        return Fields(self.name_field, self.text_field, self.label_fields)


@argument_group
class InputDocuments(Records):
    """Documents in files, folders and archives, on standard input, or in files of records."""

    name: str | None = option("Name of the document, or of the archive, if there is only one.", metavar="NAME")
    kind: str = kind_option()

    def check_name(self, noun: str) -> None:
        """Raise click.UsageError if --name cannot name the documents, each a `noun`."""
        if self.name is None:
            return
        if self.record_format:
            raise click.UsageError(f"--name names one {noun}; records name their own, see --name-field")
        if len(self.paths) > 1 or os.path.isdir(self.paths[0]):
            raise click.UsageError(f"--name names one {noun}; give one file, or -")

    def open(self, target: Target) -> "Iterator[InputDocument | Skipped | Chunk]":
        """Iterate over the documents, and over what is skipped."""
        exclude = target.database_files()
        if self.record_format:
            from fpdb.ingest.records import record_chunks

            return record_chunks(self.paths, self.record_format, fields=self.fields(), kind=self.kind, exclude=exclude)
        from fpdb.ingest.discover import discover

        return discover(self.paths, name=self.name, kind=self.kind, exclude=exclude)

    def size(self, target: Target) -> int | None:
        """Return the number of bytes to read; None if it cannot be known."""
        if self.record_format:
            from fpdb.ingest.input_files import input_files_size

            return input_files_size(self.paths, self.record_format, target.database_files())
        from fpdb.ingest.discover import total_size

        return total_size(self.paths, target.database_files())
