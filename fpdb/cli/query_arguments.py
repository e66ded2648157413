"""The arguments of `fpdb query`."""

import math
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, option
from fpdb.cli.fail_over import fail_over_option
from fpdb.cli.input_options import InputDocuments
from fpdb.cli.options import RegionOutput, jobs_option, top_option
from fpdb.cli.report_options import ReportOutput
from fpdb.cli.subset_options import SubsetOptions

if TYPE_CHECKING:
    from fpdb.options import Rarity

MEASURES = (
    *("similarity", "containment", "reverse-containment", "resemblance", "shared"),
    *("weighted-containment", "query-coverage", "document-coverage"),
)


@argument_group
class SearchOptions:
    """Options that are passed on to `fpdb.Database.query`."""

    min: float | None = option("Only matches whose measure is at least X.", metavar="X")
    smallest: int | None = option(
        "Look up only the N smallest hashes: faster, and an estimate.", minimum=1, metavar="N"
    )
    window: int | None = option(
        "Use a wider window than the recipe: fewer look-ups, less precise results.",
        "-w",
        "--window",
        minimum=1,
        metavar="W",
    )
    max_df: int | None = option("Ignore hashes that M or more documents contain.", minimum=1, metavar="M")
    max_ignored: int | None = option(
        "With --max-df: ignore at most N hashes, the most frequent ones.", minimum=0, metavar="N"
    )
    rarity: "Rarity" = option(
        "Scheme koala: take k-gram frequencies from the document, or from the database.",
        choices=("document", "corpus"),
        default="document",
    )
    include_self: bool = option("Also list the query itself if the database contains it.")


@argument_group
class QueryArguments:
    """Arguments of `fpdb query`."""

    databases: tuple[str, ...] = option(
        "Database to search; repeat it to search several databases as one.", "--db", type=click.Path(), metavar="FILE"
    )
    by: str | None = option(
        "Measure to sort by, and for --min. Weighted containment gives rare hashes more weight. Similarity is the "
        "mean of that of both directions; a document's hashes are taken to be as rare as the query's. Coverage is the "
        "share of the query, or of the document, that lies in regions: it takes longer the more documents share any "
        "hash.  "
        "[default: similarity if programs are read as tokens, else containment; reverse-containment with koala]",
        choices=MEASURES,
    )
    search: SearchOptions
    subset: SubsetOptions
    with_labels: bool = option("Also show the labels of the documents.")
    top: int | None = top_option()
    queries: InputDocuments
    stored: tuple[str, ...] = option(
        "Also ask with a document of the database; repeatable. Without its content, its stored hashes are asked for.",
        metavar="NAME",
    )
    strict: bool = option("Stop at the first query that cannot be read.")
    jobs: int | None = jobs_option()
    fail_over: float | None = fail_over_option()
    report: ReportOutput
    output: RegionOutput

    def check(self) -> None:
        """Raise click.UsageError if options are out of range or contradict each other."""
        minimum = self.search.min
        if minimum is not None and not 0 <= minimum <= (math.inf if self.by == "shared" else 1):
            allowed = "0 or more" if self.by == "shared" else "from 0 to 1"
            with_by = f" with --by {self.by}" if self.by else ""
            raise click.UsageError(f"--min is {allowed}{with_by}, not {minimum:g}")
        if self.search.max_ignored is not None and self.search.max_df is None:
            raise click.UsageError("--max-ignored limits what --max-df ignores: give both")
        if not (self.queries.are_given or self.stored):
            raise click.UsageError("give paths of files or folders, --files-from FILE or --stored NAME")
        if self.queries.paths:
            self.queries.check_name("query")
