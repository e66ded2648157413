"""`fpdb add`."""

import os
import shlex
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.input_options import InputDocuments
from fpdb.cli.options import format_option, jobs_option
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.parameters import name_value
from fpdb.cli.same_files import warn_of_same_paths
from fpdb.cli.target import OWN_SUFFIXES, Target
from fpdb.cli.terminal import NAMES_IN_LINE, count_text, names_text, say, size_text, write_line

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from fpdb import Database
    from fpdb.fingerprint import Recipe
    from fpdb.ingest.load_summary import LoadSummary
    from fpdb.options import Rarity

WASTE_SHARE, WASTE_BYTES = 1 / 3, 4_000_000
"""The share of the file, and the bytes, from which on `add` says that compact would give them back."""
STATUSES = ("added", "replaced", "updated", "unchanged")


@argument_group
class _Arguments:
    documents: InputDocuments
    boilerplate: bool | None = option(
        "Add as boilerplate: ignore the passages of these documents everywhere.  [default: what each document was]"
    )
    labels: tuple[tuple[str, str], ...] = option(
        "Label for each document, beside those that it has; repeatable. KEY= takes a label away.",
        "--label",
        type=name_value,
        metavar="KEY=VALUE",
    )
    contact: str | None = option("Person to ask about these documents; '' for nobody.", metavar="TEXT")
    rarity: "Rarity" = option(
        "Scheme koala: take k-gram frequencies from the document, or from the database so far.",
        choices=("document", "corpus"),
        default="document",
    )
    keep_text: bool | None = option(
        "Also store the documents themselves, compressed.  [default: if the document's text was kept]"
    )
    if_absent: bool = option(
        "Leave documents whose names are in the database as they are: files are not read, and nothing is compared."
    )
    strict: bool = option("Stop at the first document that would be skipped.")
    jobs: int | None = jobs_option()
    format: str = format_option()


@command(_Arguments)
def add(target: Target, arguments: _Arguments) -> None:
    """Add documents.

    If there is no database, create one with the `text` preset.

    PATH is a file, a folder with its subfolders, an archive, or - for standard input, which needs --name. Symbolic
    links in folders are not followed. A document is named after its path as given, without empty and "." parts. It
    replaces a document of the same name, unless the content is the same. What is not stated stays as it was: labels,
    contact, kind, whether it is boilerplate and whether its text is kept. Binary and unreadable files are skipped and
    listed on standard error, three of each kind. The exit status is 1 if one of them was itself a PATH, or if there
    is nothing to add.

    Archives are read like folders, and nothing is unpacked to disk: zip, tar, mailboxes (mbox), archives in archives,
    and files compressed with gzip, bzip2 or xz. A document in a.zip is named like a.zip/essay.txt, that in
    essay.txt.gz is named essay.txt.gz/essay.txt. Zip files that are documents or programs (docx, xlsx, epub, jar, whl)
    do not count as archives. Limits protect against archives that unpack to huge sizes: see docs/guide/archives.md.

    With --jsonl, each line of PATH is a document (.jsonl, .ndjson, also compressed with gzip, bzip2, xz or zstd);
    with --csv (.csv, .tsv, likewise) or --parquet, each row. PATH may also be a folder of such files, or a quoted
    pattern. The text is in the field `text`, the name in `name` or `id`, or else it is FILE:LINE. Wrong records are
    reported with their line and skipped, unless --strict is given. See docs/guide/records.md.

    The database stores fingerprints and the paths of files. With --keep-text it also stores the documents, and anyone
    who has it can read them: `--regions` and `--report` can then show them without their files.

    If the command is interrupted, the documents committed so far stay. Run it again to continue.

    Example: fpdb add essays/ --label term=2024
             fpdb add --boilerplate template.txt
             pdftotext paper.pdf - | fpdb add - --name paper.pdf
             fpdb add --jsonl dump/ --text-field content --label-field meta.url
             fpdb add --csv answers.csv --text-field answer --name-field student
             fpdb add --parquet 'data/train-*.parquet' --strict
    """
    from fpdb.errors import Error
    from fpdb.ingest.load_summary import LoadSummary

    documents = arguments.documents
    if not documents.are_given:
        raise click.UsageError("give paths of files or folders, or --files-from FILE")
    documents.check_name("document")
    if "-" in documents.paths and documents.name is None and not documents.record_format:
        raise click.UsageError("what standard input holds needs a name: --name NAME")
    summary = LoadSummary()
    if not documents.record_format:
        warn_of_same_paths([path for path in documents.paths if path != "-"])
    _advise(arguments, target, is_new=not os.path.lexists(target.path))
    with _new_or_kept(target) as db:
        if not documents.record_format:
            db.remember_sources(path for path in documents.paths if path != "-")
        try:
            _load(db, target, arguments, summary)
        except Error:
            if summary.documents:
                _print_summary(summary, arguments)
            raise
        _print_summary(summary, arguments)
        _tell(summary, target, db.recipe, documents)
        _tell_waste(db, target)
    if summary.interrupted or not summary.documents or any(skipped.requested for skipped in summary.skipped):
        sys.exit(1)


def _advise(arguments: _Arguments, target: Target, *, is_new: bool) -> None:
    """Say at once if the files seem to need another recipe or another option."""
    look = arguments.documents.look("document")
    if look is None:
        return
    if is_new and look.is_mostly_programs:
        say(
            f"{look.programs} of the first {count_text(look.files, 'file')} are programs, and this new database is for "
            "texts: it compares programs letter by letter, names and layout included. To compare them as programs, "
            f"remove {target.path} and begin with: fpdb --db {shlex.quote(target.path)} init --preset code"
        )
    elif is_new and look.chinese_or_japanese:
        say(
            "these texts are Chinese or Japanese, of which this new database finds shared passages of 50 "
            f"characters; to find those of 17, remove {target.path} and begin with: "
            f"fpdb --db {shlex.quote(target.path)} init --preset cjk"
        )


