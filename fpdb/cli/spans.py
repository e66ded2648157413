"""`fpdb spans`."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.nothing_found import NothingFound
from fpdb.cli.options import Output, kind_option
from fpdb.cli.output import write_results
from fpdb.cli.pair_options import PairSelection, keep_option, warn_of_boilerplate_only, with_progress
from fpdb.cli.rewriting import Rewriting
from fpdb.cli.table import write_top
from fpdb.cli.target import Target, read_document, usage_errors
from fpdb.cli.terminal import say
from fpdb.columns import SPAN

if TYPE_CHECKING:
    from fpdb import Database, Span


@argument_group
class SpanShape:
    """Options that turn passages into spans, as `fpdb.Database.spans` takes it."""

    shortest: int = option("Only passages of at least N characters.", minimum=1, default=1, metavar="N")
    pad: int = option("Extend spans by N characters on both sides.", minimum=0, default=0, metavar="N")
    snap: bool = option("Extend spans to whole words.")
    gap: int = option("Join passages at most N symbols apart.", minimum=0, default=0, metavar="N")


@argument_group
class _Rewriting(Rewriting):
    """Options for writing the input again, or the names of documents."""

    paths: tuple[str, ...] = argument(metavar="[NAME]...")

    @property
    def names(self) -> tuple[str, ...]:
        """The documents whose spans are asked for; none for all pairs."""
        return () if self.write is not None else self.paths


@argument_group
class _Arguments:
    rewriting: _Rewriting
    selection: PairSelection
    keep: str = keep_option("first")
    shape: SpanShape
    kind: str = kind_option()
    output: Output


@command(_Arguments)
def spans(target: Target, arguments: _Arguments) -> None:
    """List the characters to cut so that no passage is left that other documents contain too.

    Without NAME, for each pair that `fpdb pairs` finds with the same options, list passages of the document that
    --keep would not keep. With NAMEs, of documents in the database or of files, list what they have in common with
    any other document that contains at least --min of them.

    A span counts characters of the decoded text from 0; its end is exclusive. Overlapping passages become one span.
    Each span names the document that shares the most fingerprints there, their number, and how many documents
    contain it. A document that cannot be read again gets one row with the reason instead.

    With --write, the input, whose PATHs stand in the place of NAMEs, is written again without the spans of all pairs:
    records as they are in their file but for the text, or files below a folder. Totals are the last line on standard
    error, and the last object of --format json.

    Example: fpdb spans --min-shared 3 --shortest 100 --snap --format json
             fpdb spans new.txt --pad 10
             fpdb spans --shortest 200 --jsonl old.jsonl --write cut.jsonl
    """
    selection, output = arguments.selection, arguments.output
    names, rewriter = arguments.rewriting.names, arguments.rewriting.rewriter(target)
    if names and (selection.new or selection.since):
        raise click.UsageError("--new and --since choose among pairs: leave them out, or the names")
    empty: Callable[[], str]
    with output.redirect(), target.open("r") as db, usage_errors():
        found: Iterator[Span]
        if names:
            found = _spans_of_names(db, target, arguments)
            empty = partial(_no_span, db, target, arguments)
        else:
            warn_of_boilerplate_only(db)
            search = partial(db.spans, keep=arguments.keep, **vars(arguments.shape), **selection.options())
            found = with_progress(search, in_table=output.format == "table")
            options = {"by": "containment", **selection.options(), "shortest": arguments.shape.shortest}
            empty = partial(NothingFound(db).no_pair, "nothing to cut", found, options)
        cuts: list[tuple[str, int, int]] = []
        found = found if rewriter is None else _noted(found, cuts)
        if output.format == "table":
            write_top(SPAN, found, None, empty=empty, noun="span", option="--format json")
        else:
            write_results(output.format, SPAN, found)
        if rewriter is not None:
            rewriter.write(db, lambda verdicts: verdicts.cut(cuts), output.format)


def _no_span(db: "Database", target: Target, arguments: _Arguments) -> str:
    """Return why nothing is to be cut of the documents that were named."""
    nothing, options, reasons = NothingFound(db), _query_options(arguments.selection), []
    sizes = {"min_shared": arguments.selection.min_shared, "shortest": arguments.shape.shortest}
    for name in arguments.rewriting.names:
        content, kind = read_document(db, target, name, arguments.kind)
        ask = partial(db.query, content, name=name, kind=kind)
        reasons.append(f"{name}: {nothing.no_span(ask, options, sizes, is_stored=name in db)}")
    return f"nothing to cut: {'; '.join(reasons)}"


def _noted(spans: "Iterator[Span]", cuts: list[tuple[str, int, int]]) -> "Iterator[Span]":
    """Yield the spans, and note what is to be cut."""
    for span in spans:
        if span.start is not None and span.end is not None:
            cuts.append((span.name, span.start, span.end))
        yield span


def _spans_of_names(db: "Database", target: Target, arguments: _Arguments) -> "Iterator[Span]":
    selection, options = arguments.selection, _query_options(arguments.selection)
    for name in arguments.rewriting.names:
        content, kind = read_document(db, target, name, arguments.kind)
        spans = db.spans(content, name=name, kind=kind, **options, **vars(arguments.shape))
        if spans.ignored.hashes:
            say(f"{name}: {spans.ignored.text(option='--max-df')}")
        for span in spans:
            if span.shared >= selection.min_shared:
                yield span


def _query_options(selection: PairSelection) -> dict[str, Any]:
    """Return the options of the queries by the documents that were named."""
    return {"by": selection.by or "containment", "min": selection.min, "max_df": selection.max_df or None}
