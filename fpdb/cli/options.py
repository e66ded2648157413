"""Options that several commands share, and what they stand for: the database, a recipe, a format.

Imports the library only when a command runs, so that help comes at once.
"""

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

from fpdb.cli.output import say
from fpdb.errors import BadQuery, BadRecipe, NoSuchDocument, UnknownKind, Unreadable

if TYPE_CHECKING:
    from fpdb import Database, MultiDatabase
    from fpdb.fingerprint import Recipe, Scheme
    from fpdb.ingest.files import DatabaseFiles

SUFFIXES = ("", "-lock", "-writer", "-merge")
"""Of the files of a database."""

TOP_OF_TABLE = 20

PAIR_MEASURES = ("containment", "resemblance", "shared", "weighted-containment", "weighted-resemblance")
COVERED = ("coverage", "weighted-coverage")
"""Measures that only pairs of documents can be ranked by."""

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS_OF_THEIR_OWN = {"k": "-k", "scheme": "--scheme", "key": "--key"}
"""What of a recipe is no parameter of its scheme."""


@dataclass(frozen=True)
class Target:
    """The database that a command works on. given: those that were named, where a query may be of several."""

    path: str
    timeout: float
    key_file: str | None = None
    given: tuple[str, ...] = ()

    def open(self, mode: Literal["r", "r+", "a", "x"], recipe: "Recipe | None" = None) -> "Database":
        """Opens it; the modes are those of `fpdb.open`. Warns where others can read its key."""
        import fpdb

        db = fpdb.open(self.path, mode, recipe=recipe, timeout=self.timeout, key_file=self.key_file)
        self._warn(db)
        return db

    def open_all(self) -> "MultiDatabase":
        """Opens all that were given, to be asked together."""
        import fpdb

        try:
            shards = fpdb.open_all(self.given, timeout=self.timeout, key_file=self.key_file)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        self._warn(next(iter(shards.databases.values())))
        return shards

    def _warn(self, db: "Database") -> None:
        if db.key_exposed:
            say(f"warning: others can read the key in {self.key_file}; chmod 600 takes that away")

    def own(self) -> "DatabaseFiles":
        """Its files, which are not documents, and which nothing else in this process may open; the key file too."""
        from fpdb.ingest.files import DatabaseFiles

        real = [os.path.realpath(path) for path in (self.path, *self.given)]
        files = (path + suffix for path in real for suffix in SUFFIXES)
        return DatabaseFiles.of(files, () if self.key_file is None else (self.key_file,))


def default_path() -> str:
    """The database where none is named."""
    return os.environ.get("FPDB_DB") or "corpus.fpdb"


class LazyChoice(click.ParamType[str]):
    """One of some names that are known only once the library is imported."""

    name = "name"

    def __init__(self, table: str, *more: str) -> None:
        """table: PRESETS, SCHEMES or KINDS of `fpdb.fingerprint`; more: further names."""
        self._table = table
        self._more = more

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is one like it."""
        names = self._names()
        if value not in names:
            self.fail(f"there is no {value!r}; choose one of: {', '.join(names)}", param, ctx)
        return value

    def get_metavar(self, *_: object, **__: object) -> str:
        """The names, as help shows them."""
        return f"[{'|'.join(self._names())}]"

    def _names(self) -> list[str]:
        import fpdb.fingerprint

        return [*self._more, *getattr(fpdb.fingerprint, self._table)]


class NameValue(click.ParamType[tuple[str, str]]):
    """`NAME=VALUE`, as a pair."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The pair; a value may hold further equal signs."""
        if isinstance(value, tuple):
            return value
        name, equals, rest = str(value).partition("=")
        if not name or not equals:
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        return name, rest


class Key(click.ParamType[int]):
    """A whole number, decimal or `0x...`; a wrong one is not repeated, since it may be a secret."""

    name = "key"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        try:
            key = int(str(value), 0)
        except ValueError:
            key = -1
        if not 0 <= key < 2**64:
            self.fail("a key is a whole number from 0 to 2^64 - 1", param, ctx)
        return key


class RecipeCommand(click.Command):
    """A command with recipe options: its help ends with the presets and schemes there are, a line each."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Presets, for whom they are; schemes, what they select, and their parameters."""
        from fpdb.fingerprint import PRESETS, SCHEMES

        with formatter.section("Presets"):
            formatter.write_dl([(name, preset.about) for name, preset in PRESETS.items()])
        with formatter.section("Schemes, and what --set takes"):
            formatter.write_dl([(name, scheme_text(scheme)) for name, scheme in SCHEMES.items()])
        super().format_epilog(ctx, formatter)


MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])
"""A day, or a moment of it, by the clock of this machine."""


