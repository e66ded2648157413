"""`fpdb list`, `fpdb show` and `fpdb info`: what is in the database."""

import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.options import MOMENT, NameValue, Target, format_option, names_options
from fpdb.cli.output import (
    Column,
    count_text,
    size_text,
    write_content,
    write_csv,
    write_details,
    write_json,
    write_names,
    write_table,
)
from fpdb.errors import Unreadable

if TYPE_CHECKING:
    from fpdb import Document
    from fpdb.fingerprint import Recipe

COLUMNS = (
    Column("name"),
    Column("kind"),
    Column("symbols", right=True),
    Column("fingerprints", right=True),
    Column("added"),
    Column("labels"),
)
FIELDS = (
    "name",
    "kind",
    "boilerplate",
    "symbols",
    "kgrams",
    "fingerprints",
    "hashes",
    "digest",
    "source",
    "contact",
    "labels",
    "added",
    "note",
    "rotation",
    "text_bytes",
)


@click.command("list")
@click.option("--glob", metavar="PATTERN", help="Only names that match, as in a shell: 'essays/2023/*'.")
@click.option(
    "--label",
    "labels",
    type=NameValue(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Only documents that have this label; several: all of them.",
)
@click.option(
    "--since",
    type=MOMENT,
    metavar="DATE",
    help="Only documents added on this day or later: 2026-01-31, or 2026-01-31T09:00:00.",
)
@click.option("--before", type=MOMENT, metavar="DATE", help="Only documents added before this day, or moment.")
@names_options
@format_option
@click.pass_obj
def list_(
    target: Target,
    glob: str | None,
    labels: tuple[tuple[str, str], ...],
    since: datetime | None,
    before: datetime | None,
    end: str | None,
    form: str,
) -> None:
    """List the documents, by name.

    \b
    Example: fpdb list --glob 'essays/*'
             fpdb list --label term=2019 --names -0 | fpdb remove --from - -0
    """

    def wanted(document: "Document") -> bool:
        return (
            set(labels) <= document.labels.items()
            and (since is None or document.added.timestamp() >= since.timestamp())
            and (before is None or document.added.timestamp() < before.timestamp())
        )

    with target.open("r") as db:
        documents = filter(wanted, db.documents(glob))
        if end is not None:
            write_names((document.name for document in documents), end)
        elif form == "json":
            for document in documents:
                write_json(_record(document))
        elif form == "csv":
            write_csv(FIELDS, (_csv_row(document) for document in documents))
        else:
            write_table(COLUMNS, (_row(document) for document in documents))


@click.command()
@click.argument("name")
@click.option("--text", is_flag=True, help="Write the document itself, if it was added with --keep-text.")
@format_option
@click.pass_obj
def show(target: Target, name: str, text: bool, form: str) -> None:
    """Show one document.

    --text writes its bytes as they were added; on a terminal, control characters as escapes.

    
    Example: fpdb show essays/a.txt
             fpdb show essays/a.txt --text > a.txt
    """
    if text and form != "table":
        raise click.UsageError("--text writes the document itself: give no --format")
    with target.open("r") as db:
        document = db.document(name)
        content = db.text(name) if text else None
        discarded = db.boilerplate_in(name)
    if text:
        if content is None:
            raise Unreadable(f"the text of {name} was not kept; add it again with --keep-text")
        write_content(content)
    elif form == "json":
        write_json(_record(document) | {"boilerplate_hashes": discarded})
    elif form == "csv":
        write_csv(FIELDS, [_csv_row(document)])
    else:
        lines = [
            (field, _text(value))
            for field, value in (_record(document) | {"text": _kept_text(document)}).items()
            if field != "text_bytes" and value not in (None, {}, "")
        ]
        if discarded and not document.boilerplate:
            every = ": all of its fingerprints, so that it matches nothing" if discarded == document.hashes else ""
            lines.append(("discarded", f"{count_text(discarded, 'hash', 'hashes')}, boilerplate{every}"))
        write_details(lines)


@click.command()
@format_option
@click.pass_obj
def info(target: Target, form: str) -> None:
    """Show the database as a whole.

    How many documents and postings, how large a file, which recipe.

    Example: fpdb info --format json
    """
    with target.open("r") as db:
        figures = db.info()
        recipe = db.recipe
    if form == "json":
        write_json(figures)
    elif form == "csv":
        row = figures | {"recipe": json.dumps(figures["recipe"])}
        write_csv(list(row), [list(row.values())])
    else:
        write_details(_info_lines(target.path, figures, recipe))


def recipe_text(recipe: "Recipe") -> str:
    """A recipe in a line: `characters: robust-winnow, k=30, w=21`."""
    return "; ".join(
        f"{alphabet}: {', '.join([rule.scheme, f'k={rule.k}', *_parameters(rule.parameters)])}"
        for alphabet, rule in recipe.rules.items()
    )


def _parameters(parameters: Any) -> list[str]:
    return [f"{name}={value}" for name, value in parameters.items()]


def _info_lines(path: str, figures: dict[str, Any], recipe: "Recipe") -> list[tuple[str, str]]:
    postings, size, taken = figures["postings"], figures["file_bytes"], figures["text_file_bytes"]
    return [
        ("database", os.path.abspath(path)),
        ("format", str(figures["format_version"])),
        ("recipe", recipe_text(recipe)),
        ("key", _key_text(figures["recipe"])),
        ("documents", f"{figures['documents']:,}"),
        ("boilerplate", f"{figures['boilerplate_documents']:,}"),
        ("postings", f"{postings:,}"),
        ("runs", f"{figures['runs']:,}"),
        ("texts", f"{figures['texts']:,} kept, {size_text(figures['text_bytes'])} in {size_text(taken)}"),
        ("size", size_text(size) + (f", {(size - taken) / postings:.1f} bytes a posting" if postings else "")),
    ]


def _key_text(recipe: dict[str, Any]) -> str:
    if recipe["key_file"]:
        return "secret, in a file of its own"
    return "secret, in the database" if recipe["secret_key"] else "the default, known to all"


def _record(document: "Document") -> dict[str, Any]:
    record = {field: getattr(document, field) for field in FIELDS}
    digest = document.digest
    return record | {
        "digest": digest.hex() if digest is not None else None,
        "labels": dict(document.labels),
        "added": document.added.isoformat(timespec="seconds"),
    }


def _kept_text(document: "Document") -> str:
    size = document.text_bytes
    return "not kept" if size is None else f"kept, {size_text(size)}"


def _csv_row(document: "Document") -> list[object]:
    record = _record(document)
    record["labels"] = json.dumps(record["labels"]) if record["labels"] else ""
    return ["" if value is None else value for value in record.values()]


def _row(document: "Document") -> tuple[str, ...]:
    return (
        document.name,
        document.kind + (" (boilerplate)" if document.boilerplate else ""),
        f"{document.symbols:,}",
        f"{document.fingerprints:,}",
        document.added.astimezone().strftime("%Y-%m-%d %H:%M"),
        _text(document.labels),
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return value
    return " ".join(f"{key}={label}" for key, label in value.items())
