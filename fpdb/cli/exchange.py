"""`fpdb export` and `fpdb import`."""

from typing import BinaryIO

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.output import replace_file
from fpdb.cli.target import Target, output_path
from fpdb.cli.terminal import changes_text, count_text, say


@argument_group
class _ExportArguments:
    file: str | None = argument(type=click.Path(), required=False, callback=output_path)
    output: str | None = option(
        "The same as the argument FILE.", type=click.Path(), callback=output_path, metavar="FILE"
    )
    texts: bool = option("Also export the stored texts.")


@argument_group
class _ImportArguments:
    file: BinaryIO = argument(type=click.File("rb"), default="-")


@command(_ExportArguments)
def export(target: Target, arguments: _ExportArguments) -> None:
    """Write all documents with their fingerprints to FILE, or to standard output.

    The export is lines of JSON with checksums: first the recipe, then a line for each document, then a last line.
    `fpdb import` makes a database from them that gives the same answers, also in later versions of fpdb. The lines
    contain the hash key, and with --texts the documents themselves.

    A hash takes about 11 bytes, a position 5; `| gzip` saves little. Other processes can write meanwhile.

    Example: fpdb export corpus.jsonl
    """
    if arguments.file is not None and arguments.output is not None:
        raise click.UsageError("give one file to write to: FILE, or --output FILE")
    with target.open("r") as db, replace_file(arguments.file or arguments.output or "-") as out:
        count = db.export(out, texts=arguments.texts)
    say(f"exported {count_text(count, 'document')}")


@command(_ImportArguments, "import")
def import_(target: Target, arguments: _ImportArguments) -> None:
    """Add the documents of an export, from FILE or standard input.

    The database is created if it does not exist; an existing one must have the recipe of the export. Documents of the
    same names are replaced. A damaged line ends the import and is reported; the documents before it stay in the
    database. If the command is interrupted, run it again to continue.

    Example: fpdb --db new.fpdb import corpus.jsonl
    """
    import fpdb

    target.check_may_change()
    say(changes_text("imported", fpdb.import_(target.path, arguments.file, timeout=target.timeout)))
