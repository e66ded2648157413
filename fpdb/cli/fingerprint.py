"""`fpdb fingerprint`."""

import sys
from typing import TYPE_CHECKING

from fpdb.cli.arguments import argument_group, command
from fpdb.cli.options import OutputFile, kind_option, paths_argument
from fpdb.cli.output import write_csv, write_json
from fpdb.cli.recipe_options import RecipeOptions
from fpdb.cli.table import write_table
from fpdb.cli.target import Target, usage_errors
from fpdb.cli.terminal import count_text, say, write_line
from fpdb.columns import FINGERPRINT
from fpdb.errors import Unreadable

if TYPE_CHECKING:
    from fpdb.fingerprint import Fingerprints


@argument_group
class _Arguments:
    paths: tuple[str, ...] = paths_argument()
    recipe: RecipeOptions
    kind: str = kind_option()
    output: OutputFile


@command(_Arguments)
def fingerprint(target: Target, arguments: _Arguments) -> None:
    """Print the fingerprints of files.

    No database is needed. With --key-file before the command, use the key of that file: anyone who sees the output
    learns which passages a database with that key selects.

    PATH is a file, a folder, an archive, or - for standard input. For each fingerprint, print its hash as a database
    stores it, its position in symbols, and its start in the original in characters. Both count from 0, and are
    left out if the recipe stores no positions.

    Example: fpdb fingerprint essay.txt -k 20 -w 10
    """
    from fpdb import keys
    from fpdb.fingerprint import DEFAULT_KEY
    from fpdb.ingest.discover import discover
    from fpdb.ingest.files import Skipped, error_text, read_content

    kind, recipe = arguments.kind, arguments.recipe.recipe()
    if target.key_file is not None and recipe.key == DEFAULT_KEY:
        recipe = recipe.with_(key=keys.read(target.key_file).key)
    format, failed = arguments.output.format, False
    with arguments.output.redirect():
        if format == "csv":
            write_csv(("name", *(column.name for column in FINGERPRINT)), ())
        for source in discover(arguments.paths, kind=kind):
            try:
                if isinstance(source, Skipped):
                    raise Unreadable(source.reason)
                with usage_errors():
                    fingerprints = recipe.fingerprint(read_content(source), kind, name=source.name)
            except (OSError, Unreadable) as error:
                say(f"skipped {source.name}: {error_text(error)}")
                failed |= source.requested
            else:
                _print(source.name, fingerprints, format)
    if failed:
        sys.exit(1)


def _print(name: str, fingerprints: "Fingerprints", format: str) -> None:
    lists = (fingerprints.hashes.tolist(), fingerprints.positions.tolist(), fingerprints.starts.tolist())
    rows = (
        (hash_, position, start) if start >= 0 else (hash_, None, None)
        for hash_, position, start in zip(*lists, strict=True)
    )
    symbols, kgrams = fingerprints.symbols, fingerprints.kgrams
    if format == "json":
        document = {"name": name, "kind": fingerprints.kind, "symbols": symbols, "kgrams": kgrams}
        write_json({**document, "fingerprints": list(rows)})
    elif format == "csv":
        write_csv(None, ((name, *row) for row in rows))
    else:
        counts = [count_text(symbols, "symbol"), count_text(kgrams, "k-gram")]
        counts.append(count_text(len(lists[0]), "fingerprint"))
        write_line(f"{name}: {', '.join(counts)}; read as {fingerprints.note}")
        cells = ([column.text(value) for column, value in zip(FINGERPRINT, row, strict=True)] for row in rows)
        write_table(FINGERPRINT, cells)
