"""`fpdb merge` and `fpdb adopt`: take over documents that are fingerprinted already."""

import os
from dataclasses import replace
from typing import Literal

import click

from fpdb.cli.options import combine
from fpdb.cli.target import Target
from fpdb.cli.terminal import changes_text, say

OnCollision = Literal["refuse", "skip", "replace"]


collision_options = combine(
    click.option("--prefix", metavar="TEXT", default="", help="Put TEXT before the new names, for example 'siteB/'."),
    click.option(
        "--on-collision",
        type=click.Choice(["refuse", "skip", "replace"]),
        default="refuse",
        show_default=True,
        help="What to do if a name exists with another content: take over nothing, skip the new document, or replace "
        "the old one.",
    ),
)


@click.command()
@click.argument("other", metavar="OTHER", type=click.Path())
@collision_options
@click.pass_obj
def merge(target: Target, other: str, prefix: str, on_collision: OnCollision) -> None:
    """Take over all documents of another database.

    OTHER has the same recipe and key, and is only read. Its documents keep their fingerprints, labels and stored texts:
    nothing is fingerprinted again, and the original files are not needed. They come in their order, after the documents
    of this database. A document that exists with the same name, kind and content stays as it is.

    Documents arrive in batches; meanwhile queries work, and other writers wait. If the command is interrupted, run it
    again to continue.

    Example: fpdb --db all.fpdb merge monday.fpdb
             fpdb --db all.fpdb merge site.fpdb --prefix site/
    """
    if os.path.realpath(other) == os.path.realpath(target.path):
        raise click.UsageError(f"{other!r} is the database itself; give another one")
    with replace(target, path=other).open("r") as source, target.open("r+") as db:
        counts = db.merge(source, prefix=prefix, on_collision=on_collision)
    say(changes_text("merged", counts))


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path())
@collision_options
@click.pass_obj
def adopt(target: Target, folder: str, prefix: str, on_collision: OnCollision) -> None:
    """Import a folder of Parquet written by Spark.

    FOLDER was written by `fpdb spark build`, or by another program as described in docs/design/adopt-format.md: a
    recipe, which must be that of the database, and sorted Parquet files of documents and postings. The folder is
    checked first; if anything is wrong, nothing is taken over. Needs pip install 'fpdb[parquet]'.

    Documents arrive in batches; meanwhile queries work, and other writers wait. If the command is interrupted, run it
    again to continue.

    Example: fpdb --db crawl.fpdb adopt fingerprints/
    """
    with target.open("r+") as db:
        counts = db.adopt(folder, prefix=prefix, on_collision=on_collision)
    say(changes_text("adopted", counts))