def scheme_text(scheme: "Scheme") -> str:
    """A scheme in a line: what it selects, and its parameters with their defaults."""
    parameters = ", ".join(f"{name}={row.default}" for name, row in scheme.parameters.items())
    return f"{scheme.about} ({parameters})" if parameters else scheme.about


def top_option(command: Command) -> Command:
    """--top."""
    return click.option(
        "--top",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Only the first N.  [default: {TOP_OF_TABLE} in a table, else all]",
    )(command)


def pair_options(command: Command, *, measures: Sequence[str] = PAIR_MEASURES, about: str = "") -> Command:
    """Which pairs of documents count: what `fpdb.Database.pairs` takes, but for --top. about: more to say of --by."""
    for option in reversed(
        (
            click.option(
                "--by",
                type=click.Choice(measures),
                default="containment",
                show_default=True,
                callback=lambda _, __, value: value.replace("-", "_"),
                help="The measure: for the order, and for --min. Containment is the larger of both directions; "
                f"weighted ones count rare hashes for more.{about}",
            ),
            click.option(
                "--min-shared",
                type=click.IntRange(min=1),
                default=1,
                show_default=True,
                metavar="N",
                help="Only pairs that share N fingerprints.",
            ),
            click.option(
                "--min",
                type=float,
                metavar="X",
                help="Only pairs of at least X.  [default: 0.5 for clusters and drop lists]",
            ),
            click.option(
                "--max-df",
                type=click.IntRange(min=0),
                metavar="M",
                help="Leave out hashes that M documents or more hold, from scores and regions; 0: none.  "
                "[default: 1000 beyond 10,000 documents, else 0]",
            ),
            click.option(
                "--new",
                type=NameValue(),
                metavar="KEY=VALUE",
                help="Only pairs with a document that has this label.",
            ),
            click.option(
                "--since",
                type=MOMENT,
                metavar="DATE",
                help="Only pairs with a document added on this day or later: 2026-01-31, or 2026-01-31T09:00:00.",
            ),
            click.option(
                "--owner-from",
                "owners",
                default="label:owner",
                show_default=True,
                metavar="RULE",
                help="Documents of one owner are not paired. path:N: the first N parts of the name; label:KEY: that "
                "label.",
            ),
        )
    ):
        command = option(command)
    return command


def keep_option(default: str | None) -> Callable[[Command], Command]:
    """--keep."""
    return click.option(
        "--keep",
        default=default,
        show_default=default is not None,
        metavar="RULE",
        help="Which of several that are alike stays. first: the one added first; longest: the one with the most "
        "symbols; label:KEY=VALUE,VALUE2: the one whose label has the earliest of these values.",
    )


def paths_argument(command: Command) -> Command:
    """PATH..., at least one."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())(command)


def format_option(command: Command) -> Command:
    """--format."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "json", "csv"]),
        default="table",
        show_default=True,
        help="How to print, on a terminal or not: for people, one JSON object a line, or CSV.",
    )(command)


def output_options(command: Command, *, sarif: bool = False) -> Command:
    """--format, with Parquet, and --output; to be written inside `output.output_to`. sarif: that, too."""
    about = "How to print: for people, one JSON object a line, CSV, or Parquet, which takes the extra parquet"
    command = click.option(
        "--output",
        type=click.Path(),
        default="-",
        callback=_not_the_database,
        metavar="FILE",
        help="Write to a file, which is there only once it is whole.  [default: standard output]",
    )(command)
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "json", "csv", "parquet", *(["sarif"] if sarif else [])]),
        default="table",
        show_default=True,
        help=about + ("; or regions as SARIF, for editors and code hosts." if sarif else "."),
    )(command)


def jobs_option(command: Command) -> Command:
    """--jobs."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes that fingerprint, or answer. [default: one a processor]",
    )(command)


def names_options(command: Command) -> Command:
    """--names and -0; hands what ends each name to the command's parameter `end`, None where a table is asked for."""

    @click.option("--names", is_flag=True, help="Print the names alone, one a line.")
    @click.option(
        "-0", "--null", is_flag=True, help="With --names: end each with a NUL instead, for any name there can be."
    )
    @functools.wraps(command)
    def with_names(*args: Any, names: bool, null: bool, form: str, **others: Any) -> Any:
        if names and form != "table":
            raise click.UsageError("--names prints no table: leave --format out")
        if null and not names:
            raise click.UsageError("-0 ends names: give --names too")
        end = None if not names else "\0" if null else "\n"
        return command(*args, end=end, form=form, **others)

    return cast(Command, with_names)


def output_argument(command: Command) -> Command:
    """FILE, by default standard output; written with `output.whole_file`."""
    return click.argument("file", type=click.Path(), default="-", callback=_not_the_database)(command)


