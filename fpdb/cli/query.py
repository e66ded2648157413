"""`fpdb query`."""

import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.options import (
    TOP_OF_TABLE,
    Target,
    check_gap,
    jobs_option,
    kind_option,
    output_options,
    paths_argument,
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
    say,
    whole_file,
    write_found,
    write_line,
    write_lines,
    write_rows,
    write_table,
)
from fpdb.cli.records import records_options

if TYPE_CHECKING:
    from fpdb import Answer, Database, MultiDatabase, Report
    from fpdb.cli.progress import TerminalWatcher
    from fpdb.cli.records import Records
    from fpdb.ingest.process_pool import ForkedPool
    from fpdb.search.batch_query import Answered

MEASURES = (
    "containment",
    "reverse-containment",
    "resemblance",
    "shared",
    "weighted-containment",
    "weighted-reverse-containment",
    "weighted-resemblance",
    "query-coverage",
    "document-coverage",
    "weighted-query-coverage",
    "weighted-document-coverage",
)

COLUMNS = (
    Column("#", right=True),
    Column("name"),
    Column("shared", right=True),
    Column("containment", right=True),
    Column("reverse", right=True),
    Column("resemblance", right=True),
)
BAR = (Column(""), Column(""))
FIELDS: dict[str, type] = {
    "query": str,
    "rank": int,
    "name": str,
    "shared": int,
    "containment": float,
    "reverse_containment": float,
    "resemblance": float,
}
WEIGHTED_FIELDS: dict[str, type] = {
    "weighted_containment": float,
    "weighted_reverse_containment": float,
    "weighted_resemblance": float,
}
COVERAGES: dict[str, type] = {"query_coverage": float, "document_coverage": float, "source": str}
WEIGHTED_COVERAGES: dict[str, type] = {
    "rarity": float,
    "weighted_query_coverage": float,
    "weighted_document_coverage": float,
}
DATABASE: dict[str, type] = {"database": str}


