"""`fpdb prune`."""

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.options import NamesOutput, OutputFile
from fpdb.cli.output import write_json, write_names, write_rows
from fpdb.cli.table import write_table
from fpdb.cli.target import Target
from fpdb.cli.terminal import count_text, say
from fpdb.columns import DOCUMENT, named


@argument_group
class _Arguments:
    remove: bool = option("Remove them.")
    names: NamesOutput
    output: OutputFile


@command(_Arguments)
def prune(target: Target, arguments: _Arguments) -> None:
    """List the documents whose files are gone; with --remove, remove them.

    Only files below the paths that may be read (--sources) are looked for. Look at the list first: of a disk that is
    not mounted, all files are gone. Documents that came from no file stay.

    Example: fpdb prune
             fpdb prune --remove
    """
    format = arguments.output.format
    separator = arguments.names.separator(format)
    with arguments.output.redirect():
        with target.open("r+" if arguments.remove else "r") as db:
            gone = db.prune(remove=arguments.remove)
        columns = named(DOCUMENT, "name", "source")
        if separator is not None:
            write_names((document.name for document in gone), separator)
        elif format == "json":
            for document in gone:
                write_json(document.to_dict())
        elif format == "csv":
            write_rows("csv", columns, ((document.name, document.source) for document in gone))
        elif gone:
            write_table(named(DOCUMENT, "name"), ([document.name] for document in gone))
    say(f"{'removed' if arguments.remove else 'gone:'} {count_text(len(gone), 'document')}")
