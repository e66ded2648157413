"""`fpdb pairs`."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fpdb.cli.options import TOP_OF_TABLE, NameValue, Target, format_option, report_option, top_option, wrong_usage
from fpdb.cli.output import (
    Column,
    bar,
    count_text,
    names_text,
    say,
    whole_file,
    write_csv,
    write_json,
    write_line,
    write_table,
)

if TYPE_CHECKING:
    from fpdb import Cluster, Pair

T = TypeVar("T")
MEASURES = ("containment", "resemblance", "shared", "weighted-containment", "weighted-resemblance")

COLUMNS = (
    Column("#", right=True),
    Column("a"),
    Column("b"),
    Column("shared", right=True),
    Column("a in b", right=True),
    Column("b in a", right=True),
    Column("resemblance", right=True),
    Column(""),
)
WEIGHTED_COLUMNS = (
    *COLUMNS[:-1],
    Column("weighted", right=True),
    Column(""),
)
FIELDS = ("a", "b", "shared", "containment_a", "containment_b", "resemblance")
WEIGHTED_FIELDS = ("weighted_containment_a", "weighted_containment_b", "weighted_resemblance")


@click.command()
@click.option(
    "--by",
    type=click.Choice(MEASURES),
    default="containment",
    show_default=True,
    help="The measure: for the order, and for --min. Containment is the larger of both directions; weighted ones "
    "count rare hashes for more.",
)
@click.option("--min-shared", type=click.IntRange(min=1), default=1, show_default=True, metavar="N")
@click.option("--min", type=float, metavar="X", help="Only pairs of at least X.  [default: with --clusters 0.5]")
@top_option
@click.option(
    "--max-df",
    type=click.IntRange(min=0),
    metavar="M",
    help="Leave out hashes that M documents or more hold, from scores and regions; 0: none.  [default: 1000 beyond "
    "10,000 documents, else 0]",
)
@click.option("--new", type=NameValue(), metavar="KEY=VALUE", help="Only pairs with a document that has this label.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="Only pairs with a document added on this day or later: 2026-01-31, or 2026-01-31T09:00:00.",
)
@click.option(
    "--owner-from",
    "owners",
    default="label:owner",
    show_default=True,
    metavar="RULE",
    help="Documents of one owner are not paired. path:N: the first N parts of the name; label:KEY: that label.",
)
@click.option(
    "--by-owner",
    is_flag=True,
    help="Compare owners, the documents of each taken as one. A report also shows their most alike documents.",
)
@click.option("--clusters", is_flag=True, help="Print groups that pairs connect, directly or through others.")
@report_option
@format_option
@click.pass_obj
def pairs(
    target: Target, /, by: str, clusters: bool, report: str | None, form: str, top: int | None, **options: Any
) -> None:
    """Compare all documents with each other.

    Pairs of documents that share fingerprints, the most alike first; boilerplate is left out.

    \b
    Example: fpdb pairs --min 0.3
             fpdb pairs --owner-from path:1 --by-owner
             fpdb pairs --new term=2026 --format json
    """
    if clusters and report:
        raise click.UsageError("a report has pairs and their clusters: give --report without --clusters")
    options |= {"by": by.replace("-", "_"), "top": top}
    with target.open("r") as db, wrong_usage():
        discarded = db.only_boilerplate()
        if discarded:
            say(f"in no pair, since all of their fingerprints are boilerplate: {names_text(discarded)}")
        if clusters:
            _print_clusters(_watched(db.clusters, options), form, top)
            return
        page = db.report(by=options["by"], connect=None if by == "shared" else options["min"]) if report else None
        listed = page.limits.rows if page else TOP_OF_TABLE
        # One more than a table shows tells whether there are more, without keeping all of them.
        options["top"] = (top or listed) + 1 if form == "table" else top
        kept: list[Pair] = []
        _print_pairs(_keeping(_watched(db.pairs, options), kept, listed + 1), form, top, options["by"])
        if page and report:
            page.add_pairs(kept[:top], **{name: options[name] for name in ("by_owner", "owners", "max_df")})
            with whole_file(report) as file:
                file.write(page.html().encode())


def _watched(find: Callable[..., Iterator[T]], options: dict[str, Any]) -> Iterator[T]:
    """What it finds, once there is a first one; until then a terminal shows how the work gets on."""
    from fpdb.cli.progress import TerminalWatcher

    with TerminalWatcher() as watcher:
        found = find(watch=watcher.stage, **options)
        first = list(islice(found, 1))
    return chain(first, found)


def _keeping(found: "Iterable[Pair]", kept: "list[Pair]", most: int) -> "Iterator[Pair]":
    """The pairs; the first of them are put into a list as well."""
    for pair in found:
        if len(kept) < most:
            kept.append(pair)
        yield pair


def _print_pairs(found: "Iterable[Pair]", form: str, top: int | None, by: str) -> None:
    weighted = by.startswith("weighted_")
    if form == "json":
        for pair in found:
            write_json(pair.to_dict())
    elif form == "csv":
        fields = FIELDS + WEIGHTED_FIELDS if weighted else FIELDS
        write_csv(fields, ([getattr(pair, field) for field in fields] for pair in found))
    else:
        listed = list(found)
        shown = listed[: top or TOP_OF_TABLE]
        if not shown:
            write_line("no pair shares as much")
            return
        rows = (_row(rank, pair, by, weighted) for rank, pair in enumerate(shown, start=1))
        write_table(WEIGHTED_COLUMNS if weighted else COLUMNS, rows)
        if len(listed) > len(shown):
            write_line("there are more; see them with --top")


def _row(rank: int, pair: "Pair", by: str, weighted: bool) -> list[str]:
    larger = max(pair.containment_a, pair.containment_b)
    score = pair.resemblance if by == "resemblance" else larger
    cells = [str(rank), pair.a, pair.b, f"{pair.shared:,}", f"{pair.containment_a:.1%}", f"{pair.containment_b:.1%}"]
    cells.append(f"{pair.resemblance:.3f}")
    if weighted:
        of_a, of_b, of_both = pair.weighted_containment_a, pair.weighted_containment_b, pair.weighted_resemblance
        score = (of_both or 0) if by.endswith("resemblance") else max(of_a or 0, of_b or 0)
        cells.append(f"{score:.3f}")
    return [*cells, bar(score)]


def _print_clusters(found: "Iterable[Cluster]", form: str, top: int | None) -> None:
    if form == "json":
        for cluster in found:
            write_json(
                {"cluster": cluster.name, "size": len(cluster), "pairs": cluster.pairs, "members": cluster.members}
            )
    elif form == "csv":
        write_csv(("cluster", "member"), ((cluster.name, member) for cluster in found for member in cluster.members))
    else:
        found = iter(found)
        shown = list(islice(found, top or TOP_OF_TABLE))
        if not shown:
            write_line("no two documents are that much alike")
            return
        columns = (Column("#", right=True), Column("size", right=True), Column("pairs", right=True), Column("members"))
        write_table(columns, _cluster_rows(shown))
        more = sum(1 for _ in found)
        if more:
            write_line(f"{count_text(more, 'more cluster')}; see them with --top")


def _cluster_rows(shown: "Iterable[Cluster]") -> Iterable[tuple[str, str, str, str]]:
    """A line a member."""
    for rank, cluster in enumerate(shown, start=1):
        yield str(rank), str(len(cluster)), f"{cluster.pairs:,}", cluster.name
        yield from (("", "", "", member) for member in cluster.members[1:])
