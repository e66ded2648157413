"""Options for input that holds many documents: JSON Lines or Parquet, and which fields hold what."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from fpdb.cli.options import Command, Target

if TYPE_CHECKING:
    from fpdb.ingest.files import Chunk, Skipped
    from fpdb.ingest.input_files import RecordFormat
    from fpdb.ingest.record_fields import Fields


@dataclass(frozen=True)
class Records:
    """What of the command line says that its paths hold records, and how."""

    form: "RecordFormat"
    fields: "Fields"

    def pieces(self, paths: Sequence[str], kind: str, target: Target) -> "Iterator[Chunk | Skipped]":
        """As `ingest.records.record_chunks`."""
        from fpdb.ingest.records import record_chunks

        return record_chunks(paths, self.form, fields=self.fields, kind=kind, exclude=target.own())

    def size(self, paths: Sequence[str], target: Target) -> int | None:
        """Bytes to be read; None if that cannot be known."""
        from fpdb.ingest.input_files import input_files_size

        return input_files_size(paths, self.form, target.own())


def records_options(command: Command) -> Command:
    """--jsonl, --parquet and what the fields are called; hands `Records`, or None, to the parameter `records`."""

    @click.option("--jsonl", is_flag=True, help="PATH holds a document a line, as JSON.")
    @click.option("--parquet", is_flag=True, help="PATH holds a document a row.")
    @click.option("--text-field", metavar="F", help="Field of a record that holds its text.  [default: text]")
    @click.option(
        "--name-field",
        metavar="F",
        help="Field of its name; - for none: FILE:LINE.  [default: name, else id, else FILE:LINE]",
    )
    @click.option(
        "--label-field",
        "label_fields",
        multiple=True,
        metavar="F",
        help="Field that becomes a label of its own name; may be repeated. A field in a field is META.URL.",
    )
    @functools.wraps(command)
    def with_records(
        *args: Any,
        jsonl: bool,
        parquet: bool,
        text_field: str | None,
        name_field: str | None,
        label_fields: tuple[str, ...],
        **others: Any,
    ) -> Any:
        if jsonl and parquet:
            raise click.UsageError("--jsonl and --parquet are two forms of input; give one")
        records = None
        if jsonl or parquet:
            from fpdb.ingest.record_fields import Fields

            records = Records("jsonl" if jsonl else "parquet", Fields(name_field, text_field, label_fields))
            if parquet and "-" in others["paths"]:
                raise click.UsageError("Parquet cannot be read from standard input; give a file")
        elif text_field or name_field or label_fields:
            raise click.UsageError("fields are those of records: give --jsonl or --parquet too")
        return command(*args, records=records, **others)

    return cast(Command, with_records)
