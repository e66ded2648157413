"""`fpdb spark`: the same work on Apache Spark."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from fpdb.cli.options import (
    LazyChoice,
    NameValue,
    RecipeCommand,
    Target,
    keep_option,
    pair_options,
    recipe_options,
    wrong_usage,
)
from fpdb.cli.output import count_text, say, write_csv, write_json
from fpdb.cli.records import Records, records_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from fpdb.fingerprint import Recipe

Command = TypeVar("Command", bound=Callable[..., Any])
RECIPE_OPTIONS = ("preset", "scheme", "k", "window", "parameters", "key")
LISTED = 20
"""Documents that could not be read, of which each is told."""


class Cluster(NamedTuple):
    """Where Spark runs, and with what settings."""

    master: str | None
    settings: Mapping[str, str]


class Input(NamedTuple):
    """Which documents, and how they are read."""

    paths: tuple[str, ...]
    records: Records
    kind: str
    duplicates: str
    strict: bool
    boilerplate: tuple[str, ...]
    work: str | None


@click.group()
@click.option(
    "--master",
    metavar="URL",
    help="Where Spark runs, under spark-submit whatever that says.  [default: local[*], this machine]",
)
@click.option("--conf", "settings", multiple=True, type=NameValue(), metavar="NAME=VALUE", help="A setting of Spark.")
@click.pass_context
def spark(ctx: click.Context, master: str | None, settings: tuple[tuple[str, str], ...]) -> None:
    """Work on Apache Spark: pairs, drop lists and databases of more documents than one machine takes.

    Reads JSON Lines or Parquet wherever Spark can, and needs Java 17 and the packages of fpdb[spark]. The answers are
    those of `fpdb pairs` and of the other commands. docs/guide/spark.md says how to get it onto a cluster.

    \b
    Example: fpdb spark pairs --parquet corpus/ --min 0.5 --to pairs/
             fpdb spark --master 'local[4]' drop-list --jsonl corpus/ --keep longest
             fpdb spark build --parquet s3a://bucket/corpus/ folder/
    """
    ctx.meta["fpdb.spark"] = Cluster(master, dict(settings))


def input_options(command: Command) -> Command:
    """PATH... and how they are read; hands an `Input` and a `Recipe` to the command."""

    @records_options
    @click.option(
        "--kind",
        type=LazyChoice("KINDS", "auto"),
        default="auto",
        show_default=True,
        help="What sort of document those are that do not say; auto tells by name and content.",
    )
    @click.option(
        "--duplicates",
        type=click.Choice(["error", "first"]),
        default="error",
        show_default=True,
        help="Several documents of one name are an error, or the first of them is taken.",
    )
    @click.option("--strict", is_flag=True, help="Stop at the first document that cannot be read.")
    @click.option(
        "--boilerplate",
        multiple=True,
        metavar="PATH",
        help="Discard what these documents, read alike, hold; repeatable.",
    )
    @click.option(
        "--work",
        metavar="FOLDER",
        help="Keep the fingerprints in a new folder, and leave them there.  [default: with Spark's executors]",
    )
    @click.option("--like", metavar="DATABASE", type=click.Path(), help="The recipe of this database.")
    @recipe_options
    @functools.wraps(command)
    def with_input(*args: Any, like: str | None, recipe: Recipe, **options: Any) -> Any:
        ctx = click.get_current_context()
        if options["records"] is None:
            raise click.UsageError("say what the files are: --jsonl or --parquet")
        given = Input(**{name: options.pop(name) for name in Input._fields})
        recipe = _recipe(ctx, like, recipe)
        with wrong_usage():
            return command(*args, given=given, recipe=recipe, **options)

    return cast(Command, with_input)


def paths_argument(command: Command) -> Command:
    """PATH..., files, folders and globs, also where only Spark can read."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=True)(command)


def result_options(command: Command) -> Command:
    """--to and --format."""
    command = click.option(
        "--format",
        "form_out",
        type=click.Choice(["parquet", "json", "csv"]),
        help="How rows are written.  [default: with --to parquet, else json]",
    )(command)
    return click.option(
        "--to", metavar="FOLDER", help="Write into a new folder, from all workers at once.  [default: print]"
    )(command)


@spark.command(cls=RecipeCommand)
@paths_argument
@input_options
@pair_options
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the first N.")
@result_options
@click.pass_context
def pairs(
    ctx: click.Context, /, given: Input, recipe: Recipe, to: str | None, form_out: str | None, **options: Any
) -> None:
    """Compare all documents with each other, as `fpdb pairs` does: the same rows, with the same numbers."""
    _find("pairs", ctx, given, recipe, to, form_out, options)


