"""`fpdb rotate`."""

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say
from fpdb.errors import NoSuchDocument


@argument_group
class _Arguments:
    names: tuple[str, ...] = argument(metavar="[NAME]...")
    glob: str | None = option("Also all documents whose names match a shell pattern.", metavar="PATTERN")
    rotation: int | None = option(
        "Number of the subset to store.  [default: for each document the next one]", minimum=0, metavar="N"
    )


@command(_Arguments)
def rotate(target: Target, arguments: _Arguments) -> None:
    """Store other fingerprints of documents; of all documents, unless names are given.

    For databases with the scheme koala, which searches with more fingerprints than it stores: rotate from time to
    time, so that no one can find out which passages are stored. Documents are read again from their stored texts, or
    else from their files. A document that cannot be read, or has changed, keeps its fingerprints, and is listed
    with its contact.

    Example: fpdb rotate --glob 'reports/1996/*'
    """
    from fpdb.ingest.rotation import rotate as rotate_documents

    names, glob = arguments.names, arguments.glob
    with target.open("r+") as db:
        chosen = [db.document(name) for name in dict.fromkeys(names)]
        if glob is not None or not names:
            chosen += [document for document in db.documents(glob) if document.name not in names]
        if not chosen:
            raise NoSuchDocument("no document's name matches; nothing was rotated")
        with usage_errors():
            report = rotate_documents(db, chosen, rotation=arguments.rotation)
    for stale in report.stale:
        contact = f"; contact: {stale.contact}" if stale.contact else ""
        say(f"kept {stale.name}: {stale.source or 'no source'}: {stale.reason}{contact}")
    unchanged = f", {len(report.stale):,} kept as they were" if report.stale else ""
    say(f"rotated {count_text(report.documents, 'document')}{unchanged}")
