"""`fpdb pairs`."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.fail_over import FailOver, fail_over_option
from fpdb.cli.nothing_found import NothingFound
from fpdb.cli.options import RegionOutput, top_option
from fpdb.cli.output import write_json, write_results, write_rows
from fpdb.cli.pair_options import (
    COUNTED_MEASURES,
    MEASURE_HELP,
    PairSelection,
    keep_option,
    measure_option,
    warn_of_boilerplate_only,
    with_progress,
)
from fpdb.cli.report_options import ReportOutput
from fpdb.cli.same_files import watch_same_files
from fpdb.cli.subset_options import SubsetOptions
from fpdb.cli.table import DEFAULT_TOP, write_ranked, write_table
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import bar, count_text, write_line
from fpdb.columns import (
    CLUSTER,
    EVIDENCE_WORDS,
    PAIR,
    RANK,
    ResultColumn,
    measure_groups,
    named,
    score_heading,
    select,
    shown,
)

if TYPE_CHECKING:
    from fpdb import Cluster, Database, Pair, Results

DOCUMENT_PAIRS = 10
"""Pairs of documents that stand with a pair of owners in JSON."""


@argument_group
class CoveredPairSelection(PairSelection):
    """Options that select pairs, also by the coverage of their regions."""

    by: str | None = measure_option(
        (*COUNTED_MEASURES, "coverage"),
        f"{MEASURE_HELP} Coverage is the share of a document that lies in regions, the larger of the two: it takes "
        "longer the more pairs share any hash, see --min-shared.  [default: similarity if programs are read as tokens, "
        "else mean-containment; containment for clusters]",
    )


@argument_group
class _Arguments:
    selection: CoveredPairSelection
    subset: SubsetOptions
    with_labels: bool = option("Also show the labels of both documents.")
    top: int | None = top_option()
    by_owner: bool = option(
        "Compare owners: the documents of each count as one. Reports and JSON also list the pairs of their documents "
        "that share most."
    )
    clusters: bool = option("Print groups of documents that pairs connect, directly or indirectly.")
    keep: str | None = keep_option(None)
    fail_over: float | None = fail_over_option()
    report: ReportOutput
    output: RegionOutput

    def check(self) -> None:
        """Raise click.UsageError if options contradict each other."""
        if self.clusters and self.report.report:
            raise click.UsageError("a report has pairs and their clusters: give --report without --clusters")
        if self.keep and not self.clusters:
            raise click.UsageError("--keep says what is kept of a cluster: give --clusters, or see 'fpdb drop-list'")
        if self.with_labels and (self.clusters or self.by_owner):
            raise click.UsageError("labels are of two documents: give neither --clusters nor --by-owner")
        if self.fail_over is not None and self.clusters:
            raise click.UsageError("--fail-over is for pairs: leave --clusters out")
        if self.output.regions and (self.clusters or self.by_owner):
            raise click.UsageError("regions are of two documents: give neither --clusters nor --by-owner")


@command(_Arguments)
def pairs(target: Target, arguments: _Arguments) -> None:
    """Compare all documents with each other.

    Print the pairs of documents that share fingerprints, the most similar first. Boilerplate is left out. A cluster
    is named after the first of its names; with --keep, it also tells which document `fpdb drop-list` would keep.

    Example: fpdb pairs --min 0.3
             fpdb pairs --owners path:1 --by-owner
             fpdb pairs --new term=2026 --format json
    """
    arguments.check()
    fail_over = FailOver(arguments.fail_over, arguments.selection.by)
    with arguments.output.redirect(), target.open("r") as db, usage_errors():
        warn_of_boilerplate_only(db)
        if arguments.clusters:
            _print_clusters(db, arguments)
        else:
            _print_pairs(db, target, arguments, fail_over)
    fail_over.exit()


def _print_pairs(db: "Database", target: Target, arguments: _Arguments, fail_over: FailOver) -> None:
    selection, top, format = arguments.selection, arguments.top, arguments.output.format
    measure = selection.by or db.recipe.pair_measure
    options = selection.options() | arguments.subset.options() | {"by": measure}
    connect = None if measure == "shared" else selection.min
    page = None
    if arguments.report.report:
        page = db.report(by=measure, connect=connect, **arguments.report.heading(target))
    limit = page.limits.rows if page else DEFAULT_TOP
    # In a table, one pair more than it shows tells that there are more.
    search = partial(
        db.pairs,
        **arguments.output.region_options(),
        by_owner=arguments.by_owner,
        with_labels=arguments.with_labels,
        document_pairs=DOCUMENT_PAIRS if arguments.by_owner and format == "json" else 0,
        top=(top or limit) + 1 if format == "table" else top,
        **options,
    )
    reported: list[Pair] = []
    results = with_progress(search, "owner" if arguments.by_owner else "document", in_table=format == "table")
    compared = results if arguments.by_owner else watch_same_files(db, results, lambda pair: (pair.a, pair.b))
    found = fail_over.watched(_copy_first(compared, reported, limit + 1), lambda pair: pair.score(measure))
    if format == "sarif":
        from fpdb.cli.sarif import pair_results, write_sarif

        write_sarif(pair_results(found))
    elif format == "table":
        asked = options | {"by_owner": arguments.by_owner}
        empty = partial(NothingFound(db).no_pair, "no pair", results, asked)
        _print_table(db, list(found), arguments, measure, empty)
    else:
        groups = measure_groups(measure, regions=arguments.output.regions)
        write_results(format, select(PAIR, groups | ({"labels"} if arguments.with_labels else set())), found)
    if page is not None:
        from fpdb.pairs.results import Comparison, Results

        copies = Results(lambda: Comparison(iter(reported[:top]), results.ignored, results.advice, results.held_back))
        chosen = {"owners": options["owners"], "max_df": selection.max_df} | arguments.subset.options()
        page.add_pairs(copies, by_owner=arguments.by_owner, **chosen)
        arguments.report.write(page)


def _copy_first(pairs: "Iterable[Pair]", copies: "list[Pair]", limit: int) -> "Iterator[Pair]":
    """Iterate over the pairs, and append the first of them to a list."""
    for pair in pairs:
        if len(copies) < limit:
            copies.append(pair)
        yield pair


def _print_table(
    db: "Database", pairs: "list[Pair]", arguments: _Arguments, measure: str, empty: Callable[[], str]
) -> None:
    shown_pairs = pairs[: arguments.top or DEFAULT_TOP]
    if not shown_pairs:
        write_line(empty())
        return
    heading = score_heading(measure)
    score = ResultColumn("score", float, heading, lambda pair: format(pair.score(measure), ".3f"))
    part = "containment" if measure == "shared" else measure
    bars = ResultColumn("bar", str, "", lambda pair: bar(pair.score(part)))
    columns = shown(select(PAIR, {"labels"} if arguments.with_labels else ()))
    evidence = ResultColumn("evidence", str, "", lambda pair: EVIDENCE_WORDS.get(pair.evidence, ""))
    write_ranked((*columns, *([score] if heading else []), bars, evidence), shown_pairs)
    if len(pairs) > len(shown_pairs):
        write_line("there are more; see them with --top")
    if arguments.output.regions:
        from fpdb.cli.regions import show_pair_regions

        show_pair_regions(shown_pairs, db, both=arguments.output.both)


def _print_clusters(db: "Database", arguments: _Arguments) -> None:
    options = arguments.selection.options() | arguments.subset.options() | {"by_owner": arguments.by_owner}
    format, noun = arguments.output.format, "owner" if arguments.by_owner else "document"
    search = partial(db.clusters, keep=arguments.keep, top=arguments.top, **options)
    clusters = with_progress(search, noun, in_table=format == "table")
    if format == "json":
        for cluster in clusters:
            write_json(cluster.to_dict())
    elif format == "table":
        empty = partial(NothingFound(db).no_pair, "no cluster", clusters, {"by": "containment", **options})
        _print_cluster_table(clusters, arguments.top or DEFAULT_TOP, empty)
    else:
        columns = named(CLUSTER, "cluster", "member", *(["kept"] if arguments.keep else []))
        rows = ((cluster.name, member, cluster.kept) for cluster in clusters for member in cluster.members)
        write_rows(format, columns, (row[: len(columns)] for row in rows))


def _print_cluster_table(clusters: "Results[Cluster]", top: int, empty: Callable[[], str]) -> None:
    first = list(islice(clusters, top))
    if not first:
        write_line(empty())
        return
    write_table((RANK, *shown(CLUSTER)), _cluster_rows(first))
    more = sum(1 for _ in clusters)
    if more:
        write_line(f"{count_text(more, 'more cluster')}; see them with --top")


def _cluster_rows(clusters: "Iterable[Cluster]") -> Iterator[tuple[str, ...]]:
    """Return a row for each member; the first one of a cluster describes it."""
    for rank, cluster in enumerate(clusters, start=1):
        description = str(rank), str(len(cluster)), f"{cluster.pairs:,}"
        for member in cluster.members:
            yield *description, member, "kept" if member == cluster.kept else ""
            description = "", "", ""
