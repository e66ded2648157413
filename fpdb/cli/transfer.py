"""`fpdb export` and `fpdb import`: from one version of fpdb, or one program, to another."""

from typing import BinaryIO

import click

from fpdb.cli.options import Target, output_argument
from fpdb.cli.output import count_text, say, whole_file


@click.command()
@output_argument
@click.option("--texts", is_flag=True, help="Also the texts that were kept.")
@click.pass_obj
def export(target: Target, file: str, texts: bool) -> None:
    """Write all documents, with their fingerprints.

    To FILE, or standard output.

    Lines of JSON, the first with the recipe, one a document, and a last one; each has a checksum. `fpdb import`
    makes a database of them that gives the same answers, now and in later versions. The lines hold the recipe's
    hash key, and with --texts the documents themselves.

    About 11 bytes a hash and 5 a position; `| gzip` takes little off. Writers need not wait.

    Example: fpdb export corpus.jsonl
    """
    with target.open("r") as db, whole_file(file) as out:
        count = db.export(out, texts=texts)
    say(f"exported {count_text(count, 'document')}")


@click.command("import")
@click.argument("file", type=click.File("rb"), default="-")
@click.pass_obj
def import_(target: Target, file: BinaryIO) -> None:
    """Add the documents of an export.

    From FILE, or standard input.

    The database is made if there is none; one that there is must have the export's recipe. Documents of the same names
    are replaced. A line that is damaged ends the import and is named; what came before it is in the database. An import
    that was interrupted can be repeated, and goes on where it was.

    Example: fpdb --db new.fpdb import corpus.jsonl
    """
    import fpdb

    counts = fpdb.import_(target.path, file, timeout=target.timeout)
    changes = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    say(f"imported {count_text(sum(counts.values()), 'document')}{': ' if changes else ''}{changes}")
