"""`fpdb explain`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fpdb.cli.options import Target, content_named, format_option, kind_option, pair_options, wrong_usage
from fpdb.cli.output import Column, write_csv, write_json, write_line, write_table

if TYPE_CHECKING:
    from fpdb import Explanation

FIGURES = (
    "kind",
    "alphabet",
    "symbols",
    "kgrams",
    "fingerprints",
    "hashes",
    "ignored_boilerplate",
    "ignored_common",
    "counted",
)
BOTH = ("shared", "shared_boilerplate", "shared_common", "resemblance", "longest", "surely_found")
WORDS = {
    "kgrams": "k-grams",
    "hashes": "distinct fingerprints",
    "ignored_boilerplate": "ignored as boilerplate",
    "ignored_common": "ignored as common",
    "counted": "that count",
    "shared": "shared, that count",
    "shared_boilerplate": "shared boilerplate",
    "shared_common": "shared and common",
    "longest": "longest shared passage, in symbols",
    "surely_found": "surely found from, in symbols",
}


@click.command()
@click.argument("a")
@click.argument("b")
@pair_options
@kind_option
@format_option
@click.pass_obj
def explain(target: Target, /, a: str, b: str, kind: str, form: str, **options: Any) -> None:
    """Tell why two documents are a pair, or are not.

    A and B are names of documents in the database, or else files. For each: what it has, and what of it does not
    count, as boilerplate, or as common with --max-df. For both: what they share, and the longest passage that is in
    both, where the originals can be read. The reasons stand below, the decisive ones first.

    \b
    Example: fpdb explain essays/ann.txt essays/bob.txt --min 0.3
             fpdb explain essays/ann.txt draft.txt
    """
    for name in ("new", "since"):
        if options.pop(name) is not None:
            raise click.UsageError(f"--{name} chooses among pairs; here there is but one")
    with target.open("r") as db, wrong_usage():
        contents = {name: content_named(db, target, name, kind)[0] for name in (a, b) if name not in db}
        found = db.explain(a, b, contents=contents, kind=kind, **options)
    if form == "json":
        write_json(found.to_dict())
    elif form == "csv":
        write_csv(("figure", "a", "b"), _rows(found))
    else:
        columns = Column(""), Column(found.a.name, right=True), Column(found.b.name, right=True)
        write_table(columns, ([WORDS.get(row[0], row[0]), *map(_text, row[1:])] for row in _rows(found)))
        write_line()
        for reason in found.reasons:
            write_line(reason.text)


def _rows(found: "Explanation") -> Iterator[tuple[str, Any, Any]]:
    for name in FIGURES:
        yield name, getattr(found.a, name), getattr(found.b, name)
    for name in BOTH:
        yield name, getattr(found, name), ""
    yield "containment", found.containment_a, found.containment_b


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
