"""`fpdb common`."""

import click

from fpdb.cli.options import output_options, top_option
from fpdb.cli.output import Output, write_results
from fpdb.cli.table import write_top
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say
from fpdb.columns import COMMON_PASSAGE, shown


@click.command()
@click.option(
    "--min-df",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Only passages whose fingerprints are in at least N documents.",
)
@top_option
@click.option(
    "--mark",
    metavar="NAME",
    help="Also ignore these passages from now on, as a boilerplate document NAME; `fpdb remove NAME` undoes it.",
)
@output_options()
@click.pass_obj
def common(target: Target, min_df: int, top: int | None, mark: str | None, output: Output) -> None:
    """Find passages that many documents contain, such as headers of a site or a form.

    The most frequent passages come first, each with the first added document that contains it. Boilerplate is left
    out. With --mark, all passages, or the first --top, are ignored wherever they occur.

    Example: fpdb common --min-df 100
             fpdb common --min-df 100 --mark "parts of the site"
    """
    with output.redirect(), target.open("r" if mark is None else "r+") as db, usage_errors():
        if mark is not None and mark in db:
            raise click.UsageError(f"there is a document named {mark} already: choose another name")
        passages = db.common(min_df=min_df, top=top)
        marked = list(passages) if mark is not None else []
        if output.format == "table":
            empty = f"no passage is in {min_df:,} documents"
            write_top(shown(COMMON_PASSAGE), marked or passages, top, empty=empty, noun="passage")
        else:
            write_results(output.format, COMMON_PASSAGE, marked or passages)
        if mark is not None and marked:
            import numpy as np

            hashes = np.unique(np.concatenate([passage.hashes for passage in marked]))
            db.add_fingerprints(mark, hashes, boilerplate=True)
            say(f"{count_text(len(marked), 'passage')} marked as boilerplate: {mark}")