def _not_the_database(ctx: click.Context, _: click.Parameter, path: str | None) -> str | None:
    target = ctx.obj
    if path is not None and isinstance(target, Target):
        own = os.path.realpath(target.path)
        if os.path.realpath(path) in [own + suffix for suffix in SUFFIXES]:
            raise click.UsageError(f"{path!r} is the database itself; write to another file")
    return path


def regions_options(each: str) -> Callable[[Command], Command]:
    """--regions and --gap. each: what has regions, in words."""

    def with_options(command: Command) -> Command:
        join = "With --regions: join those that are at most N symbols apart."
        command = click.option("--gap", type=click.IntRange(min=0), default=0, metavar="N", help=join)(command)
        tell = f"Also tell where each {each}: lines, and characters in JSON."
        return click.option("--regions", is_flag=True, help=tell)(command)

    return with_options


def check_gap(*, regions: bool, gap: int) -> None:
    """Raises UsageError."""
    if gap and not regions:
        raise click.UsageError("--gap joins regions: give --regions too")


def report_option(command: Command) -> Command:
    """--report; written with `output.whole_file`."""
    return click.option(
        "--report",
        type=click.Path(),
        callback=_not_the_database,
        metavar="FILE.html",
        help="Also write a page for a browser, with the matching texts side by side.",
    )(command)


def kind_option(command: Command) -> Command:
    """--kind."""
    return click.option(
        "--kind",
        type=LazyChoice("KINDS", "auto"),
        default="auto",
        show_default=True,
        help="What sort of document; auto tells by the file's name, then its content.",
    )(command)


def recipe_options(command: Command) -> Command:
    """--preset and what changes it; hands a `Recipe` to the command's parameter `recipe`."""

    @click.option(
        "--preset",
        type=LazyChoice("PRESETS"),
        default="text",
        show_default=True,
        help="Recipe to start from; see below.",
    )
    @click.option("--scheme", type=LazyChoice("SCHEMES"), help="Rule that selects k-grams.")
    @click.option("-k", type=int, metavar="K", help="Length of a k-gram, in symbols.")
    @click.option("-w", "--window", type=int, metavar="W", help="Window of the scheme, in k-grams.")
    @click.option(
        "--set",
        "parameters",
        multiple=True,
        type=NameValue(),
        metavar="NAME=VALUE",
        help="Any parameter of the scheme, or hash_bits, positions (0: store none), max_df, max_ignored; repeatable.",
    )
    @click.option(
        "--key",
        type=Key(),
        metavar="N",
        help="Hash key, from 0 to 2^64 - 1; other users of the machine can see it.  [default: one that all may know]",
    )
    @functools.wraps(command)
    def with_recipe(
        *args: Any,
        preset: str,
        scheme: str | None,
        k: int | None,
        window: int | None,
        parameters: tuple[tuple[str, str], ...],
        key: int | None,
        **others: Any,
    ) -> Any:
        from fpdb.fingerprint import Recipe

        for name, option in OPTIONS_OF_THEIR_OWN.items():
            if name in dict(parameters):
                raise click.UsageError(f"--set does not set {name}: use {option}")
        values: dict[str, Any] = {name: _number(name, value) for name, value in parameters}
        if window is not None:
            values["w"] = window
        if values.get("positions") in (0, 1):
            values["positions"] = bool(values["positions"])
        with wrong_usage():
            recipe = Recipe.preset(preset).with_(**values, k=k, scheme=scheme, key=key)
        return command(*args, recipe=recipe, **others)

    return cast(Command, with_recipe)


def content_named(db: "Database", target: Target, name: str, kind: str) -> tuple[bytes | str, str]:
    """The content and the kind of a document in the database, or else of a file. Raises NoSuchDocument, Unreadable,
    ContentChanged, MissingPackage, OSError."""
    from fpdb.ingest.discover import discover
    from fpdb.ingest.files import Skipped, read_content

    if name in db:
        return db.original(name), db.document(name).kind
    if not os.path.isfile(name):
        raise NoSuchDocument(f"no document in {db.path} is named {name}, and there is no such file")
    for source in discover((name,), kind=kind, exclude=target.own()):
        if isinstance(source, Skipped):
            raise Unreadable(f"{name}: {source.reason}")
        return read_content(source), kind
    raise Unreadable(f"{name}: there is nothing in it")


@contextmanager
def wrong_usage() -> Iterator[None]:
    """A recipe, a kind or a query that makes no sense is the caller's mistake: exit status 2."""
    try:
        yield
    except (BadQuery, BadRecipe, UnknownKind) as error:
        raise click.UsageError(str(error)) from None


def _number(name: str, value: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise click.UsageError(f"{name} must be a number, not {value!r}")
