"""`fpdb browse`."""

import sys

from fpdb.cli.arguments import argument_group, command, option
from fpdb.cli.target import Target
from fpdb.cli.terminal import write_line


@argument_group
class _Arguments:
    port: int = option(
        "Port of this machine.  [default: any that is free]", metavar="PORT", minimum=0, default=0, show_default=False
    )
    no_open: bool = option("Only print the address; open no browser.")


@command(_Arguments)
def browse(target: Target, arguments: _Arguments) -> None:
    """Show the database in a browser.

    Serve pages to this user of this machine alone, at an address that is printed and that holds a token, until Ctrl-C:
    search by a pasted text or a file, look at documents and at pairs side by side, and note what you think of a pair.
    They show the database as it is then, and never change it: what you note is kept in a file beside it. Needs
    pip install 'fpdb[browse]'.

    Example: fpdb --db term.fpdb browse
    """
    from fpdb.browse.server import check_packages, serve

    check_packages()
    with target.open("r") as db:
        is_ours = not (target.foreign or target.immutable)
        serve(db, arguments.port, _announce, keep_reviews=is_ours, open_browser=not arguments.no_open)


def _announce(address: str) -> None:
    write_line(f"{address}  (Ctrl-C ends it)")
    sys.stdout.flush()
