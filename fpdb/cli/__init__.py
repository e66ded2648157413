"""The command line: parses, calls `Database` or `load`, prints. One module a command, or a few that belong together.

Commands are imported when they are called for, and the library only inside commands, so that each starts at once.
"""

import os

from fpdb.gc_control import collect_rarely

__all__ = ["main"]


def main() -> None:
    """The `fpdb` program."""
    collect_rarely()  # before thousands of objects are made by imports
    # numpy's linear algebra, which fpdb has no use for, would start a thread for each processor, and each of them would
    # wait for work in a loop for a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from fpdb.cli.program import cli

    cli(prog_name="fpdb")