@click.command()
@paths_argument
@click.option(
    "--db",
    "databases",
    metavar="FILE",
    multiple=True,
    type=click.Path(),
    help="A database to ask; several are asked as one that holds all of their documents.",
)
@click.option(
    "--by",
    type=click.Choice(MEASURES),
    help="The measure: for the order, and for --min. Weighted ones count rare hashes for more; "
    "weighted-reverse-containment and weighted-resemblance read the whole database. Coverage is how much of the query, "
    "or the document, lies in regions; weighted, times the rarity of what is shared. It takes the longer the more "
    "documents share anything.  [default: containment; reverse-containment with koala]",
)
@click.option("--min", "least", type=float, metavar="X", help="Only matches of at least X.")
@top_option
@click.option(
    "--smallest",
    type=click.IntRange(min=1),
    metavar="N",
    help="Look up only the N smallest hashes: quicker, and an estimate.",
)
@click.option(
    "-w",
    "--window",
    type=click.IntRange(min=1),
    metavar="W",
    help="A window wider than the recipe's: fewer look-ups, a coarser answer.",
)
@click.option("--max-df", type=click.IntRange(min=1), metavar="M", help="Ignore hashes that M documents or more hold.")
@click.option(
    "--max-ignored",
    type=click.IntRange(min=0),
    metavar="N",
    help="Of those, ignore at most N, the most common ones.",
)
@click.option(
    "--rarity",
    type=click.Choice(["document", "corpus"]),
    default="document",
    show_default=True,
    help="Scheme koala: count k-grams as rare in the document, or in the database.",
)
@regions_options("match is")
@click.option("--include-self", is_flag=True, help="Also list the document that is the query itself.")
@click.option("--name", metavar="NAME", help="Name of the query, if there is but one.")
@kind_option
@records_options
@click.option("--strict", is_flag=True, help="Stop at the first query that cannot be read.")
@jobs_option
@report_option
@partial(output_options, sarif=True)
@click.pass_obj
def query(
    target: Target,
    /,
    paths: tuple[str, ...],
    databases: tuple[str, ...],
    by: str | None,
    least: float | None,
    top: int | None,
    name: str | None,
    kind: str,
    records: "Records | None",
    strict: bool,
    jobs: int | None,
    report: str | None,
    form: str,
    output: str,
    **options: Any,
) -> None:
    """Tell which documents share text with a file.

    PATH is a file, a folder or an archive (each file in it is a query), or - for standard input. With --jsonl or
    --parquet, each record in it is a query: see `fpdb add --help` for what records are.

    Containment is how much of the query is in the document, reverse how much of the document is in the query,
    resemblance how much of both together they share: all counted in fingerprints, boilerplate left out. Weighted, each
    of these counts log(N / M), if M of the N documents hold it, the query being one of them.

    Of several databases, one --db each, of one recipe, the answer is that of a single one with all of their documents,
    boilerplate too; it also names each match's database.

    \b
    Example: fpdb query draft.txt
             fpdb query draft.txt --min 0.1 --format json
             fpdb query --db 2023.fpdb --db 2024.fpdb draft.txt
             fpdb query --jsonl new.jsonl.gz --min 0.5 --format json > found.jsonl
    """
    if databases:
        given = (*target.given, *databases)
        target = replace(target, path=given[0], given=given)
    several = len(target.given) > 1
    if several and report:
        raise click.UsageError("--report shows the documents of one database; give one --db")
    _check(paths, by, least, name, options["max_df"], options["max_ignored"])
    if name is not None and records:
        raise click.UsageError("--name names one query; records name their own, see --name-field")
    options["regions"] |= form == "sarif"
    check_gap(regions=options["regions"], gap=options["gap"])
    import fpdb
    from fpdb.cli.progress import TerminalWatcher
    from fpdb.ingest.discover import total_size

    failed: list[str] = []

    def total() -> int | None:
        return records.size(paths, target) if records else total_size(paths, target.own())

    # Answers on a terminal show themselves how the work gets on.
    watcher = TerminalWatcher("querying", total, shown=output != "-" or not sys.stdout.isatty())
    with (
        _folder(records, form, report) as folder,
        _workers(records, paths, target, jobs) as copies,
        output_to(output, form),
        target.open_all() if several else target.open("r") as db,
        watcher,
    ):
        shown = top or TOP_OF_TABLE
        measure = db.recipe.measure(kind) if by is None else by.replace("-", "_")
        page = db.report(by=measure) if report and isinstance(db, fpdb.Database) else None
        most = top if page is None else top or page.limits.rows
        if form == "table":  # one more tells that there are more; regions take time, so there are none beyond
            closer = options["regions"] or page is not None or measure.endswith("coverage")
            most = max(shown, most or 0) + 1 if closer else None
        asked = options | {"min": least, "top": most, "kind": kind, "regions": options["regions"] or page is not None}
        if by is not None:
            asked["by"] = measure
        contents = page is not None or form == "table"
        more: Any = {
            "jobs": jobs,
            "strict": strict,
            "contents": contents,
            "folder": folder,
            "copies": copies,
        }
        answered = _answered(db, target, paths, name, records, asked, failed, watcher, **more)
        answers: Iterator[tuple[Answer, bool, bytes | str]]
        answers = ((one.answer, one.itself, one.content or b"") for one in answered if one.answer is not None)
        if page is not None:
            answers = _put_on(page, answers, top, None if options["regions"] or form == "table" else measure)
        if folder is not None:
            for one in answered:
                if one.lines is not None:
                    write_lines(one.lines.pieces())
        elif form == "json":
            write_found(form, {}, (answer for answer, *_ in answers))
        elif form == "sarif":
            from fpdb.cli.sarif import results_of_answers, write_sarif

            write_sarif(results_of_answers(answer for answer, *_ in answers))
        elif form in ("csv", "parquet"):
            fields = FIELDS | (WEIGHTED_FIELDS if measure in WEIGHTED_FIELDS else {})
            fields |= COVERAGES if options["regions"] or measure.endswith("coverage") else {}
            fields |= WEIGHTED_COVERAGES if measure in WEIGHTED_COVERAGES else {}
            fields |= DATABASE if several else {}
            write_rows(form, fields, (row for answer, *_ in answers for row in _rows(answer, fields)))
        else:
            for index, (answer, left_out, content) in enumerate(answers):
                if index:
                    write_line()
                _show(answer, measure, shown, left_out)
                if options["regions"] and answer.matches:
                    from fpdb.cli.regions import show_regions

                    source = db.recipe.fingerprint(content, kind, name=answer.query.name).source
                    show_regions(answer.matches[:shown], source.text if source else "")
        if page is not None and report is not None:
            with whole_file(report) as file:
                file.write(page.html().encode())
    if failed:
        sys.exit(1)


def _folder(records: "Records | None", form: str, report: str | None) -> "AbstractContextManager[str | None]":
    """Where lines wait for those before them, if they are made where the answers are: those of many queries, but not
    what goes on a page. Workers must have ended before it does."""
    if records is None or form != "json" or report is not None:
        return nullcontext()
    from fpdb.search.spool import spool_folder

    return spool_folder()


