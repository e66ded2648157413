"""`fpdb dedup`."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.drop_list import noted
from fpdb.cli.input_options import RECORD_FORMATS, RecordFiles, look_for_records
from fpdb.cli.options import Output, jobs_option
from fpdb.cli.output import write_results
from fpdb.cli.pair_options import PairSelection, keep_option, with_progress
from fpdb.cli.rewriting import Rewriter
from fpdb.cli.target import Target, output_path, usage_errors
from fpdb.cli.terminal import count_text, say
from fpdb.columns import DROP

if TYPE_CHECKING:
    from fpdb import Database
    from fpdb.ingest.chunks import Chunk
    from fpdb.ingest.files import InputDocument, Skipped
    from fpdb.ingest.verdicts import Reason
    from fpdb.pairs.dedup import Drop

TOTALS_FORMATS = ("table", "json")


@argument_group
class _Input(RecordFiles):
    """Records, in the format that the names of all files tell if none is given, or documents."""

    def __post_init__(self) -> None:
        """Tell the format, and check that the options make sense together."""
        from fpdb.ingest.record_formats import EXTENSIONS

        for form in RECORD_FORMATS if self.record_format is None else ():
            if all(path.endswith(EXTENSIONS[form]) and not os.path.isdir(path) for path in self.paths):
                object.__setattr__(self, form, True)
        super().__post_init__()
        if self.encoding and not self.record_format:
            raise click.UsageError("--encoding is that of JSON Lines and CSV: give --jsonl or --csv too")
        if "-" in self.paths:
            raise click.UsageError("the input is read twice: give a file, not standard input")


@argument_group
class _Arguments:
    input: _Input
    out: str = option(
        "Write what stays to FILE, or below FOLDER.",
        "-o",
        "--output",
        type=click.Path(),
        required=True,
        callback=output_path,
        metavar="FILE|FOLDER",
    )
    dropped: str | None = option(
        "Also list what is dropped, as fpdb drop-list does: as CSV or Parquet if FILE ends so, else as JSON Lines.",
        type=click.Path(),
        callback=output_path,
        metavar="FILE",
    )
    selection: PairSelection
    keep: str = keep_option("first")
    direct: bool = option(
        "Drop only records that form a pair with a record that is kept, not those connected by others."
    )
    jobs: int | None = jobs_option()
    format: str = option(
        "Form of the totals: a line on standard error, or one JSON object.", choices=TOTALS_FORMATS, default="table"
    )


@command(_Arguments)
def dedup(target: Target, arguments: _Arguments) -> None:
    """Write records, or files, without near-duplicates: one of each cluster is left.

    PATH is a file of records - JSON Lines, CSV or Parquet, told by its name or by --jsonl, --csv or --parquet - or a
    folder of documents. What stays is written in the format of the input, all else as it was; several files go below
    a folder. Options and guarantees are those of fpdb drop-list: without others, of records that share half of their
    fingerprints (--min 0.5 --by containment), the first one stays.

    The documents are compared in a temporary database in TMPDIR, which is removed again, or in the one of fpdb --db
    FILE, to which they are added. There, they are also compared with the documents of earlier runs.

    Totals say how many documents were dropped, and why: `copy`, the same content as the one that stays; `similar`, a
    pair with it; `connected` by other pairs; `again`, the same name and content once more.

    Example: fpdb dedup crawl.jsonl.gz -o clean.jsonl.gz
             fpdb dedup --min 0.8 --by resemblance data.parquet -o clean.parquet --dropped dropped.csv
             fpdb --db seen.fpdb dedup --jsonl today/ -o today-new/
    """
    given = arguments.input
    if arguments.out == "-" and arguments.format == "json":
        raise click.UsageError("standard output is for the records: leave --format out")
    with _database(target) as used, used.open("a") as db, usage_errors():
        rewriter = Rewriter(given, arguments.out, used, tells_skipped=False)
        _load(db, used, given, arguments.jobs, keeps_text=used is not target)
        search = partial(db.drop_list, keep=arguments.keep, direct=arguments.direct)
        drops = with_progress(partial(search, **arguments.selection.options()))
        reasons: dict[str, Reason] = {}
        _list(noted(drops, reasons), arguments.dropped)
        rewriter.write(db, lambda verdicts: verdicts.drop(reasons), arguments.format)


@contextmanager
def _database(target: Target) -> Iterator[Target]:
    """Yield the database that was named, or a temporary one, which is removed."""
    if target.paths:
        yield target
        return
    with tempfile.TemporaryDirectory(prefix="fpdb-dedup-") as folder:
        yield replace(target, path=os.path.join(folder, "dedup.fpdb"))


def _load(db: "Database", target: Target, given: RecordFiles, jobs: int | None, *, keeps_text: bool) -> None:
    """Add the input. keeps_text: Keep the texts, by which short ones are compared."""
    from fpdb.cli.progress import ProgressDisplay
    from fpdb.ingest.discover import discover, total_size
    from fpdb.ingest.input_files import input_files_size
    from fpdb.ingest.load_options import LoadOptions
    from fpdb.ingest.loading import load
    from fpdb.ingest.records import record_chunks

    paths, form, exclude = given.paths, given.record_format, target.database_files()
    inputs: Iterator[InputDocument | Skipped | Chunk]
    if form is None:
        look_for_records(paths, "document")
        inputs, size = discover(paths, kind="auto", exclude=exclude), partial(total_size, paths, exclude)
    else:
        inputs = record_chunks(paths, form, fields=given.fields(), kind="auto", exclude=exclude)
        size = partial(input_files_size, paths, form, exclude)
    options = LoadOptions(keep_text=True if keeps_text and find_spec("zstandard") else None)
    with ProgressDisplay("adding", size) as watcher:
        summary = load(db, inputs, options, jobs=jobs, watcher=watcher)
    if summary.interrupted:
        raise click.Abort
    if summary.duplicates:
        count = count_text(summary.duplicates, "record")
        say(f"{count} of a name that came before: only the last of each name is compared; --name-field - compares all")


def _list(drops: "Iterator[Drop]", path: str | None) -> None:
    """Write the documents to drop to a file, if there is one; go through all of them."""
    if path is None:
        for _ in drops:
            pass
        return
    format = next((form for form in ("csv", "parquet") if path.endswith(f".{form}")), "json")
    with Output(format=format, path=path).redirect():
        write_results(format, DROP, drops)