@spark.command("drop-list", cls=RecipeCommand)
@paths_argument
@input_options
@pair_options
@keep_option("first")
@result_options
@click.pass_context
def drop_list(
    ctx: click.Context, /, given: Input, recipe: Recipe, to: str | None, form_out: str | None, **options: Any
) -> None:
    """List the documents to drop, so that of each cluster one stays, as `fpdb drop-list` does.

    What counts as added first is the document with the smallest name.
    """
    _find("drop_list", ctx, given, recipe, to, form_out, options)


@spark.command(cls=RecipeCommand)
@paths_argument
@click.argument("folder")
@input_options
@click.option("--files", type=click.IntRange(min=1), metavar="N", help="Into how many hash ranges.")
@click.pass_context
def build(ctx: click.Context, given: Input, recipe: Recipe, folder: str, files: int | None) -> None:
    """Make a FOLDER that a database takes as it is, without fingerprinting again (docs/design/adopt-format.md).

    Documents come in the order of their names. Where the key is in a file of its own (fpdb --key-file), the folder
    does not hold it.
    """
    from fpdb import keys
    from fpdb.spark import build as write

    if given.boilerplate:
        raise click.UsageError("boilerplate is added to the database itself: fpdb add --boilerplate")
    target = ctx.find_object(Target)
    key_file = None if target is None else target.key_file
    digest = None if key_file is None else keys.read(key_file).digest
    with _fingerprinted(ctx, given, recipe) as (found, _):
        write(found, folder, recipe, files=files, key_digest=digest)
    say(f"written: {folder}")


def _find(
    what: str,
    ctx: click.Context,
    given: Input,
    recipe: Recipe,
    to: str | None,
    form: str | None,
    options: dict[str, Any],
) -> None:
    import fpdb.spark

    if to is None and form == "parquet":
        raise click.UsageError("Parquet is not printed: give --to FOLDER")
    find = getattr(fpdb.spark, what)
    with _fingerprinted(ctx, given, recipe) as (found, boilerplate):
        rows: DataFrame = find(found, boilerplate, **options)
        if to is not None:
            rows.write.format(form or "parquet").options(**({"header": "true"} if form == "csv" else {})).save(to)
        elif form == "csv":
            write_csv(rows.columns, rows.toLocalIterator())
        else:
            for row in rows.toLocalIterator():
                write_json({name: value for name, value in row.asDict().items() if value is not None})


@contextmanager
def _fingerprinted(ctx: click.Context, given: Input, recipe: Recipe) -> Iterator[tuple[DataFrame, DataFrame | None]]:
    """The fingerprints of the documents, and of the boilerplate if there is any. Raises SparkFailure."""
    from fpdb.spark.failures import plainly
    from fpdb.spark.fingerprints import fingerprints, problems, readable
    from fpdb.spark.session import running

    cluster: Cluster = ctx.meta["fpdb.spark"]
    with plainly(), running(cluster.master, cluster.settings) as session:
        read = functools.partial(_read, session, given)
        options: Any = {"kind": given.kind, "duplicates": given.duplicates, "strict": given.strict}
        found = fingerprints(read(given.paths), recipe, folder=given.work, **options)
        boilerplate = None
        if given.boilerplate:
            boilerplate = fingerprints(read(given.boilerplate), recipe, purpose="discard", **options)
        _say_problems(problems(found))
        say(f"fingerprinted {count_text(readable(found).count(), 'document')}")
        yield found, boilerplate


def _read(session: SparkSession, given: Input, paths: tuple[str, ...]) -> DataFrame:
    from fpdb.spark import documents

    return documents(session, paths, given.records.form, fields=given.records.fields)


def _say_problems(problems: DataFrame) -> None:
    count = problems.count()
    for row in problems.orderBy("file", "name").limit(LISTED).collect():
        where = ": ".join(part for part in (row["file"], row["name"]) if part)
        say(f"skipped {where or 'a document without a name'}: {row['error']}")
    if count:
        more = f", of which the first {LISTED} are listed" if count > LISTED else ""
        say(f"skipped {count_text(count, 'document')}{more}")


def _recipe(ctx: click.Context, like: str | None, recipe: Recipe) -> Recipe:
    """The recipe that the options say, with the key of the key file, if one is given. Raises click.UsageError."""
    import fpdb
    from fpdb import keys

    given = [name for name in RECIPE_OPTIONS if ctx.get_parameter_source(name) != click.core.ParameterSource.DEFAULT]
    target = ctx.find_object(Target)
    key_file = None if target is None else target.key_file
    if like is not None:
        if given:
            raise click.UsageError("--like takes the recipe of a database: leave out --preset and what changes it")
        with fpdb.open(like, "r", key_file=key_file) as db:
            return db.recipe
    if key_file is not None:
        if "key" in given:
            raise click.UsageError("give one key: --key, or a key file (also in FPDB_KEY_FILE)")
        return recipe.with_(key=keys.read(key_file).key)
    return recipe
