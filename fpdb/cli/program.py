"""The group of all commands, and how they fail."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

import click

from fpdb import __version__
from fpdb.cli.options import Target, default_path
from fpdb.cli.output import printable, say
from fpdb.errors import Error

# In the order of a database's life, not of the alphabet; where each is to be had from.
_HOMES = {
    "init": "init",
    "add": "add",
    "remove": "remove",
    "query": "query",
    "pairs": "pairs",
    "drop-list": "drop_list",
    "spans": "spans",
    "common": "common",
    "explain": "explain",
    "fingerprint": "fingerprint",
    "list": "catalogue",
    "show": "catalogue",
    "info": "catalogue",
    "rotate": "rotate",
    "check": "upkeep",
    "compact": "upkeep",
    "backup": "upkeep",
    "export": "transfer",
    "import": "transfer",
    "merge": "merge",
    "adopt": "merge",
    "spark": "spark",
}
# Of those whose name is no name in Python, or one of its own.
_PYTHON_NAMES = {"drop-list": "drop_list", "list": "list_", "import": "import_"}


class Failure(click.ClickException):
    """Something went wrong that is no mistake in the command: one line, exit status 1."""

    def show(self, _file: Any = None) -> None:
        """Prints it on standard error."""
        say(f"fpdb: {self.message}")


@contextmanager
def _harmless() -> Iterator[None]:
    """What click says of wrong usage repeats arguments."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # the help, in lines of its own
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # declared as final
        raise


class Commands(click.Group):
    """A group whose commands are imported when they are called for, and fail with one line instead of a traceback."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Their names."""
        return list(_HOMES)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command; None: there is none of that name."""
        if name not in _HOMES:
            return None
        module = import_module(f"fpdb.cli.{_HOMES[name]}")
        return cast(click.Command, getattr(module, _PYTHON_NAMES.get(name, name)))

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parses the options before the command."""
        with _harmless():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Parses the rest, and runs the command."""
        try:
            with _harmless():
                return super().invoke(ctx)
        except Error as error:
            raise Failure(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{where}{error.strerror or error}") from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--db",
    "paths",
    metavar="FILE",
    multiple=True,
    show_default="$FPDB_DB, else corpus.fpdb",
    type=click.Path(),
    help="The database. For `fpdb query` also several, as --db A --db B.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    help="How long to wait for another process that writes.",
)
@click.option(
    "--key-file",
    metavar="FILE",
    envvar="FPDB_KEY_FILE",
    type=click.Path(),
    help="The key file, of a database that was made with one (fpdb init --secret-file), or $FPDB_KEY_FILE.",
)
@click.version_option(__version__, message="fpdb %(version)s")
@click.pass_context
def cli(ctx: click.Context, paths: tuple[str, ...], timeout: float, key_file: str | None) -> None:
    """Fingerprints of documents in one file: which documents share text with this one, and how much?

    \b
    fpdb add essays/            remember every text in a folder
    fpdb query draft.txt        which of them share text with a draft?

    Exit status: 0 done (also when nothing matches), 1 it failed or damage was found, 2 wrong usage.
    """
    if len(paths) > 1 and ctx.invoked_subcommand != "query":
        raise click.UsageError("only `fpdb query` takes several databases; give one --db")
    ctx.obj = Target(paths[0] if paths else default_path(), timeout, key_file, paths)
