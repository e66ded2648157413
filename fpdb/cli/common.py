"""`fpdb common`."""

from typing import TYPE_CHECKING

import click

from fpdb.cli.options import TOP_OF_TABLE, Target, output_options, top_option, wrong_usage
from fpdb.cli.output import Column, count_text, output_to, say, write_first, write_found

if TYPE_CHECKING:
    from fpdb import Frequent

FIELDS: dict[str, type] = {
    "documents": int,
    "fingerprints": int,
    "name": str,
    "start": int,
    "end": int,
    "text": str,
    "source": str,
}
COLUMNS = (
    Column("#", right=True),
    Column("documents", right=True),
    Column("fingerprints", right=True),
    Column("for instance in"),
    Column("passage"),
)
CHARACTERS = 60


@click.command()
@click.option(
    "--min-df",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Passages whose fingerprints N documents hold or more.",
)
@top_option
@click.option(
    "--mark",
    metavar="NAME",
    help="Also discard them from now on, as a boilerplate document of this name; `fpdb remove NAME` takes it back.",
)
@output_options
@click.pass_obj
def common(target: Target, min_df: int, top: int | None, mark: str | None, form: str, output: str) -> None:
    """Tell which passages many documents hold: what a site or a form puts on each of its pages.

    Those of most documents first, each with the document that was added first of those that hold it. Boilerplate is
    left out. With --mark, all of them, or the first --top, are discarded wherever they occur.

    \b
    Example: fpdb common --min-df 100
             fpdb common --min-df 100 --mark "parts of the site"
    """
    with output_to(output, form), target.open("r" if mark is None else "r+") as db, wrong_usage():
        if mark is not None and mark in db:
            raise click.UsageError(f"there is a document named {mark} already: choose another name")
        found = db.common(min_df=min_df, top=top)
        marked = list(found) if mark is not None else []
        passages = iter(marked) if mark is not None else found
        if form == "table":
            nothing = f"no passage is in {min_df:,} documents"
            write_first(COLUMNS, passages, top or TOP_OF_TABLE, _row, nothing=nothing, noun="passage")
        else:
            write_found(form, FIELDS, passages)
        if mark is not None and marked:
            import numpy as np

            hashes = np.unique(np.concatenate([passage.hashes for passage in marked]))
            db.add_fingerprints(mark, hashes, boilerplate=True)
            say(f"{count_text(len(marked), 'passage')} marked as boilerplate: {mark}")


def _row(rank: int, passage: "Frequent") -> list[str]:
    text = " ".join((passage.text or f"cannot be read: {passage.source.replace('_', ' ')}").split())
    shown = text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 3]}..."
    return [str(rank), f"{passage.documents:,}", f"{passage.fingerprints:,}", passage.name, shown]
