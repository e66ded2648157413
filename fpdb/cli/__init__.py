"""The command line: parses, calls `Database` or `load`, prints. One module a command, or a few that belong together.

Commands are imported when they are called for, and the library only inside commands, so that each starts at once.
"""

from fpdb.collecting import collect_seldom

__all__ = ["main"]


def main() -> None:
    """The `fpdb` program."""
    collect_seldom()  # before thousands of objects are made by imports
    from fpdb.cli.program import cli

    cli(prog_name="fpdb")
