"""`fpdb drop-list`."""

from functools import partial

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.fail_over import FailOver, fail_over_option
from fpdb.cli.nothing_found import NothingFound
from fpdb.cli.options import NamesOutput, Output, top_option
from fpdb.cli.output import write_names, write_results
from fpdb.cli.pair_options import PairSelection, keep_option, warn_of_boilerplate_only, with_progress
from fpdb.cli.table import write_top
from fpdb.cli.target import Target, usage_errors
from fpdb.columns import DROP, named


@argument_group
class _Arguments:
    selection: PairSelection
    top: int | None = top_option()
    keep: str = keep_option("first")
    direct: bool = option(
        "Drop only documents that form a pair with a document that is kept, not those connected through others."
    )
    fail_over: float | None = fail_over_option()
    names: NamesOutput
    output: Output


@command(_Arguments, "drop-list")
def drop_list(target: Target, arguments: _Arguments) -> None:
    """List the documents to remove so that one of each cluster is left.

    Nothing is removed. Pairs of at least --min (0.5) connect documents to clusters, directly or through others.
    After the listed documents are removed, `fpdb pairs` with the same options finds no pair (with --max-df 0, or
    as long as the same hashes are common).

    For each document to drop, the list tells which document is kept instead, how many fingerprints the two share,
    their measure, and a reason: `similar` if the two form such a pair, `connected` if others connect them. With
    --direct, no document is dropped as `connected`: documents are taken in the order of --keep, and dropped if they
    form a pair with one that was kept.

    With --new or --since, only new documents are dropped.

    Example: fpdb drop-list --min 0.8 --by resemblance
             fpdb drop-list --min 0.8 --names -0 | fpdb remove --from - -0
    """
    output = arguments.output
    separator = arguments.names.separator(output.format)
    in_table = output.format == "table" and separator is None
    fail_over = FailOver(arguments.fail_over)
    with output.redirect(), target.open("r") as db, usage_errors():
        warn_of_boilerplate_only(db)
        top = None if in_table else arguments.top
        search = partial(db.drop_list, keep=arguments.keep, direct=arguments.direct, top=top)
        drops = with_progress(partial(search, **arguments.selection.options()), in_table=in_table)
        found = fail_over.watched(drops, lambda drop: drop.measure)
        if separator is not None:
            write_names((drop.name for drop in found), separator)
        elif in_table:
            columns = named(DROP, "name", "kept", "shared", "measure", "reason", "size")
            options = {"by": "containment", **arguments.selection.options()}
            empty = partial(NothingFound(db).no_pair, "nothing to drop", drops, options)
            write_top(columns, found, arguments.top, empty=empty, noun="document")
        else:
            write_results(output.format, DROP, found)
    fail_over.exit()
