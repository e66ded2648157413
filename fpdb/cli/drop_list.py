"""`fpdb drop-list`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.comparing import say_discarded, watched
from fpdb.cli.options import (
    TOP_OF_TABLE,
    Target,
    keep_option,
    names_options,
    output_options,
    pair_options,
    top_option,
    wrong_usage,
)
from fpdb.cli.output import Column, output_to, write_first, write_found, write_names

if TYPE_CHECKING:
    from fpdb import Drop

FIELDS: dict[str, type] = {
    "name": str,
    "kept": str,
    "cluster": str,
    "size": int,
    "shared": int,
    "measure": float,
    "reason": str,
}
COLUMNS = (
    Column("#", right=True),
    Column("drop"),
    Column("keep"),
    Column("shared", right=True),
    Column("measure", right=True),
    Column("reason"),
    Column("cluster of", right=True),
)


@click.command(name="drop-list")
@pair_options
@top_option
@keep_option("first")
@click.option(
    "--direct",
    is_flag=True,
    help="Drop only documents that are a pair with one that is kept, none that are connected through others.",
)
@names_options
@output_options
@click.pass_obj
def drop_list(target: Target, /, end: str | None, form: str, output: str, top: int | None, **options: Any) -> None:
    """Tell which documents to remove, so that one of each cluster is left.

    Nothing is removed. Once these are, `fpdb pairs` with the same options finds no pair (with --max-df 0, or as long as
    the same hashes are common). A cluster is what pairs of at least --min (0.5) connect, directly or through others. Of
    each document to drop: the one kept instead, how many fingerprints they share, their measure, and the reason:
    similar, the two are such a pair; connected, through others only. With --direct there are none of these: documents
    are gone through in the order in which they are kept, and dropped if they are a pair with one that was kept.

    With --new or --since, only documents that are new are dropped.

    \b
    Example: fpdb drop-list --min 0.8 --by resemblance
             fpdb drop-list --min 0.8 --names -0 | fpdb remove --from - -0
    """
    with output_to(output, form), target.open("r") as db, wrong_usage():
        say_discarded(db)
        found: Iterator[Drop] = watched(
            db.drop_list, options | {"top": None if form == "table" and end is None else top}
        )
        if end is not None:
            write_names((drop.name for drop in found), end)
        elif form == "table":
            nothing = "nothing to drop: no two documents are that much alike"
            write_first(COLUMNS, found, top or TOP_OF_TABLE, _row, nothing=nothing, noun="document")
        else:
            write_found(form, FIELDS, found)


def _row(rank: int, drop: "Drop") -> list[str]:
    measure = f"{drop.measure:,.0f}" if drop.measure > 1 else f"{drop.measure:.3f}"
    return [str(rank), drop.name, drop.kept, f"{drop.shared:,}", measure, drop.reason, f"{drop.size:,}"]
