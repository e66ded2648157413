"""`fpdb rotate`."""

import click

from fpdb.cli.options import Target, wrong_usage
from fpdb.cli.output import count_text, printable, say
from fpdb.errors import NoSuchDocument


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--glob", metavar="PATTERN", help="All documents whose name matches, as in a shell.")
@click.option(
    "--rotation",
    type=click.IntRange(min=0),
    metavar="N",
    help="Number of the subset to store.  [default: for each document the next one]",
)
@click.pass_obj
def rotate(target: Target, names: tuple[str, ...], glob: str | None, rotation: int | None) -> None:
    """Store other fingerprints of documents, of all unless names are given.

    For databases of the scheme koala, which searches with more fingerprints than it stores: storing another subset
    from time to time keeps anyone from finding out which passages are stored. The documents are read again from
    their kept texts, else from their sources; those that cannot be, or have changed, keep what they have and are listed
    with their contact.

    Example: fpdb rotate --glob 'reports/1996/*'
    """
    from fpdb.ingest.rotation import rotate as rotate_all

    with target.open("r+") as db:
        chosen = [db.document(name) for name in dict.fromkeys(names)]
        if glob is not None or not names:
            chosen += [document for document in db.documents(glob) if document.name not in names]
        if not chosen:
            raise NoSuchDocument("no document's name matches; nothing was rotated")
        with wrong_usage():
            report = rotate_all(db, chosen, rotation=rotation)
    for stale in report.stale:
        contact = f"; contact: {stale.contact}" if stale.contact else ""
        say(printable(f"kept {stale.name}: {stale.source or 'no source'}: {stale.reason}{contact}"))
    kept = f", {len(report.stale):,} kept as they were" if report.stale else ""
    say(f"rotated {count_text(report.documents, 'document')}{kept}")
