"""`fpdb drop-list`."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.comparing import say_discarded, watched
from fpdb.cli.options import (
    TOP_OF_TABLE,
    Target,
    keep_option,
    output_options,
    pair_options,
    top_option,
    wrong_usage,
)
from fpdb.cli.output import Column, count_text, output_to, write_json, write_line, write_names, write_rows, write_table

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
@click.option("--names", is_flag=True, help="Print the names alone, one a line.")
@click.option(
    "-0", "--null", is_flag=True, help="With --names: end each with a NUL instead, for any name there can be."
)
@output_options
@click.pass_obj
def drop_list(
    target: Target, /, names: bool, null: bool, form: str, output: str, top: int | None, **options: Any
) -> None:
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
    if names and form != "table":
        raise click.UsageError("--names prints no table: leave --format out")
    if null and not names:
        raise click.UsageError("-0 ends names: give --names too")
    with output_to(output, form), target.open("r") as db, wrong_usage():
        say_discarded(db)
        found: Iterator[Drop] = watched(db.drop_list, options | {"top": None if form == "table" and not names else top})
        if names:
            write_names((drop.name for drop in found), "\0" if null else "\n")
        elif form == "json":
            for drop in found:
                write_json(drop.to_dict())
        elif form in ("csv", "parquet"):
            write_rows(form, FIELDS, ([getattr(drop, field) for field in FIELDS] for drop in found))
        else:
            _print(found, top or TOP_OF_TABLE)


def _print(found: "Iterable[Drop]", top: int) -> None:
    found = iter(found)
    shown = list(islice(found, top))
    if not shown:
        write_line("nothing to drop: no two documents are that much alike")
        return
    rows = (
        (
            str(rank),
            drop.name,
            drop.kept,
            f"{drop.shared:,}",
            f"{drop.measure:,.0f}" if drop.measure > 1 else f"{drop.measure:.3f}",
            drop.reason,
            f"{drop.size:,}",
        )
        for rank, drop in enumerate(shown, start=1)
    )
    write_table(COLUMNS, rows)
    more = sum(1 for _ in found)
    if more:
        write_line(f"{count_text(more, 'more document')}; see them with --top")
