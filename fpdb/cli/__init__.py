"""The command line: a module for each command, or for a few related ones, parses arguments, calls the library, prints.

A command is imported when it is called, and it imports the library when it runs, so that it starts quickly.
"""

import os
import sys

from fpdb.gc_control import collect_rarely

__all__ = ["main"]


def main() -> None:
    """Run the program `fpdb`."""
    collect_rarely()  # before imports make thousands of objects
    _open_closed_streams()
    # fpdb uses no linear algebra; OpenBLAS would start a thread for each processor, which waits for work in a loop.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from fpdb.cli.program import cli

    if "--immutable" in sys.argv:
        from fpdb.cli.child_process import continue_in_child

        continue_in_child()
    cli(prog_name="fpdb")


def _open_closed_streams() -> None:
    """Open the null device for standard streams that are closed, before another file takes their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8", errors="backslashreplace"))  # noqa: SIM115 (as long as the process)
