"""`fpdb pairs`."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.comparing import say_discarded, watched
from fpdb.cli.options import (
    COVERED,
    PAIR_MEASURES,
    TOP_OF_TABLE,
    Target,
    check_gap,
    keep_option,
    output_options,
    pair_options,
    regions_options,
    report_option,
    top_option,
    wrong_usage,
)
from fpdb.cli.output import (
    Column,
    bar,
    count_text,
    output_to,
    whole_file,
    write_found,
    write_json,
    write_line,
    write_rows,
    write_table,
)
from fpdb.cli.regions import show_pair_regions
from fpdb.cli.sarif import results_of_pairs, write_sarif

if TYPE_CHECKING:
    from fpdb import Cluster, Pair

COLUMNS = (
    Column("#", right=True),
    Column("a"),
    Column("b"),
    Column("shared", right=True),
    Column("a in b", right=True),
    Column("b in a", right=True),
    Column("resemblance", right=True),
)
SCORES = {
    "weighted_containment": "weighted",
    "weighted_resemblance": "weighted",
    "coverage": "coverage",
    "weighted_coverage": "weighted",
}
"""Measures that have a column where pairs are ranked by them, and its title."""

FIELDS: dict[str, type] = {
    "a": str,
    "b": str,
    "shared": int,
    "containment_a": float,
    "containment_b": float,
    "resemblance": float,
}
WEIGHTED_FIELDS: dict[str, type] = dict.fromkeys(
    ("weighted_containment_a", "weighted_containment_b", "weighted_resemblance"), float
)
COVERAGES: dict[str, type] = dict.fromkeys(("coverage_a", "coverage_b"), float)
WEIGHTED_COVERAGES: dict[str, type] = dict.fromkeys(("rarity", "weighted_coverage_a", "weighted_coverage_b"), float)
SOURCES: dict[str, type] = dict.fromkeys(("source_a", "source_b"), str)
MEMBERS: dict[str, type] = {"cluster": str, "member": str}
KEPT: dict[str, type] = {"kept": str}


@click.command()
@partial(
    pair_options,
    measures=(*PAIR_MEASURES, *COVERED),
    about=" Coverage is how much of a document lies in regions, the larger of both; weighted, times the rarity of what "
    "is shared, so that what is the least likely to be chance comes first. It takes the longer the more pairs share "
    "anything, see --min-shared.",
)
@top_option
@click.option(
    "--by-owner",
    is_flag=True,
    help="Compare owners, the documents of each taken as one. A report also shows their most alike documents.",
)
@regions_options("pair is alike")
@click.option("--clusters", is_flag=True, help="Print groups that pairs connect, directly or through others.")
@keep_option(None)
@report_option
@partial(output_options, sarif=True)
@click.pass_obj
def pairs(
    target: Target,
    /,
    clusters: bool,
    keep: str | None,
    report: str | None,
    form: str,
    output: str,
    top: int | None,
    regions: bool,
    gap: int,
    **options: Any,
) -> None:
    """Compare all documents with each other.

    Pairs of documents that share fingerprints, the most alike first; boilerplate is left out. A cluster's name is the
    smallest name in it; with --keep, it also says which document `fpdb drop-list` would keep.

    \b
    Example: fpdb pairs --min 0.3
             fpdb pairs --owner-from path:1 --by-owner
             fpdb pairs --new term=2026 --format json
    """
    if clusters and report:
        raise click.UsageError("a report has pairs and their clusters: give --report without --clusters")
    if keep and not clusters:
        raise click.UsageError("--keep says what is kept of a cluster: give --clusters, or see 'fpdb drop-list'")
    regions |= form == "sarif"
    check_gap(regions=regions, gap=gap)
    if regions and (clusters or options["by_owner"]):
        raise click.UsageError("regions are of two documents: give neither --clusters nor --by-owner")
    options["top"] = top
    with output_to(output, form), target.open("r") as db, wrong_usage():
        say_discarded(db)
        if clusters:
            _print_clusters(watched(db.clusters, options | {"keep": keep}), form, top, kept=keep is not None)
            return
        connect = None if options["by"] == "shared" else options["min"]
        page = db.report(by=options["by"], connect=connect) if report else None
        listed = page.limits.rows if page else TOP_OF_TABLE
        # One more than a table shows tells whether there are more, without keeping all of them.
        options["top"] = (top or listed) + 1 if form == "table" else top
        kept: list[Pair] = []
        found = watched(partial(db.pairs, regions=regions, gap=gap), options)
        _print_pairs(_keeping(found, kept, listed + 1), form, top, options["by"], regions=regions)
        if page and report:
            page.add_pairs(kept[:top], **{name: options[name] for name in ("by_owner", "owners", "max_df")})
            with whole_file(report) as file:
                file.write(page.html().encode())


def _keeping(found: "Iterable[Pair]", kept: "list[Pair]", most: int) -> "Iterator[Pair]":
    """The pairs; the first of them are put into a list as well."""
    for pair in found:
        if len(kept) < most:
            kept.append(pair)
        yield pair


def _print_pairs(found: "Iterable[Pair]", form: str, top: int | None, by: str, *, regions: bool) -> None:
    if form == "sarif":
        write_sarif(results_of_pairs(found))
    elif form != "table":
        write_found(form, _fields(by, regions=regions), found)
    else:
        listed = list(found)
        shown = listed[: top or TOP_OF_TABLE]
        if not shown:
            write_line("no pair shares as much")
            return
        score = SCORES.get(by)
        added = [] if score is None else [Column(score, right=True)]
        rows = (_row(rank, pair, by) for rank, pair in enumerate(shown, start=1))
        write_table((*COLUMNS, *added, Column("")), rows)
        if len(listed) > len(shown):
            write_line("there are more; see them with --top")
        if regions:
            show_pair_regions(shown)


def _fields(by: str, *, regions: bool) -> dict[str, type]:
    """Of CSV and Parquet."""
    fields = dict(FIELDS)
    if by in ("weighted_containment", "weighted_resemblance"):
        fields |= WEIGHTED_FIELDS
    if regions or by.endswith("coverage"):
        fields |= COVERAGES
    if by == "weighted_coverage":
        fields |= WEIGHTED_COVERAGES
    return fields | SOURCES if regions else fields


def _row(rank: int, pair: "Pair", by: str) -> list[str]:
    names = ["containment_a", "containment_b"] if by == "shared" else [by, f"{by}_a", f"{by}_b"]
    score = max(getattr(pair, name, None) or 0.0 for name in names)
    cells = [str(rank), pair.a, pair.b, f"{pair.shared:,}", f"{pair.containment_a:.1%}", f"{pair.containment_b:.1%}"]
    cells.append(f"{pair.resemblance:.3f}")
    if by in SCORES:
        cells.append(f"{score:.3f}")
    return [*cells, bar(score)]


def _print_clusters(found: "Iterable[Cluster]", form: str, top: int | None, *, kept: bool) -> None:
    if form == "json":
        for cluster in found:
            write_json(
                {"cluster": cluster.name, "size": len(cluster), "pairs": cluster.pairs, "members": cluster.members}
                | ({"kept": cluster.kept} if kept else {})
            )
    elif form in ("csv", "parquet"):
        rows = ((cluster.name, member, cluster.kept) for cluster in found for member in cluster.members)
        columns = MEMBERS | KEPT if kept else MEMBERS
        write_rows(form, columns, (row[: len(columns)] for row in rows))
    else:
        found = iter(found)
        shown = list(islice(found, top or TOP_OF_TABLE))
        if not shown:
            write_line("no two documents are that much alike")
            return
        titles = (
            Column("#", right=True),
            Column("size", right=True),
            Column("pairs", right=True),
            Column("members"),
            Column(""),
        )
        write_table(titles, _cluster_rows(shown))
        more = sum(1 for _ in found)
        if more:
            write_line(f"{count_text(more, 'more cluster')}; see them with --top")


def _cluster_rows(shown: "Iterable[Cluster]") -> Iterable[tuple[str, ...]]:
    """A line a member."""
    for rank, cluster in enumerate(shown, start=1):
        about = str(rank), str(len(cluster)), f"{cluster.pairs:,}"
        for member in cluster.members:
            yield *about, member, "kept" if member == cluster.kept else ""
            about = "", "", ""
