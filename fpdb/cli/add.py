"""`fpdb add`."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from fpdb.cli.options import NameValue, Target, format_option, jobs_option, kind_option, paths_argument
from fpdb.cli.output import count_text, names_text, say, size_text, write_csv, write_json, write_line
from fpdb.cli.records import records_options

if TYPE_CHECKING:
    from fpdb.cli.records import Records
    from fpdb.fingerprint import Recipe
    from fpdb.ingest.batch import Rarity
    from fpdb.ingest.files import Chunk, InputDocument, Skipped
    from fpdb.ingest.loading import LoadSummary

    Sources = Iterable[InputDocument | Skipped | Chunk]

STATUSES = ("added", "replaced", "updated", "unchanged")


@click.command()
@paths_argument
@click.option("--boilerplate", is_flag=True, help="Discard what these documents hold wherever it occurs.")
@click.option("--name", metavar="NAME", help="Name of the one document that is added, or of the one archive.")
@kind_option
@click.option(
    "--label",
    "labels",
    multiple=True,
    type=NameValue(),
    metavar="KEY=VALUE",
    help="Label of every document added; may be repeated.",
)
@click.option("--contact", metavar="TEXT", help="Whom to ask about these documents.")
@click.option(
    "--rarity",
    type=click.Choice(["document", "corpus"]),
    default="document",
    show_default=True,
    help="Scheme koala: count k-grams as rare in the document, or in the database so far.",
)
@click.option("--keep-text", is_flag=True, help="Also keep the documents themselves, compressed, in the database.")
@records_options
@click.option("--strict", is_flag=True, help="Stop at the first document that would be skipped.")
@jobs_option
@format_option
@click.pass_obj
def add(
    target: Target,
    paths: tuple[str, ...],
    boilerplate: bool,
    name: str | None,
    kind: str,
    labels: tuple[tuple[str, str], ...],
    contact: str | None,
    rarity: "Rarity",
    keep_text: bool,
    records: "Records | None",
    strict: bool,
    jobs: int | None,
    form: str,
) -> None:
    """Add documents.

    Without a database, one is created with the `text` preset.

    PATH is a file, a folder (with all that it holds, sorted; symbolic links are not followed), an archive, or - for
    standard input, which needs --name. A document's name is its path as given, without empty and "." parts.
    A name that is there already is replaced, or left alone if its content is the same. Binary and
    unreadable files are skipped, and listed on standard error; the exit status is 1 if one of them was a
    PATH itself.

    Archives are read as folders, nothing is unpacked to disk: zip, tar, both inside others, and files compressed by
    gzip, bzip2 or xz. What is in a.zip is named like a.zip/essay.txt, and
    in essay.txt.gz like essay.txt.gz/essay.txt. Zip files that are documents or programs (docx, xlsx, epub, jar,
    whl) are no folders. There are limits, against archives that unpack to more than is sensible: see
    docs/guide/archives.md.

    With --jsonl, PATH holds a document a line (.jsonl, .ndjson, also compressed by gzip, bzip2, xz or zstd), with
    --parquet a document a row; a folder of such files, or a quoted pattern, are good too. The text is in the field
    `text`, the name in `name` or `id`, or else it is FILE:LINE; --text-field, --name-field and --label-field say
    what they are called otherwise. What is wrong with a record is said with its line; the rest goes on, or --strict
    stops. See docs/guide/records.md.

    A database holds fingerprints, and where a file lay. With --keep-text it holds the documents too: `--regions` and
    `--report` then show them when a file is gone or came from standard input or JSON Lines, and so can whoever has
    the database. A document that is replaced without --keep-text loses its text; one whose content is the
    same keeps what it has.

    Ctrl-C, or an end by force, keeps the documents committed by then. The same command goes on from there.

    \b
    Example: fpdb add essays/ --label term=2024
             fpdb add --boilerplate template.txt
             pdftotext paper.pdf - | fpdb add - --name paper.pdf
             fpdb add --jsonl dump/ --text-field content --label-field meta.url
             fpdb add --parquet 'data/train-*.parquet' --strict
    """
    from fpdb.cli.progress import TerminalWatcher
    from fpdb.errors import Error
    from fpdb.ingest.loading import LoadSummary, load

    _check_name(paths, name, records)
    report = LoadSummary()
    with target.open("a") as db:
        try:
            with TerminalWatcher("adding", lambda: _total(target, paths, records)) as watcher:
                load(
                    db,
                    _sources(target, paths, name, kind, records),
                    boilerplate=boilerplate,
                    labels=dict(labels),
                    contact=contact,
                    rarity=rarity,
                    keep_text=keep_text,
                    jobs=jobs,
                    strict=strict,
                    watcher=watcher,
                    summary=report,
                )
        except Error:
            if report.documents:
                _print(report, form)
            raise
        _print(report, form)
        _say_short(report, db.recipe)
    if report.interrupted:
        there = count_text(report.documents, "document")
        say(f"interrupted: {there} in {target.path} so far; the same command goes on from there")
    if report.interrupted or any(skipped.requested for skipped in report.skipped):
        sys.exit(1)


def _check_name(paths: tuple[str, ...], name: str | None, records: "Records | None") -> None:
    if name is not None and records:
        raise click.UsageError("--name names one document; records name their own, see --name-field")
    if name is not None and (len(paths) > 1 or os.path.isdir(paths[0])):
        raise click.UsageError("--name names one document; give one file, or -")
    if "-" in paths and name is None and not records:
        raise click.UsageError("what standard input holds needs a name: --name NAME")


def _sources(
    target: Target, paths: tuple[str, ...], name: str | None, kind: str, records: "Records | None"
) -> "Sources":
    from fpdb.ingest.discover import discover

    if records:
        return records.pieces(paths, kind, target)
    return discover(paths, name=name, kind=kind, exclude=target.own())


def _total(target: Target, paths: tuple[str, ...], records: "Records | None") -> int | None:
    """Bytes to be read; None if that cannot be known."""
    from fpdb.ingest.discover import total_size

    return records.size(paths, target) if records else total_size(paths, target.own())


def _print(report: "LoadSummary", form: str) -> None:
    counts = {status: getattr(report, status) for status in STATUSES}
    figures = {"bytes": report.bytes, "postings": report.postings, "seconds": round(report.seconds, 3)}
    figures["duplicates"] = report.duplicates
    skipped = [{"name": one.name, "reason": one.reason} for one in report.skipped]
    if form == "json":
        more = {"skips": report.skips, "interrupted": report.interrupted}
        write_json({**counts, "skipped": skipped, **figures, **more})
    elif form == "csv":
        row = {**counts, "skipped": report.skips, **figures}
        write_csv(list(row), [list(row.values())])
    else:
        write_line(_summary(report, counts))


def _summary(report: "LoadSummary", counts: dict[str, int]) -> str:
    """`added 3, unchanged 1, skipped 2: 12.3 MB in 0.5 s (24.6 MB/s), 90,000 postings`"""
    parts = [f"{status} {count:,}" for status, count in counts.items() if count or status == "added"]
    if report.skips:
        parts.append(f"skipped {report.skips:,}")
    if report.duplicates:
        parts.append(f"the same name again {report.duplicates:,}")
    rate = report.bytes / report.seconds if report.seconds else 0
    return (
        f"{', '.join(parts)}: {size_text(report.bytes)} in {report.seconds:.1f} s"
        f" ({size_text(rate)}/s), {count_text(report.postings, 'posting')}"
    )


def _say_short(report: "LoadSummary", recipe: "Recipe") -> None:
    if not report.shorts:
        return
    lengths = sorted({rule.k for rule in recipe.rules.values()})
    names = names_text(report.too_short, report.shorts)
    say(f"no fingerprint, since shorter than a k-gram (k={lengths[0]}): {names}")