def _workers(
    records: "Records | None", paths: tuple[str, ...], target: Target, jobs: int | None
) -> "AbstractContextManager[ForkedPool | None]":
    """Worker processes, if there is much to ask: before a database is open they are there at once, see `forked`."""
    from fpdb.search.batch_query import ALONE_BYTES, opened

    if records is None or (records.size(paths, target) or 0) < ALONE_BYTES:
        return nullcontext()
    import_module("fpdb.database")  # what is imported by now, copies need not import
    from fpdb.ingest.loading import processors
    from fpdb.ingest.process_pool import forked

    paths = target.given or (target.path,)
    return forked(jobs or processors(), partial(opened, *map(os.path.realpath, paths)))


def _check(
    paths: tuple[str, ...], by: str | None, least: float | None, name: str | None, max_df: Any, max_ignored: Any
) -> None:
    most = math.inf if by == "shared" else 1
    if least is not None and not 0 <= least <= most:
        allowed = "0 or more" if by == "shared" else "from 0 to 1"
        with_by = f" with --by {by}" if by else ""
        raise click.UsageError(f"--min is {allowed}{with_by}, not {least:g}")
    if max_ignored is not None and max_df is None:
        raise click.UsageError("--max-ignored limits what --max-df ignores: give both")
    if name is not None and (len(paths) > 1 or os.path.isdir(paths[0])):
        raise click.UsageError("--name names one query; give one file, or -")


def _answered(
    db: "Database | MultiDatabase",
    target: Target,
    paths: tuple[str, ...],
    name: str | None,
    records: "Records | None",
    options: dict[str, Any],
    failed: list[str],
    watcher: "TerminalWatcher",
    *,
    strict: bool,
    **more: Any,
) -> "Iterator[Answered]":
    """One after the other. What cannot be read is said, and put into `failed` if it was named itself, or with --strict,
    which ends it."""
    from fpdb.ingest.discover import discover
    from fpdb.ingest.files import Skipped
    from fpdb.search.batch_query import answers

    kind = options.pop("kind")
    sources = (
        records.pieces(paths, kind, target) if records else discover(paths, name=name, kind=kind, exclude=target.own())
    )
    with wrong_usage():
        for one in answers(db, sources, **more, **options):
            if one.failure is None:
                yield one
            else:
                watcher.skipped(Skipped(one.source.place, one.failure or ""))
                if strict or one.source.requested:
                    failed.append(one.source.name)
                if strict:
                    say(f"stopped at {one.source.place}")
                    return
            if one.passed:
                watcher.done(one.passed)


def _put_on(
    page: "Report", answers: "Iterator[tuple[Answer, bool, bytes | str]]", top: int | None, by: str | None
) -> "Iterator[tuple[Answer, bool, bytes | str]]":
    """The answers, each put on the page as well; by: the measure they are ranked by, if they are to lose their
    regions."""
    for answer, left_out, content in answers:
        page.add_answer(replace(answer, matches=answer.matches[:top]), content)
        yield answer if by is None else answer.without_regions(by), left_out, content


def _rows(answer: "Answer", fields: Iterable[str]) -> Iterator[tuple[object, ...]]:
    for rank, match in enumerate(answer.matches, start=1):
        yield (answer.query.name, rank, *(getattr(match, field) for field in islice(fields, 2, None)))


def _show(answer: "Answer", by: str, top: int, left_out: bool) -> None:
    bars = by if by != "shared" else "containment"
    query = answer.query
    counts = [count_text(query.fingerprints, "fingerprint"), f"{query.looked_up:,} looked up"]
    if query.ignored_boilerplate:
        counts.append(f"{query.ignored_boilerplate:,} ignored as boilerplate")
    if query.ignored_common:
        counts.append(f"{query.ignored_common:,} ignored as common")
    write_line(f"{query.name or '-'}: {', '.join(counts)}")
    if not answer.matches:
        why = "" if query.note is None else f": {query.note}"
        write_line("no match" + (" but itself, see --include-self" if left_out and query.looked_up else "") + why)
        return
    score = "weighted" if by.startswith("weighted") else "coverage" if by.endswith("coverage") else None
    rows = (
        (
            str(rank),
            match.name,
            *([] if match.database is None else [match.database]),
            f"{match.shared:,}",
            f"{match.containment:.1%}",
            f"{match.reverse_containment:.1%}",
            f"{match.resemblance:.3f}",
            *([f"{getattr(match, by):.3f}"] if score else []),
            bar(getattr(match, bars)),
            "" if match.part is None else f"about {match.part:.0%} of the shorter",
        )
        for rank, match in enumerate(answer.matches[:top], start=1)
    )
    databases = [Column("database")] if answer.matches[0].database is not None else []
    write_table((*COLUMNS[:2], *databases, *COLUMNS[2:], *([Column(score, right=True)] if score else []), *BAR), rows)
    if len(answer.matches) > top:
        limited = answer.matches[0].query_coverage is not None  # to one more than is shown
        more = "more" if limited else f"{len(answer.matches) - top:,} more"
        write_line(f"{more}; see them with --top")
