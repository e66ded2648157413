"""`fpdb remove`."""

import click

from fpdb.cli.options import Target
from fpdb.cli.output import count_text, say
from fpdb.errors import NoSuchDocument


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--glob", metavar="PATTERN", help="All documents whose name matches, as in a shell: 'essays/2023/*'.")
@click.pass_obj
def remove(target: Target, names: tuple[str, ...], glob: str | None) -> None:
    """Remove documents by name.

    All go in one commit, or none does: a name that is not there leaves the database as it was.

    Example: fpdb remove essays/a.txt essays/b.txt
    """
    if not names and glob is None:
        raise click.UsageError("give names, or --glob PATTERN")
    with target.open("r+") as db:
        chosen = dict.fromkeys(names)
        missing = [name for name in chosen if name not in db]
        if missing:
            listed = ", ".join(missing)
            raise NoSuchDocument(f"not in {target.path}: {listed}; nothing was removed")
        if glob is not None:
            chosen.update((document.name, None) for document in db.documents(glob))
        if not chosen:
            raise NoSuchDocument(f"no document's name matches {glob}; nothing was removed")
        with db.batch() as batch:
            for name in chosen:
                batch.remove(name)
    say(f"removed {count_text(len(chosen), 'document')}")
