"""`fpdb common`."""

from functools import partial

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.nothing_found import NothingFound
from fpdb.cli.options import Output, top_option
from fpdb.cli.output import write_results
from fpdb.cli.table import write_top
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say
from fpdb.columns import COMMON_PASSAGE, shown


@argument_group
class _Arguments:
    min_df: int = option(
        "Only passages whose fingerprints are in at least N documents.", minimum=2, default=10, metavar="N"
    )
    top: int | None = top_option()
    mark: str | None = option(
        "Also ignore these passages from now on, as a boilerplate document NAME; `fpdb remove NAME` undoes it.",
        metavar="NAME",
    )
    output: Output


@command(_Arguments)
def common(target: Target, arguments: _Arguments) -> None:
    """Find passages that many documents contain, such as headers of a site or a form.

    The most frequent passages come first, each with the first added document that contains it. Boilerplate is left
    out. With --mark, all passages, or the first --top, are ignored wherever they occur.

    Example: fpdb common --min-df 100
             fpdb common --min-df 100 --mark "parts of the site"
    """
    mark, min_df, format = arguments.mark, arguments.min_df, arguments.output.format
    with arguments.output.redirect(), target.open("r" if mark is None else "r+") as db, usage_errors():
        if mark is not None and mark in db:
            raise click.UsageError(f"there is a document named {mark} already: choose another name")
        passages = db.common(min_df=min_df, top=arguments.top)
        marked = list(passages) if mark is not None else []
        if format == "table":
            empty = partial(NothingFound(db).no_passage, min_df)
            write_top(shown(COMMON_PASSAGE), marked or passages, arguments.top, empty=empty, noun="passage")
        else:
            write_results(format, COMMON_PASSAGE, marked or passages)
        if mark is not None and marked:
            import numpy as np

            from fpdb.arrays import sorted_distinct

            hashes = sorted_distinct(np.concatenate([passage.hashes for passage in marked]))
            db.add_fingerprints(mark, hashes, boilerplate=True)
            say(f"{count_text(len(marked), 'passage')} marked as boilerplate: {mark}")
