"""`fpdb list`, `fpdb show` and `fpdb info`."""

import json
import os
from collections.abc import Iterable
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.options import NamesOutput, OutputFile
from fpdb.cli.output import encode_json, write_content, write_csv, write_json, write_lines, write_names, write_rows
from fpdb.cli.parameters import MOMENT, name_value
from fpdb.cli.recipe_options import recipe_text
from fpdb.cli.similar_names import require_document
from fpdb.cli.table import cells_of, write_table
from fpdb.cli.target import Target
from fpdb.cli.terminal import count_text, say, size_text, write_details
from fpdb.columns import DOCUMENT, FINGERPRINT, labels_text, named
from fpdb.errors import Unreadable

if TYPE_CHECKING:
    from fpdb import Document
    from fpdb.arrays import U32, U64
    from fpdb.fingerprint import Recipe


NO_POSITION = 2**32 - 1


@argument_group
class _ListArguments:
    glob: str | None = option("Only names that match a shell pattern: 'essays/2023/*'.", metavar="PATTERN")
    labels: tuple[tuple[str, str], ...] = option(
        "Only documents that have this label; repeatable: all of these labels.",
        "--label",
        type=name_value,
        metavar="KEY=VALUE",
    )
    since: datetime | None = option(
        "Only documents added at or after this time: 2026-01-31, or 2026-01-31T09:00:00.", type=MOMENT, metavar="DATE"
    )
    before: datetime | None = option("Only documents added before this time.", type=MOMENT, metavar="DATE")
    names: NamesOutput
    output: OutputFile

    @property
    def are_told_by_names(self) -> bool:
        """True if the names alone tell which documents are to be listed."""
        return not self.labels and self.since is None and self.before is None

    def matches(self, document: "Document") -> bool:
        """Return True if the document is to be listed."""
        return (
            set(self.labels) <= document.labels.items()
            and (self.since is None or document.added.timestamp() >= self.since.timestamp())
            and (self.before is None or document.added.timestamp() < self.before.timestamp())
        )


@argument_group
class _ShowArguments:
    name: str = argument()
    text: bool = option("Write the document itself, if it was added with --keep-text.")
    fingerprints: bool = option("List the hashes that are stored, and their positions.")
    output: OutputFile


@argument_group
class _InfoArguments:
    output: OutputFile


@command(_ListArguments, "list")
def list_(target: Target, arguments: _ListArguments) -> None:
    """List the documents by name.

    Example: fpdb list --glob 'essays/*'
             fpdb list --label term=2019 --names -0 | fpdb remove --from - -0
    """
    format = arguments.output.format
    separator = arguments.names.separator(format)
    with arguments.output.redirect(), target.open("r") as db:
        if separator is not None and arguments.are_told_by_names:
            write_names(db.names(arguments.glob), separator)
            return
        documents = filter(arguments.matches, db.documents(arguments.glob))
        if separator is not None:
            write_names((document.name for document in documents), separator)
        elif format == "json":
            write_lines(encode_json(document.to_dict()) for document in documents)
        elif format == "csv":
            _write_csv(documents)
        else:
            columns = named(DOCUMENT, "name", "kind", "symbols", "fingerprints", "added", "labels")
            first = list(islice(documents, 1))
            write_table(columns, cells_of(columns, chain(first, documents)))
            if not first:
                from fpdb.cli.nothing_found import NothingFound

                say(NothingFound(db).no_document(arguments.labels))


@command(_ShowArguments)
def show(target: Target, arguments: _ShowArguments) -> None:
    """Show one document.

    --text writes its bytes as they were added; on a terminal, control characters are escaped.

    Example: fpdb show essays/a.txt
             fpdb show essays/a.txt --text > a.txt
             fpdb show essays/a.txt --fingerprints --format csv
    """
    name, text, format = arguments.name, arguments.text, arguments.output.format
    if text and format != "table":
        raise click.UsageError("--text writes the document itself: give no --format")
    if text and arguments.fingerprints:
        raise click.UsageError("give --text or --fingerprints, not both")
    with arguments.output.redirect(), target.open("r") as db:
        require_document(db, name)
        if arguments.fingerprints:
            _write_fingerprints(*db.fingerprints(name), format)
            return
        document = db.document(name)
        if text:
            content = db.text(name)
            if content is None:
                raise Unreadable(f"the text of {name} was not kept; add it again with --keep-text")
            write_content(content)
        elif format == "json":
            write_json(document.to_dict() | {"boilerplate_hashes": db.boilerplate_in(name)})
        elif format == "csv":
            _write_csv([document])
        else:
            write_details(_details(document, db.boilerplate_in(name)))


