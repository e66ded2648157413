"""`fpdb spans`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.comparing import say_discarded, watched
from fpdb.cli.options import (
    TOP_OF_TABLE,
    Target,
    content_named,
    keep_option,
    kind_option,
    output_options,
    pair_options,
    wrong_usage,
)
from fpdb.cli.output import Column, output_to, write_first, write_found

if TYPE_CHECKING:
    from fpdb import Database, Span

FIELDS: dict[str, type] = {
    "name": str,
    "start": int,
    "end": int,
    "with": str,
    "shared": int,
    "documents": int,
    "source": str,
}
COLUMNS = (
    Column("#", right=True),
    Column("name"),
    Column("start", right=True),
    Column("end", right=True),
    Column("with"),
    Column("shared", right=True),
    Column("documents", right=True),
    Column(""),
)


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@pair_options
@keep_option("first")
@click.option("--shortest", type=click.IntRange(min=1), default=1, metavar="N", help="Only passages of N characters.")
@click.option("--pad", type=click.IntRange(min=0), default=0, metavar="N", help="Also N characters on either side.")
@click.option("--snap", is_flag=True, help="Also the rest of the words that a span begins and ends in.")
@click.option("--gap", type=click.IntRange(min=0), default=0, metavar="N", help="Join what is N symbols apart.")
@kind_option
@output_options
@click.pass_obj
def spans(
    target: Target, /, names: tuple[str, ...], keep: str, kind: str, form: str, output: str, **options: Any
) -> None:
    """Tell which characters to cut, so that no passage is left that others have too.

    Without a NAME, of each pair of documents that `fpdb pairs` finds with the same options, the later one is cut: that
    which --keep would not keep. With NAMEs, of documents in the database or else of files, what they have in common
    with any other document of which they contain --min.

    A span is given in characters of the decoded text from 0, end exclusive; passages that overlap are one. With it: of
    the documents that have it too the one that shares the most fingerprints there, how many these are, and how many
    documents. What cannot be read again has no span, but a row that says why.

    \b
    Example: fpdb spans --min-shared 3 --shortest 100 --snap --format json
             fpdb spans new.txt --pad 10
    """
    cut = {name: options.pop(name) for name in ("shortest", "pad", "snap", "gap")}
    if names and (options["new"] or options["since"]):
        raise click.UsageError("--new and --since choose among pairs: leave them out, or the names")
    with output_to(output, form), target.open("r") as db, wrong_usage():
        if names:
            found = _of_names(db, target, names, kind, options, cut)
        else:
            say_discarded(db)
            found = watched(db.spans, options | cut | {"keep": keep})
        if form == "table":
            nothing = "nothing to cut: no other document has as much of it"
            write_first(COLUMNS, found, TOP_OF_TABLE, _row, nothing=nothing, noun="span", see="--format json")
        else:
            write_found(form, FIELDS, found)


def _of_names(
    db: "Database", target: Target, names: tuple[str, ...], kind: str, options: dict[str, Any], cut: dict[str, Any]
) -> "Iterator[Span]":
    asked = {"by": options["by"], "min": options["min"], "max_df": options["max_df"] or None}
    for name in names:
        content, own_kind = content_named(db, target, name, kind)
        for span in db.spans(content, name=name, kind=own_kind, **asked, **cut):
            if span.shared >= options["min_shared"]:
                yield span


def _row(rank: int, span: "Span") -> list[str]:
    start, end = ("-" if each is None else f"{each:,}" for each in (span.start, span.end))
    state = "" if span.source == "same" else f"cannot be read: {span.source.replace('_', ' ')}"
    return [str(rank), span.name, start, end, span.with_, f"{span.shared:,}", f"{span.documents:,}", state]
