"""`fpdb merge` and `fpdb adopt`: take over documents that are fingerprinted already."""

import os
from dataclasses import replace
from typing import Literal

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.target import Target
from fpdb.cli.terminal import changes_text, say


@argument_group
class CollisionOptions:
    """New names, and what to do if one exists."""

    prefix: str = option("Put TEXT before the new names, for example 'siteB/'.", metavar="TEXT", default="")
    on_collision: Literal["refuse", "skip", "replace"] = option(
        "What to do if a name exists with another content: take nothing over, skip the new document, or replace the "
        "old one.",
        choices=("refuse", "skip", "replace"),
        default="refuse",
    )


@argument_group
class _MergeArguments:
    other: str = argument(metavar="OTHER", type=click.Path())
    collisions: CollisionOptions


@argument_group
class _AdoptArguments:
    folder: str = argument(metavar="FOLDER", type=click.Path())
    collisions: CollisionOptions


@command(_MergeArguments)
def merge(target: Target, arguments: _MergeArguments) -> None:
    """Take over all documents of another database.

    OTHER has the same recipe and key, and is only read. Its documents keep their fingerprints, labels and stored texts:
    nothing is fingerprinted again, and the original files are not needed. They come in their order, after the documents
    of this database. A document that exists with the same name, kind and content stays as it is.

    Documents arrive in batches; meanwhile queries work, and other writers wait. If the command is interrupted, run it
    again to continue.

    Example: fpdb --db all.fpdb merge monday.fpdb
             fpdb --db all.fpdb merge site.fpdb --prefix site/
    """
    other = arguments.other
    if os.path.realpath(other) == os.path.realpath(target.path):
        raise click.UsageError(f"{other!r} is the database itself; give another one")
    with replace(target, path=other).open("r") as source, target.open("r+") as db:
        counts = db.merge(source, **vars(arguments.collisions))
    say(changes_text("merged", counts))


@command(_AdoptArguments)
def adopt(target: Target, arguments: _AdoptArguments) -> None:
    """Import a folder of Parquet written by Spark.

    FOLDER was written by `fpdb spark build`, or by another program as described in docs/design/adopt-format.md: a
    recipe, which must be that of the database, and sorted Parquet files of documents and postings. The folder is
    checked first; if anything is wrong, nothing is taken over. Needs pip install 'fpdb[parquet]'.

    Documents arrive in batches; meanwhile queries work, and other writers wait. If the command is interrupted, run it
    again to continue.

    Example: fpdb --db crawl.fpdb adopt fingerprints/
    """
    with target.open("r+") as db:
        counts = db.adopt(arguments.folder, **vars(arguments.collisions))
    say(changes_text("adopted", counts))
