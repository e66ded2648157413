"""`fpdb drop-list`."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.fail_over import FailOver, fail_over_option
from fpdb.cli.nothing_found import NothingFound
from fpdb.cli.options import NamesOutput, Output, top_option
from fpdb.cli.output import write_names, write_results
from fpdb.cli.pair_options import PairSelection, keep_option, warn_of_boilerplate_only, with_progress
from fpdb.cli.rewriting import Rewriting
from fpdb.cli.same_files import watch_same_files
from fpdb.cli.table import write_top
from fpdb.cli.target import Target, usage_errors
from fpdb.columns import DROP, KEPT, named

if TYPE_CHECKING:
    from fpdb import Database
    from fpdb.ingest.verdicts import Reason
    from fpdb.pairs.dedup import Drop, Kept
    from fpdb.pairs.results import Results


@argument_group
class _Arguments:
    rewriting: Rewriting
    selection: PairSelection
    top: int | None = top_option()
    keep: str = keep_option("first")
    direct: bool = option(
        "Drop only documents that form a pair with a document that is kept, not those connected through others."
    )
    kept: bool = option("List the documents that stay instead, and how many are dropped for each.")
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

    With --write, the input is written again without these documents, in its own format: records as they are in their
    file, or files below a folder. Totals are the last line on standard error, and the last object of --format json.
    To do all of it in one command, from records to records: fpdb dedup.

    Example: fpdb drop-list --min 0.8 --by resemblance
             fpdb drop-list --min 0.8 --names -0 | fpdb remove --from - -0
             fpdb drop-list --min 0.8 --jsonl old.jsonl.gz --write clean.jsonl.gz
    """
    rewriting, separator = arguments.rewriting, arguments.names.separator(arguments.output.format)
    if rewriting.paths and rewriting.write is None:
        raise click.UsageError("PATH is what is written again: give --write FILE too")
    rewriter = rewriting.rewriter(target)
    fail_over = FailOver(arguments.fail_over, arguments.selection.by)
    reasons: dict[str, Reason] = {}
    with arguments.output.redirect(), target.open("r") as db, usage_errors():
        warn_of_boilerplate_only(db)
        found = _search(db, arguments)
        drops = watch_same_files(db, noted(found, reasons), lambda drop: (drop.name, drop.kept))
        watched = fail_over.watched(drops, lambda drop: drop.measure)
        options = {"by": "containment", **arguments.selection.options()}
        empty = partial(NothingFound(db).no_pair, "nothing to drop", found, options)
        _write_list(db, arguments, watched, separator, empty)
        if rewriter is not None:
            rewriter.write(db, lambda verdicts: verdicts.drop(reasons), arguments.output.format)
    fail_over.exit()


def _search(db: "Database", arguments: _Arguments) -> "Results[Drop]":
    in_table = arguments.output.format == "table" and not arguments.names.names
    is_cut_later = in_table or arguments.kept or arguments.rewriting.write is not None
    top = None if is_cut_later else arguments.top
    search = partial(db.drop_list, keep=arguments.keep, direct=arguments.direct, top=top)
    return with_progress(partial(search, **arguments.selection.options()), in_table=in_table)


def noted(drops: "Iterable[Drop]", reasons: "dict[str, Reason]") -> "Iterator[Drop]":
    """Yield the documents to drop, and note why."""
    for drop in drops:
        reasons[drop.name] = "copy" if drop.evidence == "content" else drop.reason
        yield drop


def _write_list(
    db: "Database", arguments: _Arguments, drops: "Iterator[Drop]", separator: str | None, empty: Callable[[], str]
) -> None:
    """Write the documents to drop, or those that stay."""
    from fpdb.pairs.dedup import keep_list

    output, top, kept = arguments.output, arguments.top, arguments.kept
    rows: Iterator[Drop | Kept] = drops
    if kept:
        names = (document.name for document in db.documents() if not document.boilerplate)
        rows, empty = keep_list(names, drops), partial(str, "nothing to keep: no document")
    if separator is not None:
        write_names((row.name for row in islice(rows, top)), separator)
    elif output.format == "table":
        columns = KEPT if kept else named(DROP, "name", "kept", "shared", "measure", "reason", "size")
        write_top(columns, rows, top, empty=empty, noun="document")
    else:
        write_results(output.format, KEPT if kept else DROP, islice(rows, top))
    deque(drops, maxlen=0)  # those beyond --top
