"""`fpdb rotate`."""

import click

from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say
from fpdb.errors import NoSuchDocument


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--glob", metavar="PATTERN", help="Also all documents whose name matches a shell pattern.")
@click.option(
    "--rotation",
    type=click.IntRange(min=0),
    metavar="N",
    help="Number of the subset to store.  [default: for each document the next one]",
)
@click.pass_obj
def rotate(target: Target, names: tuple[str, ...], glob: str | None, rotation: int | None) -> None:
    """Store other fingerprints of documents; of all documents, unless names are given.

    For databases with the scheme koala, which searches with more fingerprints than it stores: rotate from time to
    time, so that no one can find out which passages are stored. Documents are read again from their stored texts, or
    else from their files. A document that cannot be read, or has changed, keeps its fingerprints, and is listed
    with its contact.

    Example: fpdb rotate --glob 'reports/1996/*'
    """
    from fpdb.ingest.rotation import rotate as rotate_documents

    with target.open("r+") as db:
        chosen = [db.document(name) for name in dict.fromkeys(names)]
        if glob is not None or not names:
            chosen += [document for document in db.documents(glob) if document.name not in names]
        if not chosen:
            raise NoSuchDocument("no document's name matches; nothing was rotated")
        with usage_errors():
            report = rotate_documents(db, chosen, rotation=rotation)
    for stale in report.stale:
        contact = f"; contact: {stale.contact}" if stale.contact else ""
        say(f"kept {stale.name}: {stale.source or 'no source'}: {stale.reason}{contact}")
    unchanged = f", {len(report.stale):,} kept as they were" if report.stale else ""
    say(f"rotated {count_text(report.documents, 'document')}{unchanged}")
