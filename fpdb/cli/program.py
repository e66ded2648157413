"""The group of all commands, and their errors."""

import errno
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

import click

from fpdb import __version__
from fpdb.cli.target import Target, default_path
from fpdb.cli.terminal import printable, say
from fpdb.errors import Error

_MODULES = {
    "init": "init",
    "add": "add",
    "remove": "remove",
    "query": "query",
    "pairs": "pairs",
    "drop-list": "drop_list",
    "spans": "spans",
    "common": "common_passages",
    "explain": "explain",
    "fingerprint": "fingerprint",
    "list": "catalogue",
    "show": "catalogue",
    "info": "catalogue",
    "rotate": "rotate",
    "check": "maintenance",
    "compact": "maintenance",
    "backup": "maintenance",
    "export": "exchange",
    "import": "exchange",
    "merge": "merge",
    "adopt": "merge",
    "spark": "spark",
}
"""The module of each command, in the order of help."""
_FUNCTIONS = {"drop-list": "drop_list", "list": "list_", "import": "import_"}
"""Functions that are not named as their command."""


class Failure(click.ClickException):
    """An error other than wrong usage: one line on standard error, exit status 1."""

    def show(self, _file: Any = None) -> None:
        """Print the message."""
        say(f"fpdb: {self.message}")


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Escape control characters in errors of usage, which repeat arguments."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # its message is the help text, of several lines
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # declared as final
        raise


def _keep_examples(command: click.Command) -> click.Command:
    """Keep the lines of examples in a help text as they are, with click's mark for such a paragraph."""
    command.help = inspect.cleandoc(command.help or "").replace("\n\nExample:", "\n\n\b\nExample:")
    return command


class Commands(click.Group):
    """A group that imports a command when it is called, and prints its errors in one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(_MODULES)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Return the command; None if there is none of this name."""
        if name not in _MODULES:
            return None
        module = import_module(f"fpdb.cli.{_MODULES[name]}")
        return _keep_examples(cast(click.Command, getattr(module, _FUNCTIONS.get(name, name))))

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options before the command."""
        with _printable_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the other arguments, and run the command."""
        try:
            with _printable_errors():
                return super().invoke(ctx)
        except Error as error:
            raise Failure(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            place = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{place}{error.strerror or error}") from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--db",
    "paths",
    metavar="FILE",
    multiple=True,
    show_default="$FPDB_DB, else corpus.fpdb",
    type=click.Path(),
    help="Database. `fpdb query` takes several, as --db A --db B.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    help="Time to wait while another process writes.",
)
@click.option(
    "--key-file",
    metavar="FILE",
    envvar="FPDB_KEY_FILE",
    type=click.Path(),
    help="Key file of a database that was made with one (fpdb init --secret-file).  [default: $FPDB_KEY_FILE]",
)
@click.version_option(__version__, message="fpdb %(version)s")
@click.pass_context
def cli(ctx: click.Context, paths: tuple[str, ...], timeout: float, key_file: str | None) -> None:
    """Find shared text among documents, with a database of their fingerprints in one file.

    Example: fpdb add essays/            add all texts in a folder
             fpdb query draft.txt        find the texts that share passages with a draft

    Exit status: 0 success (also if nothing matches), 1 failure or damage found, 2 wrong usage.
    """
    if len(paths) > 1 and ctx.invoked_subcommand != "query":
        raise click.UsageError("only `fpdb query` takes several databases; give one --db")
    ctx.obj = Target(paths[0] if paths else default_path(), timeout, key_file, paths)


_keep_examples(cli)