@command(_InfoArguments)
def info(target: Target, arguments: _InfoArguments) -> None:
    """Show the database as a whole.

    Print the number of documents and postings, the size of the file, who reads it, and the recipe. A transaction that
    stays open keeps the space that later changes free from being used again.

    Example: fpdb info --format json
    """
    format = arguments.output.format
    with arguments.output.redirect():
        with target.open("r") as db:
            figures, recipe = db.info(), db.recipe
        if format == "json":
            write_json(figures)
        elif format == "csv":
            row = figures | {name: json.dumps(figures[name]) for name in ("recipe", "readers")}
            write_csv(list(row), [list(row.values())])
        else:
            write_details(_info_lines(target.path, figures, recipe))


def _write_fingerprints(hashes: "U64", positions: "U32 | None", format: str) -> None:
    places = [None] * len(hashes) if positions is None else positions.tolist()
    rows = (
        (hash_, None if place == NO_POSITION else place) for hash_, place in zip(hashes.tolist(), places, strict=True)
    )
    columns = named(FINGERPRINT, "hash", "position")
    if format == "table":
        write_table(columns, ([column.text(value) for column, value in zip(columns, row, strict=True)] for row in rows))
    elif format == "csv":
        write_rows(format, columns, rows)
    else:
        for hash_, place in rows:
            write_json({"hash": hash_} if place is None else {"hash": hash_, "position": place})


def _write_csv(documents: "Iterable[Document]") -> None:
    records = (document.to_dict() for document in documents)
    rows = (record | {"labels": json.dumps(record["labels"]) if record["labels"] else ""} for record in records)
    write_rows("csv", DOCUMENT, (list(row.values()) for row in rows))


def _details(document: "Document", boilerplate_hashes: int) -> list[tuple[str, str]]:
    values = document.to_dict()
    size = values.pop("text_bytes")
    values["text"] = "not kept" if size is None else f"kept, {size_text(size)}"
    lines = [(name, _value_text(value)) for name, value in values.items() if value not in (None, {}, "")]
    if boilerplate_hashes and not document.boilerplate:
        all_of_it = boilerplate_hashes == document.hashes
        note = ": all of its fingerprints, so that it matches nothing" if all_of_it else ""
        lines.append(("discarded", f"{count_text(boilerplate_hashes, 'hash', 'hashes')}, boilerplate{note}"))
    return lines


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else labels_text(value)


def _info_lines(path: str, figures: dict[str, Any], recipe: "Recipe") -> list[tuple[str, str]]:
    postings, size, text_size = figures["postings"], figures["file_bytes"], figures["text_file_bytes"]
    return [
        ("database", os.path.abspath(path)),
        ("format", str(figures["format_version"])),
        ("recipe", recipe_text(recipe)),
        ("key", _key_text(figures["recipe"])),
        ("documents", f"{figures['documents']:,}"),
        ("boilerplate", f"{figures['boilerplate_documents']:,}"),
        ("postings", f"{postings:,}"),
        ("runs", f"{figures['runs']:,}"),
        ("texts", f"{figures['texts']:,} kept, {size_text(figures['text_bytes'])} in {size_text(text_size)}"),
        ("size", size_text(size) + (f", {(size - text_size) / postings:.1f} bytes a posting" if postings else "")),
        ("free", f"{size_text(figures['free_bytes'])} of it, for later changes"),
        ("readers", ", ".join(map(_reader_text, figures["readers"])) or "none now"),
        ("file system", figures["file_system"] or "unknown"),
    ]


def _reader_text(reader: dict[str, Any]) -> str:
    command = f" ({reader['command']})" if reader["command"] else ""
    behind = reader["commits_behind"]
    return f"process {reader['pid']}{command}{f', {behind:,} transactions behind' if behind else ''}"


def _key_text(recipe: dict[str, Any]) -> str:
    if recipe["key_file"]:
        return "secret, in a file of its own"
    return "secret, in the database" if recipe["secret_key"] else "the default, known to all"
