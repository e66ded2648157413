"""`fpdb merge` and `fpdb adopt`: documents that were fingerprinted elsewhere."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

import click

from fpdb.cli.options import Target
from fpdb.cli.output import count_text, say

Command = TypeVar("Command", bound=Callable[..., Any])
OnCollision = Literal["refuse", "skip", "replace"]


def collision_options(command: Command) -> Command:
    """--prefix and --on-collision."""
    command = click.option(
        "--on-collision",
        type=click.Choice(["refuse", "skip", "replace"]),
        default="refuse",
        show_default=True,
        help="What to do if a name is there for another content: take nothing over, or pass over the new document, or "
        "replace the old one.",
    )(command)
    return click.option(
        "--prefix", metavar="TEXT", default="", help="Put TEXT before the new names, for example 'siteB/'."
    )(command)


@click.command()
@click.argument("other", metavar="OTHER", type=click.Path())
@collision_options
@click.pass_obj
def merge(target: Target, other: str, prefix: str, on_collision: OnCollision) -> None:
    """Take over all documents of another database.

    OTHER is a database of the same recipe and key, which is read only. Its documents come with their fingerprints,
    labels, kept texts and all else, in their order, after those that are here: nothing is fingerprinted again, and no
    file of theirs is needed. What is here by the same name, kind and content stays as it is.

    Documents come in by batches, while queries go on and other writers wait. Interrupted, it can be repeated, and goes
    on where it was.

    \b
    Example: fpdb --db all.fpdb merge monday.fpdb
             fpdb --db all.fpdb merge site.fpdb --prefix site/
    """
    if os.path.realpath(other) == os.path.realpath(target.path):
        raise click.UsageError(f"{other!r} is the database itself; give another one")
    with replace(target, path=other).open("r") as theirs, target.open("r+") as db:
        counts = db.merge(theirs, prefix=prefix, on_collision=on_collision)
    _report("merged", counts)


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path())
@collision_options
@click.pass_obj
def adopt(target: Target, folder: str, prefix: str, on_collision: OnCollision) -> None:
    """Take over documents fingerprinted elsewhere.

    FOLDER was written by fpdb on Apache Spark, or by another program as docs/design/adopt-format.md says: a
    recipe, which is that of the database, and Parquet files of documents and of their postings, sorted. All of it is checked, and if
    anything is wrong nothing is taken over. Needs pip install 'fpdb[parquet]'.

    Documents come in by batches, while queries go on and other writers wait. Interrupted, it can be repeated, and goes
    on where it was.

    Example: fpdb --db crawl.fpdb adopt fingerprints/
    """
    with target.open("r+") as db:
        counts = db.adopt(folder, prefix=prefix, on_collision=on_collision)
    _report("adopted", counts)


def _report(done: str, counts: Mapping[str, int]) -> None:
    changes = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    say(f"{done} {count_text(sum(counts.values()), 'document')}{': ' if changes else ''}{changes}")
