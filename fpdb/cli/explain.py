"""`fpdb explain`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.arguments import argument, argument_group, command
from fpdb.cli.options import OutputFile, kind_option
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.pair_options import PairSelection
from fpdb.cli.subset_options import SubsetOptions
from fpdb.cli.table import write_table
from fpdb.cli.target import Target, read_document, usage_errors
from fpdb.cli.terminal import write_line
from fpdb.columns import EXPLAINED_DOCUMENT, EXPLANATION, ResultColumn

if TYPE_CHECKING:
    from fpdb import Explanation


@argument_group
class _Arguments:
    a: str = argument()
    b: str = argument()
    selection: PairSelection
    subset: SubsetOptions
    kind: str = kind_option()
    output: OutputFile


@command(_Arguments)
def explain(target: Target, arguments: _Arguments) -> None:
    """Explain why two documents are a pair, or are not.

    A and B are names of documents in the database, or else files. For each document, print what it has, and what
    is ignored as boilerplate, or as common with --max-df. For both, print what they share, and the length of the
    longest common passage if the originals can be read. Reasons follow, the decisive ones first.

    Example: fpdb explain essays/ann.txt essays/bob.txt --min 0.3
             fpdb explain essays/ann.txt draft.txt
    """
    a, b, kind = arguments.a, arguments.b, arguments.kind
    options = arguments.selection.options() | arguments.subset.options()
    for name in ("new", "since"):
        if options.pop(name) is not None:
            raise click.UsageError(f"--{name} chooses among pairs; here there is but one")
    with arguments.output.redirect(), target.open("r") as db, usage_errors():
        contents = {name: read_document(db, target, name, kind)[0] for name in (a, b) if name not in db}
        _print(db.explain(a, b, contents=contents, kind=kind, **options), arguments.output.format)


def _print(explanation: "Explanation", format: str) -> None:
    if format == "json":
        write_json(explanation.to_dict())
    elif format == "csv":
        write_csv(("figure", "a", "b"), ((column.name, *values) for column, *values in _figures(explanation)))
    else:
        sides = (ResultColumn(side, int, name) for side, name in (("a", explanation.a.name), ("b", explanation.b.name)))
        rows = (
            (column.heading or "", *("" if value == "" else column.text(value) for value in values))
            for column, *values in _figures(explanation)
        )
        write_table((ResultColumn("figure"), *sides), rows)
        write_line()
        for reason in explanation.reasons:
            write_line(reason.text)


def _figures(explanation: "Explanation") -> Iterator[tuple[ResultColumn, Any, Any]]:
    """Return the rows: a figure, and its values for both documents, or one value for the pair."""
    for column in EXPLAINED_DOCUMENT:
        yield column, getattr(explanation.a, column.name), getattr(explanation.b, column.name)
    for column in EXPLANATION:
        yield column, getattr(explanation, column.name), ""
    yield ResultColumn("containment", float, "containment"), explanation.containment_a, explanation.containment_b
