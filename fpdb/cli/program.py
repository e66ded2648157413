"""The group of all commands, and their errors."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from fpdb import __version__, limits
from fpdb.cli.arguments import help_text
from fpdb.cli.parameters import byte_size
from fpdb.cli.target import Target, default_path
from fpdb.cli.terminal import printable, say
from fpdb.errors import Error

_COMMANDS = (
    *(
        "init",
        "add",
        "remove",
        "rename",
        "prune",
        "query",
        "pairs",
        "drop-list",
        "dedup",
        "spans",
        "common",
        "explain",
        "fingerprint",
        "list",
    ),
    *(
        "show",
        "info",
        "browse",
        "rotate",
        "check",
        "repair",
        "compact",
        "backup",
        "publish",
        "export",
        "import",
        "merge",
        "adopt",
        "spark",
    ),
)
"""The commands, in the order of help."""

_MODULES = {
    "common": "common_passages",
    **dict.fromkeys(("list", "show", "info"), "catalogue"),
    **dict.fromkeys(("check", "repair", "compact", "backup", "publish"), "maintenance"),
    **dict.fromkeys(("export", "import"), "exchange"),
    "adopt": "merge",
}
"""The modules of commands, unless they are named alike."""


HELP = help_text("""Find shared text among documents, with a database of their fingerprints in one file.

    Example: fpdb add essays/            add all texts in a folder
             fpdb query draft.txt        find the texts that share passages with a draft

    Exit status: 0 success (also if nothing matches), 1 failure or damage found, 2 wrong usage, 3 what --fail-over
    looks for.
    """)


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
        if isinstance(error, click.NoSuchOption) and error.ctx is not None and error.ctx.parent is not None:
            _point_out_place(error, error.ctx.parent.command)
        vars(error)["message"] = printable(error.message)  # declared as final
        raise


def _point_out_place(error: click.NoSuchOption, group: click.Command) -> None:
    """Say of an option of all commands that it stands before the command."""
    for parameter in group.params:
        if error.option_name in parameter.opts and error.ctx is not None:
            value = f" {parameter.metavar}" if parameter.metavar else ""
            usage = f"fpdb {error.option_name}{value} {error.ctx.command.name} ..."
            vars(error).update(message=f"{error.option_name} stands before the command: {usage}", possibilities=None)


class Commands(click.Group):
    """A group that imports a command when it is called, and prints its errors in one line."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Return the command; None if there is none of this name."""
        if name not in _COMMANDS:
            return None
        module = import_module(f"fpdb.cli.{_MODULES.get(name, name.replace('-', '_'))}")
        return next(value for value in vars(module).values() if isinstance(value, click.Command) and value.name == name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; suggest others where there is none of this name."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            similar = get_close_matches(args[0], _COMMANDS, cutoff=0.7)
            hint = f" Did you mean {' or '.join(map(repr, similar))}?" if similar else " 'fpdb --help' lists them."
            if os.path.exists(args[0]):
                hint = f" To ask with this path or to add it: fpdb query {args[0]}, fpdb add {args[0]}."
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

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
        except MemoryError as error:
            if not ctx.params["foreign"]:
                raise
            raise Failure("this takes more memory than --foreign allows for a database of this size") from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            folder = os.path.dirname(error.filename) if isinstance(error.filename, str) else ""
            if error.errno == errno.ENOENT and folder and not os.path.isdir(folder):
                raise Failure(f"{error.filename}: there is no folder {folder}: make it first") from error
            place = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{place}{error.strerror or error}") from error


def _check_sources(_: click.Context, __: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    if "" in paths:
        raise click.BadParameter("an empty path names no folder")
    return paths


@click.group(
    cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
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
    help="Key file of a database that was made with one (fpdb init --key-file).  [default: $FPDB_KEY_FILE]",
)
@click.option(
    "--sources",
    metavar="PATH",
    multiple=True,
    envvar="FPDB_SOURCES",
    type=click.Path(),
    callback=_check_sources,
    help="Read the files that documents came from only at or below PATH, for regions and reports; repeatable.  "
    "[default: $FPDB_SOURCES, else what you added yourself with `fpdb add`]",
)
@click.option(
    "--foreign",
    is_flag=True,
    help="The database comes from somebody else: check it first, only read it, read no sources unless --sources names "
    "them, and limit memory.",
)
@click.option(
    "--immutable",
    is_flag=True,
    help="Read without locks, from a read-only medium for example; nobody may write meanwhile.",
)
@click.option(
    "--max-seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=limits.DocumentLimits().seconds,
    show_default=True,
    help="Time to read one document. Documents that fail may take ten times as long in all; then slow kinds are "
    "skipped.",
)
@click.option(
    "--max-memory",
    metavar="SIZE",
    type=byte_size,
    default="1GB",
    show_default=True,
    help="Memory to read one document of a kind that needs a parser, such as 500MB.",
)
@click.version_option(__version__, message="fpdb %(version)s")
@click.pass_context
def cli(ctx: click.Context, /, paths: tuple[str, ...], max_seconds: float, max_memory: int, **options: Any) -> None:
    """Note the database for the command, and the limits on documents."""
    if len(paths) > 1 and ctx.invoked_subcommand != "query":
        raise click.UsageError("only `fpdb query` takes several databases; give one --db")
    if options["foreign"]:
        from fpdb.cli.memory_limit import limited_memory

        ctx.with_resource(limited_memory(paths or (default_path(),)))
    ctx.obj = Target(paths[0] if paths else default_path(), paths=paths, **options)
    limits.set_limits(max_seconds, max_memory)
    ctx.with_resource(limits.one_run())