@contextmanager
def _new_or_kept(target: Target) -> "Iterator[Database]":
    """Open the database; if it is new and nothing comes into it, remove it at the end."""
    is_new, is_empty = not os.path.lexists(target.path), False
    try:
        with target.open("a") as db:
            try:
                yield db
            finally:
                if is_new:
                    figures = db.info()
                    is_empty = not (figures["documents"] or figures["boilerplate_documents"])
    finally:
        for suffix in OWN_SUFFIXES if is_empty else ():
            with suppress(OSError):
                os.unlink(target.path + suffix)


def _tell(summary: "LoadSummary", target: Target, recipe: "Recipe", documents: InputDocuments) -> None:
    """Say what else is to be known of the documents."""
    if summary.shorts:
        k = min(rule.k for rule in recipe.rules.values())
        names = names_text(summary.too_short, summary.shorts)
        say(f"no fingerprint, since shorter than a k-gram (k={k}): {names}")
    if summary.texts and documents.kind != "text" and next(iter(recipe.rules)) == "tokens":
        names = names_text(summary.read_as_text, summary.texts)
        example = ", such as main.py" if documents.record_format else ": --name main.py"
        say(f"read as text, not compared with programs: {names}; a program needs a name that tells it{example}")
    if summary.kept_boilerplate:
        count = count_text(summary.kept_boilerplate, "document")
        say(f"boilerplate as before: {count}; --no-boilerplate makes ordinary ones of them")
    if summary.interrupted:
        count = count_text(summary.documents, "document")
        say(f"interrupted: {count} in {target.path} so far; the same command goes on from there")
    elif not summary.documents:
        missing = "no record in these files" if documents.record_format else "no file to read"
        say("nothing was added" + ("" if summary.skips else f": there is {missing}"))


def _tell_waste(db: "Database", target: Target) -> None:
    """Say if much of the file is free, or is of documents that were replaced or removed."""
    figures = db.info()
    size, free, dead = (figures[name] for name in ("file_bytes", "free_bytes", "dead_postings"))
    waste = free + (size - free) * dead // max(figures["postings"] + dead, 1)
    if waste >= max(WASTE_SHARE * size, WASTE_BYTES):
        command = f"fpdb --db {shlex.quote(target.path)} compact"
        say(f"{size_text(waste)} of the {size_text(size)} of {target.path} are of no use now: {command}")


def _load(db: "Database", target: Target, arguments: _Arguments, summary: "LoadSummary") -> None:
    from fpdb.cli.progress import ProgressDisplay
    from fpdb.ingest.load_options import LoadOptions
    from fpdb.ingest.loading import load

    documents = arguments.documents
    with ProgressDisplay("adding", lambda: documents.size(target), verbose=documents.verbose) as watcher:
        load(
            db,
            documents.open(target),
            LoadOptions(
                boilerplate=arguments.boilerplate,
                labels=dict(arguments.labels),
                contact=arguments.contact,
                rarity=arguments.rarity,
                keep_text=arguments.keep_text,
                strict=arguments.strict,
                if_absent=arguments.if_absent,
                encoding=documents.document_encoding,
            ),
            jobs=arguments.jobs,
            watcher=watcher,
            summary=summary,
        )


def _print_summary(summary: "LoadSummary", arguments: _Arguments) -> None:
    counts = {status: getattr(summary, status) for status in STATUSES}
    passed_over = arguments.documents.path_filter.passed_over
    figures: dict[str, float] = {"present": summary.present} if arguments.if_absent else {}
    figures |= {
        "bytes": summary.bytes,
        "postings": summary.postings,
        "seconds": round(summary.seconds, 3),
        "duplicates": summary.duplicates,
    }
    if arguments.format == "json":
        skipped = [{"name": document.name, "reason": document.reason} for document in summary.skipped]
        rest = {name: getattr(summary, name) for name in ("skips", "interrupted", "kept_boilerplate")}
        write_json({**counts, "skipped": skipped, **figures, **rest, "passed_over": passed_over})
    elif arguments.format == "csv":
        row = {**counts, "skipped": summary.skips, **figures, "passed_over": passed_over.total()}
        write_csv(list(row), [list(row.values())])
    else:
        write_line(_summary_text(summary, counts, passed_over))


def _summary_text(summary: "LoadSummary", counts: dict[str, int], passed_over: "Counter[str]") -> str:
    """Format `added 3, unchanged 1, skipped 2: 12.3 MB in 0.5 s (24.6 MB/s), 90,000 postings`."""
    parts = [f"{status} {count:,}" for status, count in counts.items() if count or status == "added"]
    if summary.present:
        parts.append(f"there already {summary.present:,}")
    if summary.skips:
        parts.append(f"skipped {summary.skips:,}")
    if passed_over:
        names = names_text([name for name, _ in passed_over.most_common(NAMES_IN_LINE)], len(passed_over))
        parts.append(f"passed over {passed_over.total():,} ({names})")
    if summary.duplicates:
        parts.append(f"the same name again {summary.duplicates:,}")
    rate = summary.bytes / summary.seconds if summary.seconds else 0
    return (
        f"{', '.join(parts)}: {size_text(summary.bytes)} in {summary.seconds:.1f} s"
        f" ({size_text(rate)}/s), {count_text(summary.postings, 'posting')}"
    )
