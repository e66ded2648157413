"""`fpdb remove`."""

import click

from fpdb.cli.options import Target
from fpdb.cli.output import count_text, names_text, say
from fpdb.errors import NoSuchDocument


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--glob", metavar="PATTERN", help="All documents whose name matches, as in a shell: 'essays/2023/*'.")
@click.option(
    "--from",
    "listed",
    metavar="FILE",
    type=click.Path(),
    help="All documents named in a file, one a line, as `fpdb drop-list --names` prints them; - for standard input.",
)
@click.option("-0", "--null", is_flag=True, help="With --from: each name ends with a NUL, not with a line.")
@click.pass_obj
def remove(target: Target, names: tuple[str, ...], glob: str | None, listed: str | None, null: bool) -> None:
    """Remove documents by name.

    All go in one commit, or none does: a name that is not there leaves the database as it was.

    \b
    Example: fpdb remove essays/a.txt essays/b.txt
             fpdb drop-list --min 0.8 --names -0 | fpdb remove --from - -0
    """
    if not names and glob is None and listed is None:
        raise click.UsageError("give names, --glob PATTERN or --from FILE")
    if null and listed is None:
        raise click.UsageError("-0 says how names end in a file: give --from FILE too")
    chosen = dict.fromkeys(names)
    if listed is not None:
        chosen.update(dict.fromkeys(_names_in(listed, b"\0" if null else b"\n")))
    with target.open("r+") as db:
        missing = [name for name in chosen if name not in db]
        if missing:
            raise NoSuchDocument(f"not in {target.path}: {names_text(missing)}; nothing was removed")
        if glob is not None:
            chosen.update((document.name, None) for document in db.documents(glob))
            if not chosen:
                raise NoSuchDocument(f"no document's name matches {glob}; nothing was removed")
        with db.batch() as batch:
            for name in chosen:
                batch.remove(name)
    say(f"removed {count_text(len(chosen), 'document')}")


def _names_in(path: str, end: bytes) -> list[str]:
    with click.open_file(path, "rb") as file:
        listed = file.read().split(end)
    return [name.decode("utf-8", "surrogateescape") for name in listed if name]
