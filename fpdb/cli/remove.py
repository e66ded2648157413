"""`fpdb remove`."""

import click

from fpdb.cli.arguments import argument, argument_group, command, option
from fpdb.cli.options import read_list
from fpdb.cli.similar_names import suggestion
from fpdb.cli.target import Target
from fpdb.cli.terminal import count_text, names_text, say
from fpdb.errors import NoSuchDocument


@argument_group
class _Arguments:
    names: tuple[str, ...] = argument(metavar="[NAME]...")
    glob: str | None = option(
        "Also all documents whose names match a shell pattern: 'essays/2023/*'.", metavar="PATTERN"
    )
    list_path: str | None = option(
        "Also all documents named in FILE, one a line, which may end with CR LF, as `fpdb drop-list --names` "
        "prints them; - for standard input.",
        "--from",
        type=click.Path(),
        metavar="FILE",
    )
    null: bool = option("With --from: names end with NUL, not a newline, and are taken as they are.", "-0", "--null")


@command(_Arguments)
def remove(target: Target, arguments: _Arguments) -> None:
    """Remove documents by name.

    All documents are removed in one commit. If a name does not exist, nothing is removed.

    Example: fpdb remove essays/a.txt essays/b.txt
             fpdb drop-list --min 0.8 --names -0 | fpdb remove --from - -0
    """
    names, glob, list_path, null = arguments.names, arguments.glob, arguments.list_path, arguments.null
    if not names and glob is None and list_path is None:
        raise click.UsageError("give names, --glob PATTERN or --from FILE")
    if null and list_path is None:
        raise click.UsageError("-0 says how names end in a file: give --from FILE too")
    listed = [] if list_path is None else read_list(list_path, null=null)
    chosen = dict.fromkeys([*names, *listed])
    with target.open("r+") as db:
        missing = [name for name in chosen if name not in db]
        if missing:
            is_pattern = any(set("*?[") & set(name) for name in missing)
            hint = "; patterns need --glob" if is_pattern else suggestion(db, missing[0])
            raise NoSuchDocument(f"not in {target.path}: {names_text(missing)}; nothing was removed{hint}")
        if glob is not None:
            chosen.update((document.name, None) for document in db.documents(glob))
            if not chosen:
                raise NoSuchDocument(f"no document's name matches {glob}; nothing was removed")
        with db.batch() as batch:
            for name in chosen:
                batch.remove(name)
    say(f"removed {count_text(len(chosen), 'document')}")
