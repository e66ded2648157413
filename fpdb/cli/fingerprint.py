"""`fpdb fingerprint`."""

import sys
from typing import TYPE_CHECKING

import click

from fpdb.cli.options import Target, format_option, kind_option, paths_argument, recipe_options, wrong_usage
from fpdb.cli.output import Column, count_text, say, write_csv, write_json, write_line, write_table
from fpdb.errors import Unreadable

if TYPE_CHECKING:
    from fpdb.fingerprint import Fingerprints, Recipe

COLUMNS = (Column("hash", right=True), Column("position", right=True), Column("start", right=True))


@click.command()
@paths_argument
@recipe_options
@kind_option
@format_option
@click.pass_obj
def fingerprint(target: Target, paths: tuple[str, ...], recipe: "Recipe", kind: str, form: str) -> None:
    """Print a file's fingerprints.

    No database is needed. With --key-file before the command, they are made with the key of that file; whoever sees
    them learns which passages a database with that key selects.

    PATH is a file, a folder, an archive, or - for standard input. Of each fingerprint, its hash as a database stores
    it, its position in symbols, and where it starts in the original, in characters; both count from 0, and are left
    out where the recipe stores no positions.

    Example: fpdb fingerprint essay.txt -k 20 -w 10
    """
    from fpdb import keys
    from fpdb.fingerprint import DEFAULT_KEY
    from fpdb.ingest.discover import discover
    from fpdb.ingest.files import Skipped, error_text, read_content

    if target.key_file is not None and recipe.key == DEFAULT_KEY:
        recipe = recipe.with_(key=keys.read(target.key_file).key)
    failed = False
    if form == "csv":
        write_csv(("name", "hash", "position", "start"), ())
    for source in discover(paths, kind=kind):
        try:
            if isinstance(source, Skipped):
                raise Unreadable(source.reason)
            with wrong_usage():
                found = recipe.fingerprint(read_content(source), kind, name=source.name)
        except (OSError, Unreadable) as error:
            say(f"skipped {source.name}: {error_text(error)}")
            failed |= source.requested
        else:
            _print(source.name, found, form)
    if failed:
        sys.exit(1)


def _print(name: str, found: "Fingerprints", form: str) -> None:
    places = (
        (position, start) if start >= 0 else (None, None)
        for position, start in zip(found.positions.tolist(), found.starts.tolist(), strict=True)
    )
    rows = ((hash_, *place) for hash_, place in zip(found.hashes.tolist(), places, strict=True))
    if form == "json":
        head = {"name": name, "kind": found.kind, "symbols": found.symbols, "kgrams": found.kgrams}
        write_json({**head, "fingerprints": list(rows)})
    elif form == "csv":
        write_csv(None, ((name, *row) for row in rows))
    else:
        counts = [count_text(found.symbols, "symbol"), count_text(found.kgrams, "k-gram")]
        counts.append(count_text(len(found.hashes), "fingerprint"))
        write_line(f"{name}: {', '.join(counts)}; read as {found.note}")
        write_table(COLUMNS, (tuple("" if cell is None else str(cell) for cell in row) for row in rows))
